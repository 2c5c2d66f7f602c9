#include "programs/cli/vcctl/job_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "kube/api/age_text.h"
#include "kube/api/job_phase.h"
#include "kube/api/object_fields.h"
#include "kube/api/volcano_keys.h"

namespace basalt::cli::vcctl {
namespace {

constexpr int kNoCodeKnown = 1;

bool has_started(const text::Object& pod) {
  const std::string_view phase = api::string_at(pod, {"status", "phase"});
  return phase == "Running" || phase == "Succeeded" || phase == "Failed";
}

bool has_ended(const text::Object& pod) {
  const std::string_view phase = api::string_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

// The logs of a job's pods, each byte shown once. A pod is known by its uid: one that is made again has a log of its
// own.
class PodLogs {
 public:
  PodLogs(CommandSession& session, std::string namespace_name)
      : session_(session), namespace_name_(std::move(namespace_name)) {}

  void show(const text::Object& pod, bool with_name) {
    Seen& seen = seen_[std::string(api::string_at(pod, {"metadata", "uid"}))];
    if (seen.whole || !has_started(pod)) return;
    const bool ended = has_ended(pod);  // before the log is read: then the log is whole
    const auto log = session_.log(namespace_name_, api::name_of(pod));
    if (!log) {
      if (ended) session_.terminal.err << fmt::format("no log of pod {}: {}\n", api::name_of(pod), log.error().message);
      seen.whole = ended;
      return;
    }
    if (log->size() < seen.bytes) seen.bytes = 0;  // the node has begun a new file
    std::string_view rest = std::string_view(*log).substr(seen.bytes);
    if (!ended) rest = rest.substr(0, rest.rfind('\n') + 1);  // whole lines; npos + 1 is 0
    seen.bytes += rest.size();
    seen.whole = ended;
    write(rest, with_name ? fmt::format("[{}] ", api::name_of(pod)) : "");
  }

 private:
  struct Seen {
    size_t bytes = 0;    // shown
    bool whole = false;  // nothing more comes
  };

  // As it is: what a job writes is its own, as with `kubectl logs`.
  void write(std::string_view text, const std::string& prefix) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      session_.terminal.out << prefix << text.substr(0, end) << '\n';
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    session_.terminal.out << std::flush;
  }

  CommandSession& session_;
  const std::string namespace_name_;
  std::map<std::string, Seen> seen_;  // by uid
};

// The first failure of a job: pods that failed may be gone when the job is over, so they are noted as they are seen.
class FirstFailure {
 public:
  void note(const text::Object& pod) {
    const text::Array* states = api::array_at(pod, {"status", "containerStatuses"});
    for (size_t i = 0; states != nullptr && i < states->size(); ++i) {
      if (!(*states)[i].is_object()) continue;
      const text::Object& state = (*states)[i].get_object();
      const int64_t code = api::int_at(state, {"state", "terminated", "exitCode"});
      const Instant at = api::time_at(state, {"state", "terminated", "finishedAt"});
      if (code <= 0 || code > 255 || (code_ != 0 && at_ <= at)) continue;
      code_ = static_cast<int>(code);
      at_ = at;
    }
  }
  [[nodiscard]] int code() const { return code_ == 0 ? kNoCodeKnown : code_; }

 private:
  int code_ = 0;  // 0: none was seen
  Instant at_;
};

// A line for each phase that the job comes to, with what its controller says about it.
void tell_phase(CommandSession& session, const text::Object& job, std::string& last) {
  const std::string_view phase = api::string_at(job, {"status", "state", "phase"});
  const std::string_view message = api::string_at(job, {"status", "state", "message"});
  if (phase.empty()) return;
  std::string line = fmt::format("job {} is {}{}{}", api::key_of(job), phase, message.empty() ? "" : ": ", message);
  if (line == last) return;
  session.terminal.err << printable(line) << '\n';
  last = std::move(line);
}

}  // namespace

Result<int> wait_for_job(CommandSession& session, const std::string& namespace_name, const std::string& name) {
  PodLogs logs(session, namespace_name);
  FirstFailure failed;
  std::string told;
  for (;;) {
    // The job first: when it is over, the pods that are listed after that have ended too, or are being removed.
    const auto job = session.get(kJob, namespace_name, name);
    if (!job) return std::unexpected(job.error());
    const std::string phase(api::string_at((*job)->get_object(), {"status", "state", "phase"}));
    const auto pods = session.list(kPod, {.namespace_name = namespace_name,
                                          .label_selector = fmt::format("{} in ({})", api::keys::kJobName, name)});
    if (!pods) return std::unexpected(pods.error());
    for (const client::ObjectPtr& pod : pods->items) {
      logs.show(pod->get_object(), pods->items.size() > 1);
      failed.note(pod->get_object());
    }
    tell_phase(session, (*job)->get_object(), told);
    if (api::is_stopped_job(phase)) return phase == "Completed" ? 0 : failed.code();
    if (!session.terminal.out) return failure(ErrorCode::Io, "nobody reads the logs any more");
    if (session.terminal.pause) session.terminal.pause(kPollInterval);
  }
}

}  // namespace basalt::cli::vcctl
