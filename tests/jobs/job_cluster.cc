#include "tests/jobs/job_cluster.h"

#include <fmt/format.h>

#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"
#include "server/bootstrap.h"

namespace basalt {

using volcano::ObjectChange;
using volcano::VolcanoKind;

void WriteBudgetClient::send(api::Call call, std::function<void(client::ReplyOrError)> done) {
  const bool reads = call.verb == api::Verb::Get || call.verb == api::Verb::List;
  if (!reads && call.resource.plural != "events") {
    if (left == 0) return done(std::unexpected(api::unavailable("this process is dead")));
    --left;
    ++sent;
  }
  real_.send(std::move(call), std::move(done));
}

// The controller in its loop.
class JobCluster::JobReconciler : public loop::Reconciler {
 public:
  JobReconciler(client::ObjectClient& client, Instant now)
      : loop_(client, *this, {.clock = {}, .component = "vc-controller-manager", .prober = {}}) {
    for (const VolcanoKind kind : {VolcanoKind::Job, VolcanoKind::Pod, VolcanoKind::PodGroup, VolcanoKind::Command,
                                   VolcanoKind::Queue, VolcanoKind::Claim}) {
      loop_.follow(volcano::id_of(kind), volcano::resource_of(kind), now);
    }
  }
  ~JobReconciler() override { loop_.stop(); }

  void learn(loop::KindId kind, const client::ObjectPtr& object, Instant now) override {
    seen_.learn(volcano::kind_of(kind), object, [&](const ObjectChange& change) { wake(change, now); });
  }
  void forget(loop::KindId kind, const std::string& key, Instant now) override {
    seen_.forget(volcano::kind_of(kind), key, now, [&](const ObjectChange& change) { wake(change, now); });
  }
  [[nodiscard]] std::vector<std::string> keys(loop::KindId kind) const override {
    return seen_.keys(volcano::kind_of(kind));
  }
  [[nodiscard]] loop::WritePlan plan(const loop::Item& item, Instant now) override {
    return volcano::job_controller().plan(context(), item.name, now);
  }
  void refused(const loop::Item& item, const api::Call& call, const api::ApiError& error,
               std::vector<loop::EventNote>& notes) override {
    volcano::job_controller().refused(context(), item.name, call, error, notes);
    if (error.reason != "Conflict" && error.code != 503) ADD_FAILURE() << item.name << ": " << error.message;
  }
  void requeue_all(Instant /*now*/) override {}

  void step(Instant now) { loop_.step(now); }

 private:
  [[nodiscard]] volcano::VolcanoContext context() const {
    return {.seen = seen_, .probes = probes_, .options = options_, .system_services = system_services_};
  }
  void wake(const ObjectChange& change, Instant now) {
    std::vector<std::string> items;
    volcano::job_controller().wake(context(), change, items);
    for (std::string& item : items) loop_.wake({.controller = 0, .name = std::move(item)}, now);
  }

  volcano::ControllerCache seen_{{}};
  volcano::GoodProbes probes_;
  volcano::VolcanoControllerOptions options_;
  volcano::SystemServices system_services_{
      .generate_ssh_keys =
          [] { return Result<net::SshKeys>(net::SshKeys{.private_pem = "private", .public_line = "public"}); },
      .time_zone = {}};
  loop::ReconcileLoop loop_;
};

SharedServer::SharedServer() : store(store::Store::in_memory()) {
  server = std::make_unique<server::ApiServer>(
      *store, server::ApiServerOptions{.clock = [this] { return now; }, .seed = 7, .admission = {}});
  client = std::make_unique<server::InProcessClient>(
      *server, api::UserInfo{.name = "test", .uid = "", .groups = {"system:masters"}}, "test");
  const auto begun = server::bootstrap(*client, {.queues = true});
  EXPECT_TRUE(begun.has_value()) << (begun ? "" : begun.error().message);
}

JobCluster::JobCluster(SharedServer& shared, std::string ns) : shared_(shared), ns_(std::move(ns)) {
  create(fmt::format("{{apiVersion: v1, kind: Namespace, metadata: {{name: {}}}}}", ns_));
  restart_controller();
}

JobCluster::~JobCluster() = default;

void JobCluster::restart_controller() {
  reconciler_.reset();
  const size_t sent = client_ == nullptr ? 0 : client_->sent;
  client_ = std::make_unique<WriteBudgetClient>(*shared_.client);
  client_->sent = sent;
  reconciler_ = std::make_unique<JobReconciler>(*client_, shared_.now);
}

void JobCluster::step() { reconciler_->step(shared_.now); }

void JobCluster::create(std::string_view yaml) {
  auto value = text::parse_yaml(yaml);
  ASSERT_TRUE(value.has_value()) << (value ? "" : value.error().message);
  const text::Object& object = value->value.get_object();
  api::Call call{.verb = api::Verb::Create};
  const std::string_view version = api::string_at(object, "apiVersion");
  const size_t slash = version.find('/');
  call.resource.group = slash == std::string_view::npos ? "" : version.substr(0, slash);
  call.resource.version = slash == std::string_view::npos ? version : version.substr(slash + 1);
  call.resource.plural = api::string_at(object, "kind");
  for (char& c : call.resource.plural) c = static_cast<char>(std::tolower(c));
  call.resource.plural += "s";
  call.body = value->value;
  if (call.resource.plural != "namespaces") {
    call.namespace_name = ns_;
    api::metadata_of(call.body.get_object())["namespace"] = ns_;
  }
  const client::ReplyOrError outcome = shared_.client->call(std::move(call));
  ASSERT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

std::vector<client::ObjectPtr> JobCluster::list(std::string_view group, std::string_view version,
                                                std::string_view plural) {
  api::Call call{.verb = api::Verb::List};
  call.resource = {.group = std::string(group), .version = std::string(version), .plural = std::string(plural)};
  call.namespace_name = ns_;
  const client::ReplyOrError outcome = shared_.client->call(std::move(call));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
  return outcome ? outcome->items : std::vector<client::ObjectPtr>();
}

void JobCluster::patch_status(std::string_view group, std::string_view version, std::string_view plural,
                              std::string_view name, std::string_view json) {
  api::Call call{.verb = api::Verb::Patch};
  call.resource = {.group = std::string(group), .version = std::string(version), .plural = std::string(plural)};
  call.namespace_name = ns_;
  call.name = name;
  if (plural != "podgroups") call.subresource = "status";  // which PodGroups do not have
  call.body = text::parse_json(fmt::format(R"({{"status":{}}})", json)).value();
  const client::ReplyOrError outcome = shared_.client->call(std::move(call));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

void JobCluster::admit() {
  for (const client::ObjectPtr& group : list("scheduling.volcano.sh", "v1beta1", "podgroups")) {
    patch_status("scheduling.volcano.sh", "v1beta1", "podgroups", api::name_of(group->get_object()),
                 R"({"phase":"Inqueue"})");
  }
}

void JobCluster::all_pods(std::string_view phase) {
  for (const client::ObjectPtr& pod : list("", "v1", "pods")) {
    patch_status("", "v1", "pods", api::name_of(pod->get_object()), fmt::format(R"({{"phase":"{}"}})", phase));
  }
}

void JobCluster::fail(std::string_view pod, int exit_code) {
  patch_status("", "v1", "pods", pod,
               fmt::format(R"({{"phase":"Failed","containerStatuses":[{{"name":"c","image":"i","imageID":"i",)"
                           R"("ready":false,"restartCount":0,"state":{{"terminated":{{"exitCode":{}}}}}}}]}})",
                           exit_code));
}

std::string JobCluster::job_at(std::string_view path) {
  for (const client::ObjectPtr& job : list("batch.volcano.sh", "v1alpha1", "jobs")) {
    const text::Value* value = job.get();
    for (size_t at = 0; value != nullptr && at <= path.size();) {
      const size_t end = std::min(path.find('.', at), path.size());
      value = text::find_member(*value, path.substr(at, end - at));
      at = end + 1;
    }
    if (value == nullptr) return "";
    return value->is_string() ? std::string(value->get_string()) : text::to_json(*value);
  }
  return "";
}

std::string JobCluster::summary() {
  std::string text = fmt::format("{} version {} retries {} counts {}/{}/{}/{} groups {} services {} secrets {}\n",
                                 job_at("status.state.phase"), job_at("status.version"), job_at("status.retryCount"),
                                 job_at("status.pending"), job_at("status.running"), job_at("status.succeeded"),
                                 job_at("status.failed"), list("scheduling.volcano.sh", "v1beta1", "podgroups").size(),
                                 list("", "v1", "services").size(), list("", "v1", "secrets").size());
  for (const client::ObjectPtr& pod : list("", "v1", "pods")) {
    const volcano::CachedPod view = volcano::cached_pod_of(pod->get_object());
    text += fmt::format("  {} {} of version {}\n", view.name, to_text(view.phase), view.job_version);
  }
  return text;
}

}  // namespace basalt
