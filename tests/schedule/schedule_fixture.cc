#include "tests/schedule/schedule_fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "control/scheduler/self_check.h"
#include "kube/api/object_fields.h"
#include "kube/text/quantity.h"
#include "kube/text/yaml.h"
#include "server/bootstrap.h"

namespace basalt {
namespace {

constexpr Instant kBirth = Instant::from_unix_seconds(1'767'225'600);
constexpr Duration kForever = Duration::seconds(100LL * 365 * 86'400);
constexpr size_t kMaxRounds = 500, kMaxDuePoints = 20'000;

kubernetes::KubeControllerManagerOptions calm() {
  kubernetes::KubeControllerManagerOptions options;
  options.periods.lease_grace = kForever;  // nodes never have to say that they live
  return options;
}

server::ApiServerOptions options_of(std::function<Instant()> clock) {
  server::ApiServerOptions options{.clock = std::move(clock), .seed = 7};
  options.admission.volcano = std::make_shared<const admission::VolcanoAdmissionOptions>();
  return options;
}

api::UserInfo someone(std::string_view name) {
  return {.name = std::string(name), .uid = "", .groups = {"system:masters"}};
}

api::GroupVersionResource resource_of(std::string_view group_version, std::string_view plural) {
  const size_t slash = group_version.find('/');
  const bool core = slash == std::string_view::npos;
  return {.group = std::string(core ? "" : group_version.substr(0, slash)),
          .version = std::string(core ? group_version : group_version.substr(slash + 1)),
          .plural = std::string(plural)};
}

bool has_namespace(std::string_view plural) {
  return plural != "nodes" && plural != "queues" && plural != "priorityclasses" && plural != "namespaces";
}

}  // namespace

ScheduleFixture::ScheduleFixture(std::string conf_map)
    : now_(kBirth),
      conf_map_(std::move(conf_map)),
      store_(store::Store::in_memory()),
      api_(*store_, options_of([this] { return now_; })),
      user_(std::make_unique<server::InProcessClient>(api_, someone("somebody"), "user")),
      upkeep_client_(std::make_unique<server::InProcessClient>(api_, someone("upkeep"), "kube-controller-manager")),
      controller_client_(
          std::make_unique<server::InProcessClient>(api_, someone("controllers"), "vc-controller-manager")),
      scheduler_client_(std::make_unique<server::InProcessClient>(api_, someone("scheduler"), "vc-scheduler")),
      upkeep_(*upkeep_client_, calm()) {
  check(server::bootstrap(*user_, {.queues = true}).has_value(), "an empty server takes what every cluster has");
  auto made =
      volcano::VolcanoControllerManager::make(*controller_client_, {}, {.generate_ssh_keys = {}, .time_zone = {}}, {});
  check(made.has_value(), "the controllers' own defaults are right");
  controllers_ = std::move(*made);
  crash_scheduler();
}

ScheduleFixture::~ScheduleFixture() = default;

void ScheduleFixture::crash_scheduler() {
  scheduler_.reset();
  auto ears = wire_ == nullptr ? nullptr : std::move(wire_->on_write);
  wire_ = std::make_unique<FaultyClient>(*scheduler_client_);
  wire_->on_write = std::move(ears);
  scheduler::SchedulerOptions options;
  options.conf_map = conf_map_;
  options.conf_file = conf_file;
  options.conf_required = false;
  options.log = [this](Severity, const std::string& line) {
    log.push_back(line);
    if (verbose) fmt::print("{}\n", line);
  };
  auto made = scheduler::Scheduler::make(*wire_, std::move(options));
  check(made.has_value(), "a scheduler that may do without its conf file starts");
  scheduler_ = std::move(*made);
}

void ScheduleFixture::create(std::string_view yaml) {
  const auto parsed = text::parse_yaml(yaml);
  ASSERT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().message);
  const text::Object& object = parsed->value.get_object();
  const std::string_view kind = api::string_at(object, "kind");
  std::string plural(kind);
  std::transform(plural.begin(), plural.end(), plural.begin(),
                 [](char c) { return static_cast<char>(std::tolower(c)); });
  plural += kind == "PriorityClass" ? "es" : "s";
  api::Call call{.verb = api::Verb::Create, .resource = resource_of(api::string_at(object, "apiVersion"), plural)};
  if (has_namespace(plural)) {
    call.namespace_name = api::namespace_of(object);
    if (call.namespace_name.empty()) call.namespace_name = "default";
  }
  call.body = parsed->value;
  const client::ReplyOrError outcome = user_->call(std::move(call));
  ASSERT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

void ScheduleFixture::create_node(std::string_view name, std::string_view cpu, std::string_view more) {
  create(fmt::format(R"({{apiVersion: v1, kind: Node, metadata: {{name: {0}}}, status: {{
      allocatable: {{cpu: "{1}", memory: 64Gi, pods: "110"{2}}}, capacity: {{cpu: "{1}", memory: 64Gi, pods: "110"{2}}},
      conditions: [{{type: Ready, status: "True"}}]}}}})",
                     name, cpu, more));
}

void ScheduleFixture::create_job(std::string_view name, int replicas, std::string_view cpu, std::string_view queue,
                                 int min, std::string_view priority_class) {
  create(fmt::format(R"(
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: {0}, namespace: default}}
spec:
  schedulerName: volcano
  queue: {3}
  minAvailable: {4}
  {5}
  tasks:
  - name: t
    replicas: {1}
    template:
      spec:
        restartPolicy: Never
        containers:
        - name: c
          image: busybox
          resources: {{requests: {{cpu: "{2}"}}}}
)",
                     name, replicas, cpu, queue, min < 0 ? replicas : min,
                     priority_class.empty() ? "" : fmt::format("priorityClassName: {}", priority_class)));
}

void ScheduleFixture::remove(std::string_view group_version, std::string_view plural, std::string_view name) {
  api::Call call{.verb = api::Verb::Delete, .resource = resource_of(group_version, plural)};
  if (has_namespace(plural)) call.namespace_name = "default";
  call.name = name;
  const client::ReplyOrError outcome = user_->call(std::move(call));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

void ScheduleFixture::patch(std::string_view group_version, std::string_view plural, std::string_view name,
                            std::string_view json, std::string_view subresource) {
  api::Call call{.verb = api::Verb::Patch, .resource = resource_of(group_version, plural)};
  if (has_namespace(plural)) call.namespace_name = "default";
  call.name = name;
  call.subresource = subresource;
  call.body = text::parse_json(json).value();
  const client::ReplyOrError outcome = user_->call(std::move(call));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

void ScheduleFixture::finish(std::string_view pod, std::string_view phase) {
  patch("v1", "pods", pod, fmt::format(R"({{"status":{{"phase":"{}"}}}})", phase), "status");
}

void ScheduleFixture::set_conf(std::string_view yaml) {
  const size_t slash = conf_map_.find('/');
  const auto body = text::Object{
      {"apiVersion", "v1"},
      {"kind", "ConfigMap"},
      {"metadata", text::Object{{"name", conf_map_.substr(slash + 1)}, {"namespace", conf_map_.substr(0, slash)}}},
      {"data", text::Object{{"volcano-scheduler.conf", yaml}}}};
  api::Call call{.verb = api::Verb::Create, .resource = resource_of("v1", "configmaps")};
  call.namespace_name = conf_map_.substr(0, slash);
  call.body = body;
  client::ReplyOrError outcome = user_->call(call);
  if (!outcome) {
    call.verb = api::Verb::Update;
    call.name = conf_map_.substr(slash + 1);
    outcome = user_->call(std::move(call));
  }
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

bool ScheduleFixture::play_nodes() {
  const store::Revision before = store_->revision();
  for (const client::ObjectPtr& pod : pods()) {
    const text::Object& root = pod->get_object();
    api::Call call{.verb = api::Verb::Patch, .resource = resource_of("v1", "pods")};
    call.namespace_name = api::namespace_of(root);
    call.name = api::name_of(root);
    if (ends_pods && !api::string_at(root, {"metadata", "deletionTimestamp"}).empty()) {
      call.verb = api::Verb::Delete;
      call.body = text::Object{{"gracePeriodSeconds", 0}};
    } else if (runs_pods && !api::string_at(root, {"spec", "nodeName"}).empty() &&
               api::string_at(root, {"status", "phase"}) == "Pending") {
      call.subresource = "status";
      call.body = text::Object{{"status", text::Object{{"phase", "Running"}}}};
    } else {
      continue;
    }
    (void)user_->call(std::move(call));
  }
  return store_->revision() != before;
}

void ScheduleFixture::settle() {
  for (size_t round = 0; round < kMaxRounds; ++round) {
    const store::Revision before = store_->revision();
    upkeep_.step(now_);
    controllers_->step(now_);
    scheduler_->step(now_);
    const bool died = wire_->is_dead();
    if (died) crash_scheduler();
    if (!play_nodes() && !died && store_->revision() == before) return;
  }
  FAIL() << "the cluster does not come to rest";
}

std::optional<Instant> ScheduleFixture::next_due() const {
  std::optional<Instant> next;
  for (const auto& due : {controllers_->next_due(), upkeep_.next_due(), scheduler_->next_due()}) {
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

void ScheduleFixture::advance(Duration length) {
  const Instant end = now_ + length;
  for (size_t point = 0; point < kMaxDuePoints; ++point) {
    settle();
    const std::optional<Instant> due = next_due();
    if (!due || *due > end) {
      now_ = end;
      return settle();
    }
    now_ = std::max(now_, *due);
  }
  FAIL() << "too much falls due";
}

std::vector<client::ObjectPtr> ScheduleFixture::list(std::string_view group_version, std::string_view plural) {
  client::ReplyOrError outcome = user_->call({.verb = api::Verb::List, .resource = resource_of(group_version, plural)});
  return outcome ? std::move(outcome->items) : std::vector<client::ObjectPtr>();
}

client::ObjectPtr ScheduleFixture::get(std::string_view group_version, std::string_view plural, std::string_view name) {
  api::Call call{.verb = api::Verb::Get, .resource = resource_of(group_version, plural)};
  if (has_namespace(plural)) call.namespace_name = "default";
  call.name = name;
  client::ReplyOrError outcome = user_->call(std::move(call));
  return outcome ? outcome->object : nullptr;
}

std::string ScheduleFixture::places(std::string_view prefix) {
  std::vector<std::string> lines;
  for (const client::ObjectPtr& pod : pods()) {
    const text::Object& root = pod->get_object();
    if (!api::name_of(root).starts_with(prefix)) continue;
    const std::string_view node = api::string_at(root, {"spec", "nodeName"});
    lines.push_back(fmt::format("{}={}", api::name_of(root), node.empty() ? "-" : node));
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, " "));
}

size_t ScheduleFixture::bound(std::string_view prefix) {
  size_t count = 0;
  for (const client::ObjectPtr& pod : pods()) {
    const text::Object& root = pod->get_object();
    if (api::name_of(root).starts_with(prefix) && !api::string_at(root, {"spec", "nodeName"}).empty()) ++count;
  }
  return count;
}

std::string ScheduleFixture::group_at(std::string_view job, std::string_view path) {
  for (const client::ObjectPtr& group : list("scheduling.volcano.sh/v1beta1", "podgroups")) {
    if (!api::name_of(group->get_object()).starts_with(job)) continue;
    const text::Value* value = group.get();
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

std::string ScheduleFixture::events_about(std::string_view name) {
  std::vector<std::string> lines;
  for (const client::ObjectPtr& event : list("v1", "events")) {
    const text::Object& root = event->get_object();
    if (!api::string_at(root, {"involvedObject", "name"}).starts_with(name)) continue;
    if (api::string_at(root, {"source", "component"}) != "volcano") continue;
    lines.push_back(fmt::format("{} {} {}: {}\n", api::string_at(root, "type"),
                                api::string_at(root, {"involvedObject", "kind"}), api::string_at(root, "reason"),
                                api::string_at(root, "message")));
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, ""));
}

void ScheduleFixture::expect_sound() {
  std::map<std::string, int64_t, std::less<>> used;
  for (const client::ObjectPtr& pod : pods()) {
    const text::Object& root = pod->get_object();
    const std::string_view phase = api::string_at(root, {"status", "phase"});
    if (phase == "Succeeded" || phase == "Failed") continue;
    const text::Array* containers = api::array_at(root, {"spec", "containers"});
    const std::string_view cpu = api::string_at((*containers)[0].get_object(), {"resources", "requests", "cpu"});
    used[std::string(api::string_at(root, {"spec", "nodeName"}))] +=
        cpu.empty() ? 0 : text::Quantity::parse(cpu).value().milli_value();
  }
  for (const client::ObjectPtr& node : list("v1", "nodes")) {
    const text::Object& root = node->get_object();
    const auto cpu = text::Quantity::parse(api::string_at(root, {"status", "allocatable", "cpu"}));
    EXPECT_LE(used[std::string(api::name_of(root))], cpu.value().milli_value()) << api::name_of(root);
  }
  const model::ClusterState& live = scheduler_->state();
  EXPECT_EQ(live.verify(), "");
  const auto rebuilt = scheduler::rebuild(*user_, {});
  ASSERT_TRUE(rebuilt.has_value()) << (rebuilt ? "" : rebuilt.error().message);
  for (const scheduler::Difference& difference : scheduler::compare(live, **rebuilt)) {
    ADD_FAILURE() << difference.what << ": here \"" << difference.live << "\", in the API \"" << difference.rebuilt
                  << "\"";
  }
}

}  // namespace basalt
