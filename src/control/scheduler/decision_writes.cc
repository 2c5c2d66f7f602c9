#include "control/scheduler/decision_writes.h"

#include <map>
#include <string>
#include <utility>

#include "kube/text/rfc3339.h"

namespace basalt::scheduler {
namespace {

text::Object eviction_status(std::string_view scheduler_name, std::string_view action, Instant now) {
  text::Array conditions;
  for (const model::Condition& condition : state::eviction_conditions(scheduler_name, action)) {
    text::Object row{{"type", condition.type},
                     {"status", condition.status},
                     {"reason", condition.reason},
                     {"lastTransitionTime", text::format_time(now)}};
    if (!condition.message.empty()) row["message"] = condition.message;
    conditions.emplace_back(std::move(row));
  }
  return {{"conditions", std::move(conditions)}};
}

PendingWrite write_about(const DecisionContext& decided, model::TaskId task, WriteKind kind) {
  return {.kind = kind, .key = key_of(decided.state, task), .uid = decided.state.task(task).uid, .posted = decided.now};
}

// The two sides of evictions, as people know them, and where they are told: a vcjob, else its PodGroup.
struct Recipient {
  state::ReportText::Side side;
  SchedulerKind kind = SchedulerKind::PodGroup;
  std::string key, uid;
};

Recipient recipient_of(const DecisionContext& decided, SchedulerCache& cache, model::JobId job) {
  const model::Job& row = decided.state.job(job);
  const GroupRow* group = cache.group(row.id);
  if (group == nullptr || !group->of_job) {
    return {.side = {.job = job, .name = "group " + row.id},
            .kind = SchedulerKind::PodGroup,
            .key = row.id,
            .uid = row.uid};
  }
  const std::string key = row.ns + "/" + group->job_name;
  return {.side = {.job = job, .name = "job " + key}, .kind = SchedulerKind::Job, .key = key, .uid = group->job_uid};
}

// To each victim's pod; and once for each pair of jobs to both of them.
void tell_for_whom(const DecisionContext& decided, SchedulerCache& cache, CycleOutput& out) {
  struct Pair {
    const engine::Evict* first = nullptr;
    size_t pods = 0;
  };
  std::map<std::pair<std::string, std::string>, Pair> pairs;  // by the names of loser and winner
  const auto say = [&](const Recipient& to, const state::EventText& event) {
    out.events.push_back(pending_event_about(to.kind, to.key, to.uid, event, decided.now));
  };
  for (const engine::Evict& evict : decided.decisions.evicts) {
    const model::Task& victim = decided.state.task(evict.task);
    const model::JobId winner = evict.preemptor.valid() ? decided.state.task(evict.preemptor).job : model::JobId();
    if (!winner.valid()) continue;
    const state::EventText event = decided.text.preempted_event(evict, recipient_of(decided, cache, winner).side);
    out.events.push_back(
        pending_event_about(SchedulerKind::Pod, key_of(decided.state, evict.task), victim.uid, event, decided.now));
    if (!victim.job.valid()) continue;
    Pair& pair = pairs[{decided.state.job(victim.job).id, decided.state.job(winner).id}];
    if (pair.first == nullptr) pair.first = &evict;
    ++pair.pods;
  }
  for (const auto& [names, pair] : pairs) {
    const Recipient loser = recipient_of(decided, cache, decided.state.task(pair.first->task).job);
    const Recipient winner = recipient_of(decided, cache, decided.state.task(pair.first->preemptor).job);
    say(loser, decided.text.lost_pods_event(*pair.first, pair.pods, winner.side));
    say(winner, decided.text.won_room_event(*pair.first, pair.pods, loser.side));
  }
}

loop::WriteTarget pod_of(const PendingWrite& write) { return target_of(SchedulerKind::Pod, write.key, write.uid); }

}  // namespace

void add_binds(const DecisionContext& decided, CycleOutput& out) {
  out.writes.reserve(out.writes.size() + decided.decisions.binds.size());
  for (const engine::Bind& bind : decided.decisions.binds) {
    PendingWrite write = write_about(decided, bind.task, WriteKind::Bind);
    write.node = decided.state.node(bind.node).name;
    write.note = decided.text.bound_event(bind).message;
    write.call = loop::bind(pod_of(write), write.node);
    out.writes.push_back(std::move(write));
  }
}

void add_evictions(const DecisionContext& decided, SchedulerCache& cache, CycleOutput& out) {
  tell_for_whom(decided, cache, out);
  for (const engine::Evict& evict : decided.decisions.evicts) {
    PendingWrite mark = write_about(decided, evict.task, WriteKind::MarkVictim);
    mark.call = patch_pod_status(pod_of(mark), eviction_status(decided.scheduler_name, evict.reason, decided.now));
    PendingWrite removal = write_about(decided, evict.task, WriteKind::DeleteVictim);
    if (evict.preemptor.valid()) removal.for_whom = key_of(decided.state, evict.preemptor);
    removal.call = loop::remove(pod_of(removal), {.propagation = ""});
    cache.note_evicting(removal.uid, decided.now);

    out.events.push_back(pending_event_about(SchedulerKind::Pod, removal.key, removal.uid,
                                             decided.text.evicted_pod_event(evict), decided.now));
    if (const model::JobId job = decided.state.task(evict.task).job; job.valid()) {
      const model::Job& row = decided.state.job(job);
      out.events.push_back(pending_event_about(SchedulerKind::PodGroup, row.id, row.uid,
                                               decided.text.evicted_group_event(evict), decided.now));
    }
    out.writes.push_back(std::move(mark));
    out.writes.push_back(std::move(removal));
  }
}

void add_open_gates(const DecisionContext& decided, CycleOutput& out) {
  for (const model::TaskId task : decided.decisions.gate_removals) {
    PendingWrite write = write_about(decided, task, WriteKind::OpenGate);
    // It is the pod's only gate, and a pod gets no gates after it was made.
    write.call = loop::patch(pod_of(write), {{"spec", text::Object{{"schedulingGates", nullptr}}}});
    out.writes.push_back(std::move(write));
  }
}

}  // namespace basalt::scheduler
