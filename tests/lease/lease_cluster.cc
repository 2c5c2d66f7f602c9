#include "tests/lease/lease_cluster.h"

#include "kube/api/object_fields.h"
#include "kube/client/wall_clock.h"
#include "programs/lease/lease_rules.h"
#include "server/bootstrap.h"

namespace basalt::lease {

void UnreliableClient::send(api::Call call, std::function<void(client::ReplyOrError)> done) {
  State state = State::Good;
  {
    const std::scoped_lock lock(mutex_);
    state = state_;
  }
  if (state == State::Cut) return;  // as a network does it: nobody is told
  if (state == State::LosesAnswers && call.verb != api::Verb::Get) done = [](const client::ReplyOrError&) {};
  server_.send(std::move(call), std::move(done));
}

std::unique_ptr<client::Watch> UnreliableClient::watch(api::Call call,
                                                       std::function<void(client::WatchEvent)> receive) {
  return server_.watch(std::move(call), std::move(receive));
}

void UnreliableClient::become(State state) {
  const std::scoped_lock lock(mutex_);
  state_ = state;
}

LeaseCluster::LeaseCluster() : store_(store::Store::in_memory()) {
  server_ =
      std::make_unique<server::ApiServer>(*store_, server::ApiServerOptions{.clock = client::wall_clock, .seed = 7});
  client_ = std::make_unique<server::InProcessClient>(
      *server_, api::UserInfo{.name = "test", .uid = "", .groups = {"system:masters"}}, "test");
  const auto begun = server::bootstrap(*client_);
  EXPECT_TRUE(begun.has_value()) << (begun ? "" : begun.error().message);
  api::Call namespace_call{.verb = api::Verb::Create,
                           .resource = {.group = "", .version = "v1", .plural = "namespaces"}};
  namespace_call.body =
      text::Object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", text::Object{{"name", "volcano-system"}}}};
  const auto made = client_->call(std::move(namespace_call));
  EXPECT_TRUE(made.has_value() || made.error().code == 409);
}

std::unique_ptr<LeaseCluster::Replica> LeaseCluster::replica(const std::string& identity,
                                                             LeaderElectorOptions options) {
  options.name = "volcano";
  options.identity = identity;
  EXPECT_TRUE(check_leader_elector_options(options));
  return std::make_unique<Replica>(*client_, std::move(options));
}

api::Call lease_call(api::Verb verb) {
  return {.verb = verb,
          .resource = {.group = "coordination.k8s.io", .version = "v1", .plural = "leases"},
          .namespace_name = "volcano-system",
          .name = "volcano"};
}

client::ObjectPtr LeaseCluster::lease() {
  const client::ReplyOrError outcome = client_->call(lease_call(api::Verb::Get));
  return outcome ? outcome->object : nullptr;
}

void LeaseCluster::overwrite_holder() {
  api::Call patch = lease_call(api::Verb::Patch);
  patch.body = text::Object{{"spec", text::Object{{"holderIdentity", "usurper"}}}};
  const auto written = client_->call(std::move(patch));
  EXPECT_TRUE(written.has_value()) << (written ? "" : written.error().message);
}

std::string LeaseCluster::holder() {
  const client::ObjectPtr object = lease();
  return object ? lease_record(*object).holder : "";
}

}  // namespace basalt::lease
