#include "control/scheduler/self_check.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "control/scheduler/state_fields.h"

namespace basalt::scheduler {

using model::ClusterState;
using model::TaskStatus;

namespace {

constexpr size_t kMaxSideText = 600;  // of one side of a difference

std::string cut(std::string_view text) {
  if (text.size() <= kMaxSideText) return std::string(text);
  return std::string(text.substr(0, kMaxSideText)) + "…";
}

// What the scheduler decided and the API may not have confirmed.
bool is_assumed(TaskStatus status) { return status == TaskStatus::Binding || status == TaskStatus::Releasing; }

class Comparison {
 public:
  Comparison(const ClusterState& live, const ClusterState& rebuilt, const HeldBack& held_back)
      : live_(live), rebuilt_(rebuilt), held_back_(held_back), live_facts_(live), rebuilt_facts_(rebuilt) {}

  std::vector<Difference> run() {
    if (std::string bad = live_.verify(); !bad.empty()) note("recount of the state", bad, "as recounted");
    nodes();
    queues();
    jobs();
    limits();
    tasks();
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  void note(std::string what, std::string_view live, std::string_view rebuilt) {
    if (found_.size() >= kMaxDifferences) return;
    found_.push_back({.what = std::move(what), .live = cut(live), .rebuilt = cut(rebuilt)});
  }

  // The fields in which the two sides differ, but for `aside`. `name`: called only if there are some.
  template <class Name>
  void note_fields(const Name& name, std::string_view aside = "") {
    if (left_ == right_) return;
    for (size_t i = 0; i < std::min(left_.size(), right_.size()); ++i) {
      const FieldTexts::Field a = left_.field(i), b = right_.field(i);
      if (a.value != b.value && a.name != aside) note(name() + " " + std::string(a.name), a.value, b.value);
    }
  }

  // Rows of both tables: `find(state, row, other)` is the row of the same object in the other state.
  template <class Id, class Rows, class Alive, class Find, class Name, class Both>
  void table(Rows rows, Alive alive, Find find, Name name, Both both) {
    size_t known = 0;
    for (size_t r = 0; r < rows(live_); ++r) {
      const Id id(r);
      if (!alive(live_, id)) continue;
      if (const Id other = find(live_, id, rebuilt_); other.valid()) {
        ++known;
        both(id, other);
      } else {
        note(name(live_, id), "there", "");
      }
    }
    size_t there = 0;
    for (size_t r = 0; r < rows(rebuilt_); ++r) there += alive(rebuilt_, Id(r)) ? 1 : 0;
    for (size_t r = 0; there > known && r < rows(rebuilt_); ++r) {
      const Id id(r);
      if (alive(rebuilt_, id) && !find(rebuilt_, id, live_).valid()) note(name(rebuilt_, id), "", "there");
    }
  }

  void nodes() {
    const auto name = [](const ClusterState& s, model::NodeId id) { return "node " + s.node(id).name; };
    table<model::NodeId>(
        [](const ClusterState& s) { return s.node_rows(); },
        [](const ClusterState& s, model::NodeId id) { return s.node(id).alive; },
        [](const ClusterState& s, model::NodeId id, const ClusterState& o) { return o.find_node(s.node(id).name); },
        name,
        [&](model::NodeId live, model::NodeId other) {
          live_facts_.node(live, left_);
          rebuilt_facts_.node(other, right_);
          note_fields([&] { return name(live_, live); });
        });
  }

  void queues() {
    const auto name = [](const ClusterState& s, model::QueueId id) { return "queue " + s.queue(id).name; };
    table<model::QueueId>(
        [](const ClusterState& s) { return s.queue_rows(); },
        [](const ClusterState& s, model::QueueId id) { return s.queue(id).alive; },
        [](const ClusterState& s, model::QueueId id, const ClusterState& o) { return o.find_queue(s.queue(id).name); },
        name,
        [&](model::QueueId live, model::QueueId other) {
          live_facts_.queue(live, left_);
          rebuilt_facts_.queue(other, right_);
          note_fields([&] { return name(live_, live); });
        });
  }

  void jobs() {
    const auto name = [](const ClusterState& s, model::JobId id) { return "job " + s.job(id).id; };
    table<model::JobId>([](const ClusterState& s) { return s.job_rows(); },
                        [](const ClusterState& s, model::JobId id) { return s.job(id).alive; },
                        [](const ClusterState& s, model::JobId id, const ClusterState& o) {
                          return o.find_job(s.job(id).ns, s.job(id).name);
                        },
                        name,
                        [&](model::JobId live, model::JobId other) {
                          live_facts_.job(live, left_);
                          rebuilt_facts_.job(other, right_);
                          note_fields([&] { return name(live_, live); });
                        });
  }

  void tasks() {
    table<model::TaskId>(
        [](const ClusterState& s) { return s.task_rows(); },
        [](const ClusterState& s, model::TaskId id) { return s.task(id).alive; },
        [](const ClusterState& s, model::TaskId id, const ClusterState& o) { return o.find_task(s.task(id).uid); },
        pod_name, [&](model::TaskId live, model::TaskId other) { task(live, other); });
  }

  void task(model::TaskId live, model::TaskId other) {
    const model::Task& ours = live_.task(live);
    const model::Task& theirs = rebuilt_.task(other);
    // Compared in full if the status is the same: then nothing is on its way.
    const bool settled = !is_assumed(ours.status) || ours.status == theirs.status;
    live_facts_.task(live, settled, left_);
    rebuilt_facts_.task(other, settled, right_);
    const bool held = held_back_ && held_back_(ours.uid);
    note_fields([&] { return pod_name(live_, live); }, held ? StateFields::kGates : "");
    if (settled || !theirs.node.valid()) return;
    const std::string_view here = ours.node.valid() ? std::string_view(live_.node(ours.node).name) : "";
    const std::string_view there = rebuilt_.node(theirs.node).name;
    if (here != there) note(pod_name(live_, live) + " node", here, there);
  }

  static std::string pod_name(const ClusterState& state, model::TaskId id) {
    const model::Task& task = state.task(id);
    return "pod " + std::string(state.names.text(task.ns)) + "/" + task.name + " (" + task.uid + ")";
  }

  template <class Map, class Put>
  void limits_of(std::string_view kind, const Map& live, const Map& rebuilt, Put put) {
    for (const auto& [key, row] : live) {
      const std::string name = std::string(kind) + " " + key;
      const auto other = rebuilt.find(key);
      if (other == rebuilt.end()) {
        note(name, "there", "");
        continue;
      }
      put(live_facts_, row, left_);
      put(rebuilt_facts_, other->second, right_);
      note_fields([&] { return name; });
    }
    for (const auto& [key, row] : rebuilt) {
      if (!live.contains(key)) note(std::string(kind) + " " + key, "", "there");
    }
  }

  void limits() {
    limits_of("resource quota", live_.limits.quotas, rebuilt_.limits.quotas,
              [](StateFields& facts, const model::ResourceQuota& row, FieldTexts& out) { facts.quota(row, out); });
    limits_of(
        "disruption budget", live_.limits.budgets, rebuilt_.limits.budgets,
        [](StateFields& facts, const model::DisruptionBudgetObject& row, FieldTexts& out) { facts.budget(row, out); });
    limits_of(
        "namespace", by_name(live_), by_name(rebuilt_),
        [](StateFields& facts, const model::LabelSet& row, FieldTexts& out) { facts.namespace_labels(row, out); });
  }

  static std::map<std::string, model::LabelSet> by_name(const ClusterState& state) {
    std::map<std::string, model::LabelSet> labels;
    for (const auto& [name, set] : state.limits.namespace_labels) labels.emplace(state.names.text(name), set);
    return labels;
  }

  const ClusterState& live_;
  const ClusterState& rebuilt_;
  const HeldBack& held_back_;
  StateFields live_facts_, rebuilt_facts_;
  FieldTexts left_, right_;
  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> compare(const ClusterState& live, const ClusterState& rebuilt, const HeldBack& held_back) {
  return Comparison(live, rebuilt, held_back).run();
}

std::vector<Difference> SelfCheck::consider(std::vector<Difference> found) {
  std::vector<Difference> both;
  std::set_intersection(found.begin(), found.end(), former_.begin(), former_.end(), std::back_inserter(both));
  unsettled_ = !unsettled_ && both.size() < found.size();
  former_ = std::move(found);
  return both;
}

}  // namespace basalt::scheduler
