#include "programs/cli/vcctl/job_wait.h"

#include <fmt/format.h>

#include <ostream>

#include "kube/api/age_text.h"
#include "kube/api/job_phase.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/volcano_keys.h"
#include "programs/cli/bounded_queue.h"
#include "programs/cli/vcctl/pod_log_follower.h"

namespace basalt::cli::vcctl {
namespace {

constexpr int kNoCodeKnown = 1;
constexpr size_t kMaxHistoryEvents = 1000;

// The first failure of a job: pods that failed may be gone when the job is over, so they are noted as they are seen.
class FirstFailure {
 public:
  void note(const text::Object& pod) {
    const api::PodStatusView status = api::PodView(pod).status();
    for (const auto& containers : {status.init_container_statuses(), status.container_statuses()}) {
      for (const api::ContainerStatusView container : containers) note_end(container.state().terminated());
    }
  }
  [[nodiscard]] int code() const { return code_ == 0 ? kNoCodeKnown : code_; }

 private:
  void note_end(api::ContainerStateTerminatedView terminated) {
    const int64_t code = terminated.exit_code();
    const Instant at = api::time_of(terminated.finished_at());
    if (code <= 0 || code > 255 || (code_ != 0 && at_ <= at)) return;
    code_ = static_cast<int>(code);
    at_ = at;
  }

  int code_ = 0;  // 0: none was seen
  Instant at_;
};

std::string_view phase_of(const text::Object& job) { return api::VolcanoJobView(job).status().state().phase(); }
std::string_view uid_of(const text::Object& job) { return api::VolcanoJobView(job).metadata().uid(); }

bool is_other_job(const text::Object& left, const text::Object& right) {
  return !uid_of(left).empty() && !uid_of(right).empty() && uid_of(left) != uid_of(right);
}

// One job until its end.
class JobWait {
 public:
  JobWait(CommandSession& session, const text::Object& created)
      : session_(session),
        namespace_name_(api::namespace_of(created)),
        name_(api::name_of(created)),
        last_(created),
        logs_(session, namespace_name_) {}

  Result<int> run() {
    for (;;) {
      // The job first: when it is over, the pods that are listed after that have ended too, or are being removed.
      const auto job = session_.get(kJob, namespace_name_, name_);
      if (!job && job.error().code != ErrorCode::NotFound) return std::unexpected(job.error());
      if (!job || is_other_job((*job)->get_object(), last_)) return end_of_gone_job();
      last_ = (*job)->get_object();
      if (auto looked = look_at_pods(); !looked) return std::unexpected(looked.error());
      tell_phase();
      if (api::is_stopped_job(phase_of(last_))) return exit_code();
      if (!session_.terminal.out) return failure(ErrorCode::Io, "nobody reads the logs any more");
      if (session_.terminal.pause) session_.terminal.pause(kPollInterval);
    }
  }

 private:
  Result<void> look_at_pods() {
    const auto pods = session_.list(kPod, {.namespace_name = namespace_name_,
                                           .label_selector = fmt::format("{} in ({})", api::keys::kJobName, name_)});
    if (!pods) return std::unexpected(pods.error());
    for (const client::ObjectPtr& pod : pods->items) {
      logs_.show(pod->get_object(), pods->items.size() > 1);
      failed_.note(pod->get_object());
    }
    return {};
  }

  // A line for each phase that the job comes to, with what its controller says about it.
  void tell_phase() {
    const std::string_view phase = phase_of(last_);
    const std::string_view message = api::VolcanoJobView(last_).status().state().message();
    if (phase.empty()) return;
    std::string line = fmt::format("job {} is {}{}{}", api::key_of(last_), phase, message.empty() ? "" : ": ", message);
    if (line == told_) return;
    session_.terminal.err << printable(line) << '\n';
    told_ = std::move(line);
  }

  [[nodiscard]] int exit_code() const { return phase_of(last_) == "Completed" ? 0 : failed_.code(); }

  // Brings `last_` up to the job's last state, from the changes since it was seen; they may be forgotten already.
  void read_history() {
    using Events = BoundedQueue<client::WatchEvent>;
    const auto events = std::make_shared<Events>(kMaxHistoryEvents);
    api::Call call{.verb = api::Verb::Watch, .resource = kJob.resource(), .namespace_name = namespace_name_};
    call.name = name_;
    call.resource_version = api::VolcanoJobView(last_).metadata().resource_version();
    const auto watch =
        session_.api.watch(std::move(call), [events](client::WatchEvent event) { events->put(std::move(event)); });
    // Before `watch` goes: its thread must not wait for room that nobody makes any more.
    const std::unique_ptr<Events, void (*)(Events*)> closing(events.get(), [](Events* queue) { queue->close(); });
    for (;;) {
      const auto event = events->take_within(kMaxHistoryWait);
      if (!event || event->type == client::WatchEventType::Error) return;
      if (event->type == client::WatchEventType::Bookmark) continue;
      if (event->object == nullptr || !event->object->is_object()) return;
      if (is_other_job(event->object->get_object(), last_)) return;
      last_ = event->object->get_object();
      if (event->type == client::WatchEventType::Deleted) return;
    }
  }

  Result<int> end_of_gone_job() {
    read_history();
    tell_phase();
    const std::string phase(phase_of(last_));
    if (!api::is_stopped_job(phase) && phase != "Completing") {
      return failure(ErrorCode::NotFound, printable(fmt::format("job {} was deleted before it was over; it was last {}",
                                                                api::key_of(last_), phase.empty() ? "new" : phase)));
    }
    session_.terminal.err << printable(fmt::format("job {} is gone with its pods; the end of their logs may be missing",
                                                   api::key_of(last_)))
                          << '\n';
    return phase == "Completing" ? 0 : exit_code();
  }

  CommandSession& session_;
  const std::string namespace_name_, name_;
  text::Object last_;  // as it was seen last
  PodLogFollower logs_;
  FirstFailure failed_;
  std::string told_;
};

}  // namespace

Result<int> wait_for_job(CommandSession& session, const text::Object& created) {
  return JobWait(session, created).run();
}

}  // namespace basalt::cli::vcctl
