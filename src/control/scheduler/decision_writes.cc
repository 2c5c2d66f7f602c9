#include "control/scheduler/decision_writes.h"

#include <map>
#include <string>
#include <utility>

#include "kube/text/time.h"

namespace basalt::scheduler {
namespace {

text::Object eviction_status(std::string_view scheduler_name, Instant now) {
  text::Array conditions;
  for (const model::Condition& condition : state::eviction_conditions(scheduler_name)) {
    text::Object row{{"type", condition.type},
                     {"status", condition.status},
                     {"reason", condition.reason},
                     {"lastTransitionTime", text::format_time(now)}};
    if (!condition.message.empty()) row["message"] = condition.message;
    conditions.emplace_back(std::move(row));
  }
  return {{"conditions", std::move(conditions)}};
}

Errand errand_about(const Decided& decided, model::TaskId task, Duty duty) {
  return {.duty = duty, .key = key_of(decided.state, task), .uid = decided.state.task(task).uid, .posted = decided.now};
}

// The two sides of evictions, as people know them, and where they are told: a vcjob, else its PodGroup.
struct Told {
  state::ReportText::Side side;
  Kind kind = Kind::PodGroup;
  std::string key, uid;
};

Told told_of(const Decided& decided, Picture& picture, model::JobId job) {
  const model::Job& row = decided.state.job(job);
  const GroupRow* group = picture.group(row.id);
  if (group == nullptr || !group->of_job) {
    return {.side = {.job = job, .name = "group " + row.id}, .kind = Kind::PodGroup, .key = row.id, .uid = row.uid};
  }
  const std::string key = row.ns + "/" + group->job_name;
  return {.side = {.job = job, .name = "job " + key}, .kind = Kind::Job, .key = key, .uid = group->job_uid};
}

// To each victim's pod; and once for each pair of jobs to both of them.
void tell_for_whom(const Decided& decided, Picture& picture, Written& out) {
  struct Pair {
    const engine::Evict* first = nullptr;
    size_t pods = 0;
  };
  std::map<std::pair<std::string, std::string>, Pair> pairs;  // by the names of loser and winner
  const auto say = [&](const Told& to, const state::Event& event) {
    out.remarks.push_back(remark_about(to.kind, to.key, to.uid, event, decided.now));
  };
  for (const engine::Evict& evict : decided.decisions.evicts) {
    const model::Task& victim = decided.state.task(evict.task);
    const model::JobId winner = evict.preemptor.valid() ? decided.state.task(evict.preemptor).job : model::JobId();
    if (!winner.valid()) continue;
    const state::Event event = decided.text.preempted_event(evict, told_of(decided, picture, winner).side);
    out.remarks.push_back(remark_about(Kind::Pod, key_of(decided.state, evict.task), victim.uid, event, decided.now));
    if (!victim.job.valid()) continue;
    Pair& pair = pairs[{decided.state.job(victim.job).id, decided.state.job(winner).id}];
    if (pair.first == nullptr) pair.first = &evict;
    ++pair.pods;
  }
  for (const auto& [names, pair] : pairs) {
    const Told loser = told_of(decided, picture, decided.state.task(pair.first->task).job);
    const Told winner = told_of(decided, picture, decided.state.task(pair.first->preemptor).job);
    say(loser, decided.text.lost_pods_event(*pair.first, pair.pods, winner.side));
    say(winner, decided.text.won_room_event(*pair.first, pair.pods, loser.side));
  }
}

loop::Target pod_of(const Errand& errand) { return target_of(Kind::Pod, errand.key, errand.uid); }

}  // namespace

void add_binds(const Decided& decided, Written& out) {
  out.errands.reserve(out.errands.size() + decided.decisions.binds.size());
  for (const engine::Bind& bind : decided.decisions.binds) {
    Errand errand = errand_about(decided, bind.task, Duty::Bind);
    errand.node = decided.state.node(bind.node).name;
    errand.note = decided.text.bound_event(bind).message;
    errand.call = loop::bind(pod_of(errand), errand.node);
    out.errands.push_back(std::move(errand));
  }
}

void add_evictions(const Decided& decided, Picture& picture, Written& out) {
  tell_for_whom(decided, picture, out);
  for (const engine::Evict& evict : decided.decisions.evicts) {
    Errand mark = errand_about(decided, evict.task, Duty::MarkVictim);
    mark.call = patch_pod_status(pod_of(mark), eviction_status(decided.scheduler_name, decided.now));
    Errand removal = errand_about(decided, evict.task, Duty::DeleteVictim);
    if (evict.preemptor.valid()) removal.for_whom = key_of(decided.state, evict.preemptor);
    removal.call = loop::remove(pod_of(removal), {.propagation = ""});
    picture.note_evicting(removal.uid, decided.now);

    out.remarks.push_back(
        remark_about(Kind::Pod, removal.key, removal.uid, decided.text.evicted_pod_event(evict), decided.now));
    if (const model::JobId job = decided.state.task(evict.task).job; job.valid()) {
      const model::Job& row = decided.state.job(job);
      out.remarks.push_back(
          remark_about(Kind::PodGroup, row.id, row.uid, decided.text.evicted_group_event(evict), decided.now));
    }
    out.errands.push_back(std::move(mark));
    out.errands.push_back(std::move(removal));
  }
}

void add_open_gates(const Decided& decided, Written& out) {
  for (const model::TaskId task : decided.decisions.gate_removals) {
    Errand errand = errand_about(decided, task, Duty::OpenGate);
    // It is the pod's only gate, and a pod gets no gates after it was made.
    errand.call = loop::patch(pod_of(errand), {{"spec", text::Object{{"schedulingGates", nullptr}}}});
    out.errands.push_back(std::move(errand));
  }
}

}  // namespace basalt::scheduler
