#include "control/volcano/job/job_status_change.h"

#include <algorithm>

#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/text/go_duration.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

using api::rules::part_of;

constexpr std::array kPodPhases = {PodPhase::Pending, PodPhase::Running, PodPhase::Succeeded, PodPhase::Failed,
                                   PodPhase::Unknown};

bool takes_pods_away(JobPhase phase) {
  return phase == JobPhase::Restarting || phase == JobPhase::Aborting || phase == JobPhase::Completing ||
         phase == JobPhase::Terminating;
}

// The job as it is once the draft is written: what has to go then.
text::Object object_after(const JobSnapshot& snapshot, const JobStatusDraft& draft) {
  text::Object object = *snapshot.job.object;
  text::Object status = *snapshot.job.status;
  text::Object state = part_of(status, "state");
  state["phase"] = to_text(draft.phase);
  if (draft.reason) state["reason"] = *draft.reason;
  status["state"] = std::move(state);
  status["version"] = draft.version;
  status["retryCount"] = draft.retry_count;
  object["status"] = std::move(status);
  return object;
}

// What the status says about pods.
struct Counted {
  PodCounts counts;
  std::vector<TaskCounts> tasks;
};

Counted counted_of(const JobSnapshot& snapshot, const JobStatusDraft& draft) {
  if (!takes_pods_away(draft.phase)) return {.counts = snapshot.counts, .tasks = snapshot.tasks};
  const auto without_going = [](const JobSnapshot& seen) {
    Counted counted{.counts = seen.effective, .tasks = seen.tasks};
    for (TaskCounts& task : counted.tasks) task.by_phase = task.staying;
    return counted;
  };
  const bool enters = draft.phase != snapshot.phase || draft.version != snapshot.job.version ||
                      draft.retry_count != snapshot.job.retry_count;
  if (!enters) return without_going(snapshot);
  const text::Object after = object_after(snapshot, draft);
  return without_going(JobSnapshot(after, snapshot.seen, draft.removed));
}

enum class Ending : uint8_t { Works, Ends, Over };  // Ends: with this write

Ending ending_of(const JobSnapshot& snapshot, const JobStatusDraft& draft) {
  if (is_final(snapshot.phase)) return Ending::Over;
  return is_final(draft.phase) ? Ending::Ends : Ending::Works;
}

void put_number(text::Object& change, std::string_view key, std::optional<int64_t> written, int64_t number) {
  if (written.value_or(0) == number) return;
  change[key] = number == 0 ? text::Value(nullptr) : text::Value(number);
}

// A job that is over keeps what it counted, whoever takes its finished pods away; what it removes itself was never
// counted then.
void put_at_least(text::Object& change, std::string_view key, std::optional<int64_t> written, int64_t number) {
  if (number > written.value_or(0)) put_number(change, key, written, number);
}

void put_text(text::Object& change, std::string_view key, std::string_view written,
              const std::optional<std::string>& text) {
  if (!text || written == *text) return;
  change[key] = text->empty() ? text::Value(nullptr) : text::Value(*text);
}

bool has_pods(const TaskCounts& counts) {
  return std::ranges::any_of(counts.by_phase, [](int64_t number) { return number > 0; });
}

bool has_ended_pods(api::TaskStateView written) {
  const api::MapView<int64_t> phases = written.phase();
  return phases["Succeeded"] > 0 || phases["Failed"] > 0;
}

// What a merge patch has to say about one task's {"phase": {"Running": 2}}; empty: nothing.
text::Object task_change(api::TaskStateView written, const TaskCounts& counts, Ending ending) {
  const api::MapView<int64_t> phases = written.phase();
  text::Object change;
  for (const PodPhase phase : kPodPhases) {
    const bool ended = phase == PodPhase::Succeeded || phase == PodPhase::Failed;
    if (ending == Ending::Over && ended) {
      put_at_least(change, to_text(phase), phases.find(to_text(phase)), counts.staying_of(phase));
    } else {
      const bool final_count = ending == Ending::Ends && ended;
      put_number(change, to_text(phase), phases.find(to_text(phase)),
                 final_count ? counts.staying_of(phase) : counts.of(phase));
    }
  }
  if (change.empty()) return {};
  return {{"phase", std::move(change)}};
}

void put_task_counts(text::Object& change, const JobSnapshot& snapshot, const std::vector<TaskCounts>& tasks_now,
                     Ending ending) {
  const api::MapView<api::TaskStateView> written = api::VolcanoJobStatusView(*snapshot.job.status).task_status_count();
  text::Object tasks;
  size_t known = 0;
  for (size_t i = 0; i < tasks_now.size(); ++i) {
    const std::string_view key = snapshot.job.tasks[i].key();
    const bool there = written && written.json()->contains(key);
    known += there ? 1 : 0;
    if (!has_pods(tasks_now[i]) && !(ending == Ending::Over && has_ended_pods(written[key]))) {
      const bool first_of_name = there && snapshot.job.find_task(key) == &snapshot.job.tasks[i];
      if (first_of_name) tasks[key] = nullptr;
      continue;
    }
    text::Object one = task_change(written[key], tasks_now[i], ending);
    if (!one.empty()) tasks[key] = std::move(one);
  }
  if (known < written.size()) {  // of tasks that the job no longer has
    for (const auto& member : *written.json()) {
      if (snapshot.job.find_task(member.key()) == nullptr) tasks[member.key()] = nullptr;
    }
  }
  if (!tasks.empty()) change["taskStatusCount"] = std::move(tasks);
}

void put_memory(text::Object& change, const JobView& job, const ControlledResourcesChange& memory) {
  text::Object entries;
  for (const auto& [key, value] : memory) {
    const text::Value* written = job.controlled_resources->if_contains(key);
    if (!value && written != nullptr) entries[key] = nullptr;
    if (value && remembered(job, key) != *value) entries[key] = *value;
  }
  if (!entries.empty()) change["controlledResources"] = std::move(entries);
}

text::Object phase_entry(std::string_view phase, std::string_view at) {
  text::Object entry{{"status", phase}};
  if (!at.empty()) entry["lastTransitionTime"] = at;
  return entry;
}

// In these phases the words of an entry say why the job waits; in the others why it came there, which stays true.
bool is_waiting_phase(JobPhase phase) { return phase == JobPhase::Pending || phase == JobPhase::Running; }

// One entry per phase, the newest last; only that one says why the job waits, while it does.
text::Array conditions_with(api::VolcanoJobStatusView status, JobPhase phase, std::string_view at,
                            const JobStatusDraft& draft) {
  text::Array conditions;
  for (const api::VolcanoJobConditionView one : status.conditions()) {
    const std::string_view name = one.status();
    if (name == to_text(phase)) continue;
    text::Object entry = phase_entry(name, one.last_transition_time());
    if (!is_waiting_phase(phase_of(name))) {
      for (const std::string_view key : {"reason", "message"}) api::copy_member(entry, *one.json(), key);
    }
    conditions.emplace_back(std::move(entry));
  }
  text::Object present = phase_entry(to_text(phase), at);
  if ((draft.about_wait || !is_waiting_phase(phase)) && !draft.reason.value_or("").empty()) {
    present["reason"] = *draft.reason;
    present["message"] = draft.message.value_or("");
  }
  conditions.emplace_back(std::move(present));
  return conditions;
}

std::string_view begun_at(api::VolcanoJobStatusView status, JobPhase phase) {
  std::string_view at;
  for (const api::VolcanoJobConditionView one : status.conditions()) {
    if (one.status() == to_text(phase)) at = one.last_transition_time();
  }
  return at.empty() ? status.state().last_transition_time() : at;
}

void put_phase(text::Object& change, text::Object& state, const JobSnapshot& snapshot, const JobStatusDraft& draft,
               Instant now) {
  const JobPhase phase = draft.phase;
  const std::string at = text::format_time(now);
  state["phase"] = to_text(phase);
  state["lastTransitionTime"] = at;
  change["conditions"] = conditions_with(api::VolcanoJobStatusView(*snapshot.job.status), phase, at, draft);
  if (!is_final(phase) && phase != JobPhase::Aborted) return;
  const auto created = text::parse_time(api::ObjectView(*snapshot.job.object).metadata().creation_timestamp());
  if (!created || !created->is_set()) return;
  const int64_t seconds = std::max<int64_t>(0, (now - *created).nanos / 1'000'000'000);
  change["runningDuration"] = text::format_duration(Duration::seconds(seconds));
}

// Answers to evictions whose place has been filled again say nothing more. Dropped along with other changes only.
void drop_old_evictions(ControlledResourcesChange& memory, const JobSnapshot& snapshot) {
  for (const auto& entry : *snapshot.job.controlled_resources) {
    const std::string_view key = entry.key();
    if (!key.starts_with(kEvictedPrefix) || memory.contains(key)) continue;
    const auto pod = snapshot.seen.pods.find(key.substr(kEvictedPrefix.size()));
    const bool filled = pod != snapshot.seen.pods.end() && pod->second.uid != remembered(snapshot.job, key);
    if (filled) memory[std::string(key)] = std::nullopt;
  }
}

}  // namespace

std::optional<text::Object> status_change(const JobSnapshot& snapshot, const JobStatusDraft& draft, Instant now) {
  const JobView& job = snapshot.job;
  const api::VolcanoJobStatusView status(*job.status);
  text::Object change;
  text::Object state;
  if (draft.phase != snapshot.phase) put_phase(change, state, snapshot, draft, now);
  put_text(state, "reason", status.state().reason(), draft.reason);
  put_text(state, "message", status.state().message(), draft.message);
  // With the words of the state, never by itself: a CRD without these members would drop them each time.
  if (draft.about_wait && !state.empty() && draft.phase == snapshot.phase) {
    change["conditions"] = conditions_with(status, draft.phase, begun_at(status, draft.phase), draft);
  }
  if (!state.empty()) change["state"] = std::move(state);
  put_number(change, "version", status.version(), draft.version);
  put_number(change, "retryCount", status.retry_count(), draft.retry_count);
  if (is_working(draft.phase)) put_number(change, "minAvailable", status.min_available(), job.min_available);
  const Counted counted = counted_of(snapshot, draft);
  const PodCounts& counts = counted.counts;
  put_number(change, "pending", status.pending(), counts.pending);
  put_number(change, "running", status.running(), counts.running);
  const Ending ending = ending_of(snapshot, draft);
  if (ending == Ending::Over) {
    put_at_least(change, "succeeded", status.succeeded(), snapshot.effective.succeeded);
    put_at_least(change, "failed", status.failed(), snapshot.effective.failed);
  } else {
    const PodCounts& ended = ending == Ending::Ends ? snapshot.effective : counts;
    put_number(change, "succeeded", status.succeeded(), ended.succeeded);
    put_number(change, "failed", status.failed(), ended.failed);
  }
  put_number(change, "terminating", status.terminating(), counts.terminating);
  put_number(change, "unknown", status.unknown(), counts.unknown);
  put_task_counts(change, snapshot, counted.tasks, ending);
  ControlledResourcesChange memory = draft.memory;
  if (draft.reason && !draft.about_wait) memory[std::string(kWaiting)] = std::nullopt;
  put_memory(change, job, memory);
  if (change.empty()) return std::nullopt;
  drop_old_evictions(memory, snapshot);
  if (draft.no_command && !memory.contains(kCommandDone)) memory[std::string(kCommandDone)] = std::nullopt;
  put_memory(change, job, memory);
  return change;
}

void write_status(loop::WritePlan& plan, const JobSnapshot& snapshot, const JobStatusDraft& draft, Instant now) {
  if (auto change = status_change(snapshot, draft, now)) {
    plan.write(patch_status(VolcanoKind::Job, *snapshot.job.object, std::move(*change), RefuseIf::Changed));
  }
}

}  // namespace basalt::volcano
