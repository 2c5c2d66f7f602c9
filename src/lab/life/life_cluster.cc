#include "lab/life/life_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/container_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/text/rfc3339.h"
#include "lab/life/in_memory_backend.h"
#include "server/bootstrap.h"

namespace basalt::lab {
namespace {

const api::GroupVersionResource kPods{.group = "", .version = "v1", .plural = "pods"};
const api::GroupVersionResource kGroups{.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"};

constexpr std::string_view kNode = "node-1";
constexpr Duration kForever = Duration::seconds(100LL * 365 * 86'400);

// The one node is always there and never has to say so.
kubernetes::KubeControllerManagerOptions calm(size_t terminated_pods) {
  kubernetes::KubeControllerManagerOptions options;
  options.periods.terminated_pods = terminated_pods;
  options.periods.lease_grace = kForever;
  return options;
}

text::Object the_node() {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", text::Object{{"name", kNode}}},
          {"status", text::Object{{"conditions", text::Array{text::Object{{"type", "Ready"}, {"status", "True"}}}}}}};
}

// A key that looks like one; making real ones is slow and random.
Result<net::SshKeys> toy_keys() {
  return net::SshKeys{.private_pem = "-----BEGIN RSA PRIVATE KEY-----\n-----END RSA PRIVATE KEY-----\n",
                      .public_line = "ssh-rsa AAAA\n"};
}

std::shared_ptr<const text::TimeZone> zone_called(std::string_view name) {
  auto zone = text::load_time_zone(name);
  return zone ? std::make_shared<const text::TimeZone>(std::move(*zone)) : nullptr;
}

text::Object container_status(const text::Object& container, const LifePodReport& report, Instant now) {
  const std::string_view phase = report.phase;
  text::Object state;
  const std::string stamp = text::format_time(now);
  if (phase == "Running") state["running"] = text::Object{{"startedAt", stamp}};
  if (phase == "Succeeded" || phase == "Failed") {
    state["terminated"] = text::Object{{"exitCode", report.exit_code},
                                       {"reason", phase == "Failed" ? "Error" : "Completed"},
                                       {"startedAt", stamp},
                                       {"finishedAt", stamp}};
  }
  if (phase == "Pending") state["waiting"] = text::Object{{"reason", "ContainerCreating"}};
  return {{"name", api::ContainerView(container).name()},
          {"image", api::ContainerView(container).image()},
          {"imageID", ""},
          {"restartCount", report.restarts},
          {"ready", phase == "Running" && report.ready},
          {"state", std::move(state)}};
}

}  // namespace

LifeCluster::LifeCluster(size_t terminated_pods) : LifeCluster(std::make_unique<InMemoryBackend>(), terminated_pods) {}

LifeCluster::LifeCluster(std::unique_ptr<LifeBackend> backend, size_t terminated_pods)
    : backend_(std::move(backend)),
      crashable_client_(backend_->controllers()),
      upkeep_(backend_->upkeep(), calm(terminated_pods)) {
  const auto begun = server::bootstrap(user(), {.queues = true});
  check(begun.has_value(), "an empty server takes what every cluster has");
  api::Call node{.verb = api::Verb::Create, .resource = {.group = "", .version = "v1", .plural = "nodes"}};
  node.body = the_node();
  check(user().call(std::move(node)).has_value(), "an empty server takes a node");
  start_controllers();
}

LifeCluster::~LifeCluster() = default;

void LifeCluster::start_controllers() {
  auto made = volcano::VolcanoControllerManager::make(crashable_client_, {},
                                                      {.generate_ssh_keys = toy_keys, .time_zone = zone_called}, {});
  check(made.has_value(), "the controllers' own defaults are right");
  controllers_ = std::move(*made);
}

void LifeCluster::crash() {
  controllers_.reset();
  crashable_client_.restart();
  start_controllers();
}

Result<void> LifeCluster::settle() {
  const size_t most = backend_->answers_at_once() ? kMaxSettleRounds : kMaxLiveRounds;
  const size_t quiet_enough = backend_->answers_at_once() ? 1 : kQuietRounds;
  size_t quiet = 0;
  for (size_t round = 0; round < most; ++round) {
    const uint64_t before = backend_->revision();
    upkeep_.step(now());
    controllers_->step(now());
    const bool died = crashable_client_.has_crashed();
    if (died) crash();
    // Where every look costs a call, once after the last change is enough.
    const bool looks = backend_->answers_at_once() || quiet == 0 || quiet + 1 == quiet_enough;
    const bool moved = looks && stand_in();
    backend_->wait_briefly();
    quiet = !died && !moved && backend_->revision() == before ? quiet + 1 : 0;
    if (quiet >= quiet_enough) return {};
  }
  return failure(ErrorCode::Invalid,
                 fmt::format("the cluster does not come to rest: still writing after {} rounds", most));
}

std::optional<Instant> LifeCluster::next_due() const {
  const std::optional<Instant> ours = controllers_->next_due();
  const std::optional<Instant> theirs = upkeep_.next_due();
  if (ours && theirs) return std::min(*ours, *theirs);
  return ours ? ours : theirs;
}

Result<void> LifeCluster::advance(Duration length) {
  const Instant end = now() + length;
  for (size_t point = 0; point < kMaxDuePoints; ++point) {
    if (auto settled = settle(); !settled) return settled;
    const std::optional<Instant> due = next_due();
    if (!due || *due > end) {
      backend_->advance_to(end);
      return settle();
    }
    backend_->advance_to(std::max(now(), *due));
  }
  return failure(ErrorCode::Invalid,
                 fmt::format("too much falls due at more than {} points in time; let less time pass", kMaxDuePoints));
}

bool LifeCluster::stand_in() {
  bool moved = false;
  if (enqueues) {
    for (const client::ObjectPtr& group : list(kGroups, "")) {
      const text::Object& root = group->get_object();
      const std::string_view phase = api::PodView(root).status().phase();
      if (!phase.empty() && phase != "Pending") continue;
      api::Call patch{.verb = api::Verb::Patch, .resource = kGroups};
      patch.namespace_name = api::namespace_of(root);
      patch.name = api::name_of(root);
      patch.body = text::Object{{"status", text::Object{{"phase", "Inqueue"}}}};
      moved = user().call(std::move(patch)).has_value() || moved;
    }
  }
  if (ends_pods) {
    const uint64_t before = backend_->revision();
    finish_deletions();
    moved = moved || backend_->revision() != before;
  }
  return moved;
}

void LifeCluster::finish_deletions() {
  for (const client::ObjectPtr& pod : list(kPods, "")) {
    const text::Object& root = pod->get_object();
    if (api::PodView(root).metadata().deletion_timestamp().empty()) continue;
    api::Call remove{.verb = api::Verb::Delete, .resource = kPods};
    remove.namespace_name = api::namespace_of(root);
    remove.name = api::name_of(root);
    remove.body = text::Object{{"gracePeriodSeconds", 0}};
    (void)user().call(std::move(remove));  // a finalizer may keep it
  }
}

client::ObjectPtr LifeCluster::get(const api::GroupVersionResource& resource, std::string_view ns,
                                   std::string_view name) {
  api::Call call{.verb = api::Verb::Get, .resource = resource};
  call.namespace_name = ns;
  call.name = name;
  const client::ReplyOrError outcome = user().call(std::move(call));
  return outcome ? outcome->object : nullptr;
}

std::vector<client::ObjectPtr> LifeCluster::list(const api::GroupVersionResource& resource, std::string_view ns) {
  api::Call call{.verb = api::Verb::List, .resource = resource};
  call.namespace_name = ns;
  client::ReplyOrError outcome = user().call(std::move(call));
  return outcome ? std::move(outcome->items) : std::vector<client::ObjectPtr>();
}

api::ApiResult<void> LifeCluster::report(std::string_view ns, std::string_view pod, const LifePodReport& report) {
  const client::ObjectPtr seen = get(kPods, ns, pod);
  if (seen == nullptr) return std::unexpected(api::not_found("", "pods", pod));
  const text::Object& root = seen->get_object();
  api::Call call{.verb = api::Verb::Create, .resource = kPods};
  call.namespace_name = ns;
  call.name = pod;
  if (api::PodView(root).spec().node_name().empty()) {
    api::Call bind = call;
    bind.subresource = "binding";
    bind.body = text::Object{{"metadata", text::Object{{"name", pod}}},
                             {"target", text::Object{{"kind", "Node"}, {"name", kNode}}}};
    if (auto bound = user().call(std::move(bind)); !bound) return std::unexpected(std::move(bound.error()));
  }
  text::Object status{{"phase", report.phase}};
  text::Array& statuses = api::array_in(status, "containerStatuses");
  if (const text::Array* containers = api::PodView(root).spec().containers().json()) {
    for (const text::Value& container : *containers) {
      statuses.emplace_back(container_status(container.get_object(), report, now()));
    }
  }
  call.verb = api::Verb::Patch;
  call.subresource = "status";
  call.body = text::Object{{"status", std::move(status)}};
  if (auto done = user().call(std::move(call)); !done) return std::unexpected(std::move(done.error()));
  return {};
}

}  // namespace basalt::lab
