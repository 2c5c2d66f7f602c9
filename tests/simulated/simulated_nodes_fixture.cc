#include "tests/simulated/simulated_nodes_fixture.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/api/age_text.h"
#include "kube/api/object_fields.h"
#include "kube/api/pod_summary.h"
#include "kube/text/scalar.h"
#include "kube/text/yaml.h"
#include "server/bootstrap.h"

namespace basalt {
namespace {

constexpr size_t kMaxRounds = 100;  // of all parts, until nothing is due; more means that two of them quarrel

node::SimulatedNodesOptions some(int64_t nodes) {
  node::SimulatedNodesOptions options;
  options.groups.emplace_back().count = nodes;
  return options;
}

}  // namespace

SimulatedNodesFixture::SimulatedNodesFixture(int64_t nodes) : SimulatedNodesFixture(some(nodes)) {}

SimulatedNodesFixture::SimulatedNodesFixture(node::SimulatedNodesOptions options) : store_(store::Store::in_memory()) {
  server_ = std::make_unique<server::ApiServer>(
      *store_, server::ApiServerOptions{.clock = [this] { return now_; }, .seed = 7, .admission = {}});
  client_ = std::make_unique<server::InProcessClient>(
      *server_, api::UserInfo{.name = "test", .uid = "", .groups = {"system:masters"}}, "test");
  const auto begun = server::bootstrap(*client_, {.queues = true});
  EXPECT_TRUE(begun.has_value()) << (begun ? "" : begun.error().message);
  upkeep_ = std::make_unique<kubernetes::KubeControllerManager>(*client_, kubernetes::KubeControllerManagerOptions{});
  restart_nodes(std::move(options));
}

SimulatedNodesFixture::~SimulatedNodesFixture() = default;

void SimulatedNodesFixture::restart_nodes(node::SimulatedNodesOptions options) {
  nodes_.reset();
  auto made = node::SimulatedNodes::make(*client_, std::move(options));
  ASSERT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  nodes_ = std::move(*made);
}

uint64_t SimulatedNodesFixture::settle() {
  const store::Revision first = store_->revision();
  for (size_t round = 0; round < kMaxRounds; ++round) {
    const store::Revision before = store_->revision();
    upkeep_->step(now_);
    if (nodes_ != nullptr) nodes_->step(now_);
    if (store_->revision() == before) return before - first;
  }
  ADD_FAILURE() << "the cluster does not come to rest";
  return store_->revision() - first;
}

void SimulatedNodesFixture::pass(Duration time) {
  const Instant end = now_ + time;
  for (;;) {
    settle();
    Instant next = end;
    if (const auto due = upkeep_->next_due()) next = std::min(next, *due);
    if (nodes_ != nullptr) {
      if (const auto due = nodes_->next_due()) next = std::min(next, *due);
    }
    if (next >= end) break;
    now_ = std::max(now_, next);
  }
  now_ = end;
  settle();
}

api::Call SimulatedNodesFixture::call(api::Verb verb, std::string_view plural, std::string_view name) const {
  api::Call call{.verb = verb, .resource = {.group = "", .version = "v1", .plural = std::string(plural)}};
  if (plural != "nodes" && plural != "namespaces") call.namespace_name = "default";
  call.name = name;
  return call;
}

void SimulatedNodesFixture::create(std::string_view plural, std::string_view yaml) {
  auto value = text::parse_yaml(yaml);
  ASSERT_TRUE(value.has_value()) << (value ? "" : value.error().message);
  api::Call create = call(api::Verb::Create, plural, "");
  create.body = std::move(value->value);
  const client::ReplyOrError outcome = client_->call(std::move(create));
  ASSERT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

void SimulatedNodesFixture::run(std::string_view annotations, std::string_view spec) {
  create("pods", fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: p, annotations: {{{}}}}}, spec: {{{}, "
                             "containers: [{{name: main, image: busybox}}]}}}}",
                             annotations, spec));
  bind("p", "sim-0");
}

void SimulatedNodesFixture::bind(std::string_view pod, std::string_view node) {
  api::Call bind = call(api::Verb::Create, "pods", pod);
  bind.subresource = "binding";
  bind.body = text::Object{{"metadata", text::Object{{"name", pod}}},
                           {"target", text::Object{{"kind", "Node"}, {"name", node}}}};
  const client::ReplyOrError outcome = client_->call(std::move(bind));
  ASSERT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

void SimulatedNodesFixture::patch(std::string_view plural, std::string_view name, std::string_view json,
                                  std::string_view subresource) {
  api::Call patch = call(api::Verb::Patch, plural, name);
  patch.subresource = subresource;
  patch.body = text::parse_json(json).value();
  const client::ReplyOrError outcome = client_->call(std::move(patch));
  ASSERT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

void SimulatedNodesFixture::remove(std::string_view plural, std::string_view name) {
  const client::ReplyOrError outcome = client_->call(call(api::Verb::Delete, plural, name));
  ASSERT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

client::ObjectPtr SimulatedNodesFixture::get(std::string_view plural, std::string_view name) {
  const client::ReplyOrError outcome = client_->call(call(api::Verb::Get, plural, name));
  return outcome ? outcome->object : nullptr;
}

std::string SimulatedNodesFixture::at(std::string_view plural, std::string_view name, std::string_view path) {
  const client::ObjectPtr object = get(plural, name);
  const text::Value* value = object.get();
  for (size_t at = 0; value != nullptr && at <= path.size();) {
    const size_t end = std::min(path.find('.', at), path.size());
    const std::string_view word = path.substr(at, end - at);
    const auto index = text::parse_int(word);
    if (index && value->is_array()) {
      const auto place = static_cast<size_t>(*index);
      value = place < value->get_array().size() ? &value->get_array()[place] : nullptr;
    } else {
      value = text::find_member(*value, word);
    }
    at = end + 1;
  }
  if (value == nullptr) return "";
  return value->is_string() ? std::string(value->get_string()) : text::to_json(*value);
}

std::string SimulatedNodesFixture::shown() {
  const client::ObjectPtr pod = get("pods", "p");
  if (pod == nullptr) return "gone";
  const api::PodSummary summary = api::summarize_pod(api::PodView(*pod));
  return fmt::format("{} {} {}", summary.ready_text(), summary.status, summary.restarts);
}

std::vector<client::ObjectPtr> SimulatedNodesFixture::list(std::string_view plural) {
  client::ReplyOrError outcome = client_->call(call(api::Verb::List, plural, ""));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
  return outcome ? std::move(outcome->items) : std::vector<client::ObjectPtr>();
}

std::string SimulatedNodesFixture::condition(std::string_view type) {
  const client::ObjectPtr pod = get("pods", "p");
  const text::Array* list = pod == nullptr ? nullptr : api::array_at(pod->get_object(), {"status", "conditions"});
  if (list == nullptr) return "";
  for (const text::Value& value : *list) {
    const text::Object& one = value.get_object();
    if (api::string_at(one, "type") != type) continue;
    const Duration age = now_ - api::time_at(one, {"lastTransitionTime"});
    return fmt::format("{} {}", api::string_at(one, "status"), age.nanos / Duration::seconds(1).nanos);
  }
  return "";
}

}  // namespace basalt
