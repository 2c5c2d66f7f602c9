#include "sim/life/life_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/object_fields.h"
#include "base/check.h"
#include "server/bootstrap.h"
#include "text/time.h"

namespace basalt::sim {
namespace {

const api::ResourceName kPods{.group = "", .version = "v1", .plural = "pods"};
const api::ResourceName kGroups{.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"};

constexpr std::string_view kNode = "node-1";
constexpr Instant kBirth = Instant::from_unix_seconds(1'767'225'600);  // 2026-01-01
constexpr uint64_t kSeed = 7;
constexpr Duration kForever = Duration::seconds(100LL * 365 * 86'400);

// The one node is always there and never has to say so.
cluster::UpkeepOptions calm() {
  cluster::UpkeepOptions options;
  options.periods.lease_grace = kForever;
  return options;
}

server::ApiServerOptions options_of(std::function<Instant()> clock) {
  server::ApiServerOptions options{.clock = std::move(clock), .seed = kSeed};
  options.admission.volcano = std::make_shared<const admission::Options>();
  return options;
}

text::Object the_node() {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", text::Object{{"name", kNode}}},
          {"status", text::Object{{"conditions", text::Array{text::Object{{"type", "Ready"}, {"status", "True"}}}}}}};
}

api::User someone(std::string_view name) {
  return {.name = std::string(name), .uid = "", .groups = {"system:masters"}};
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

text::Object container_status(const text::Object& container, const PodReport& report, Instant now) {
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
  return {{"name", api::string_at(container, "name")},
          {"image", api::string_at(container, "image")},
          {"imageID", ""},
          {"restartCount", report.restarts},
          {"ready", phase == "Running" && report.ready},
          {"state", std::move(state)}};
}

}  // namespace

LifeWorld::LifeWorld()
    : now_(kBirth),
      store_(store::Store::in_memory()),
      api_(*store_, options_of([this] { return now_; })),
      user_(std::make_unique<server::InProcessClient>(api_, someone("somebody"), "user")),
      upkeep_client_(std::make_unique<server::InProcessClient>(api_, someone("upkeep"), "kube-controller-manager")),
      controller_client_(
          std::make_unique<server::InProcessClient>(api_, someone("controllers"), "vc-controller-manager")),
      mortal_(*controller_client_),
      upkeep_(*upkeep_client_, calm()) {
  const auto begun = server::bootstrap(*user_, {.queues = true});
  check(begun.has_value(), "an empty server takes what every cluster has");
  api::Call node{.verb = api::Verb::Create, .resource = {.group = "", .version = "v1", .plural = "nodes"}};
  node.body = the_node();
  check(user_->call(std::move(node)).has_value(), "an empty server takes a node");
  start_controllers();
}

LifeWorld::~LifeWorld() = default;

void LifeWorld::start_controllers() {
  auto made = controllers::Controllers::make(mortal_, {}, {.make_key = toy_keys, .time_zone = zone_called}, {});
  check(made.has_value(), "the controllers' own defaults are right");
  controllers_ = std::move(*made);
}

void LifeWorld::crash() {
  controllers_.reset();
  mortal_.revive();
  start_controllers();
}

Result<void> LifeWorld::settle() {
  for (size_t round = 0; round < kMaxSettleRounds; ++round) {
    const store::Revision before = store_->revision();
    upkeep_.step(now_);
    controllers_->step(now_);
    const bool died = mortal_.is_dead();
    if (died) crash();
    const bool moved = stand_in();
    if (!died && !moved && store_->revision() == before) return {};
  }
  return failure(ErrorCode::Invalid,
                 fmt::format("the cluster does not come to rest: still writing after {} rounds", kMaxSettleRounds));
}

std::optional<Instant> LifeWorld::next_due() const {
  const std::optional<Instant> ours = controllers_->next_due();
  const std::optional<Instant> theirs = upkeep_.next_due();
  if (ours && theirs) return std::min(*ours, *theirs);
  return ours ? ours : theirs;
}

Result<void> LifeWorld::advance(Duration length) {
  const Instant end = now_ + length;
  for (size_t point = 0; point < kMaxDuePoints; ++point) {
    if (auto settled = settle(); !settled) return settled;
    const std::optional<Instant> due = next_due();
    if (!due || *due > end) {
      now_ = end;
      return settle();
    }
    now_ = std::max(now_, *due);
  }
  return failure(ErrorCode::Invalid,
                 fmt::format("too much falls due at more than {} points in time; let less time pass", kMaxDuePoints));
}

bool LifeWorld::stand_in() {
  bool moved = false;
  if (enqueues) {
    for (const client::ObjectPtr& group : list(kGroups, "")) {
      const text::Object& root = group->get_object();
      const std::string_view phase = api::string_at(root, {"status", "phase"});
      if (!phase.empty() && phase != "Pending") continue;
      api::Call patch{.verb = api::Verb::Patch, .resource = kGroups};
      patch.namespace_name = api::namespace_of(root);
      patch.name = api::name_of(root);
      patch.body = text::Object{{"status", text::Object{{"phase", "Inqueue"}}}};
      moved = user_->call(std::move(patch)).has_value() || moved;
    }
  }
  if (ends_pods) {
    const store::Revision before = store_->revision();
    finish_deletions();
    moved = moved || store_->revision() != before;
  }
  return moved;
}

void LifeWorld::finish_deletions() {
  for (const client::ObjectPtr& pod : list(kPods, "")) {
    const text::Object& root = pod->get_object();
    if (api::string_at(root, {"metadata", "deletionTimestamp"}).empty()) continue;
    api::Call remove{.verb = api::Verb::Delete, .resource = kPods};
    remove.namespace_name = api::namespace_of(root);
    remove.name = api::name_of(root);
    remove.body = text::Object{{"gracePeriodSeconds", 0}};
    (void)user_->call(std::move(remove));  // a finalizer may keep it
  }
}

client::ObjectPtr LifeWorld::get(const api::ResourceName& resource, std::string_view space, std::string_view name) {
  api::Call call{.verb = api::Verb::Get, .resource = resource};
  call.namespace_name = space;
  call.name = name;
  const client::Outcome outcome = user_->call(std::move(call));
  return outcome ? outcome->object : nullptr;
}

std::vector<client::ObjectPtr> LifeWorld::list(const api::ResourceName& resource, std::string_view space) {
  api::Call call{.verb = api::Verb::List, .resource = resource};
  call.namespace_name = space;
  client::Outcome outcome = user_->call(std::move(call));
  return outcome ? std::move(outcome->items) : std::vector<client::ObjectPtr>();
}

api::ApiResult<void> LifeWorld::report(std::string_view space, std::string_view pod, const PodReport& report) {
  const client::ObjectPtr seen = get(kPods, space, pod);
  if (seen == nullptr) return std::unexpected(api::not_found("", "pods", pod));
  const text::Object& root = seen->get_object();
  api::Call call{.verb = api::Verb::Create, .resource = kPods};
  call.namespace_name = space;
  call.name = pod;
  if (api::string_at(root, {"spec", "nodeName"}).empty()) {
    api::Call bind = call;
    bind.subresource = "binding";
    bind.body = text::Object{{"metadata", text::Object{{"name", pod}}},
                             {"target", text::Object{{"kind", "Node"}, {"name", kNode}}}};
    if (auto bound = user_->call(std::move(bind)); !bound) return std::unexpected(std::move(bound.error()));
  }
  text::Object status{{"phase", report.phase}};
  text::Array& statuses = api::array_in(status, "containerStatuses");
  if (const text::Array* containers = api::array_at(root, {"spec", "containers"})) {
    for (const text::Value& container : *containers) {
      statuses.emplace_back(container_status(container.get_object(), report, now_));
    }
  }
  call.verb = api::Verb::Patch;
  call.subresource = "status";
  call.body = text::Object{{"status", std::move(status)}};
  if (auto done = user_->call(std::move(call)); !done) return std::unexpected(std::move(done.error()));
  return {};
}

}  // namespace basalt::sim
