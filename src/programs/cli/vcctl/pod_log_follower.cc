#include "programs/cli/vcctl/pod_log_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/text/rfc3339.h"

namespace basalt::cli::vcctl {
namespace {

bool has_ended(const text::Object& pod) {
  const std::string_view phase = api::string_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

// The status of the container of that name; "": the first one. Null: there is none.
const text::Object* status_of(const text::Object& pod, std::string_view list, std::string_view name) {
  const text::Array* states = api::array_at(pod, {"status", list});
  for (size_t i = 0; states != nullptr && i < states->size(); ++i) {
    if (!(*states)[i].is_object()) continue;
    const text::Object& state = (*states)[i].get_object();
    if (name.empty() || api::string_at(state, "name") == name) return &state;
  }
  return nullptr;
}

bool is_in_state(const text::Object& status, std::string_view state) {
  return api::object_at(status, {"state", state}) != nullptr;
}

bool has_started(const text::Object& pod, const text::Object* status) {
  if (status == nullptr) return api::string_at(pod, {"status", "phase"}) == "Running" || has_ended(pod);
  return is_in_state(*status, "running") || is_in_state(*status, "terminated") ||
         api::int_at(*status, {"restartCount"}) > 0;
}

}  // namespace

PodLogFollower::PodLogFollower(CommandSession& session, std::string namespace_name)
    : session_(session), namespace_name_(std::move(namespace_name)) {}

std::vector<PodLogFollower::Container> PodLogFollower::containers_of(const text::Object& pod) {
  std::vector<Container> found;
  for (const bool init : {true, false}) {
    const text::Array* listed = api::array_at(pod, {"spec", init ? "initContainers" : "containers"});
    for (size_t i = 0; listed != nullptr && i < listed->size(); ++i) {
      if (!(*listed)[i].is_object()) continue;
      const text::Object& container = (*listed)[i].get_object();
      const std::string_view name = api::string_at(container, "name");
      // One that is restarted always runs beside the others.
      found.push_back({.name = std::string(name),
                       .status = status_of(pod, init ? "initContainerStatuses" : "containerStatuses", name),
                       .is_init = init && api::string_at(container, "restartPolicy") != "Always"});
    }
  }
  if (found.empty()) found.push_back({.name = "", .status = status_of(pod, "containerStatuses", "")});
  return found;
}

void PodLogFollower::show(const text::Object& pod, bool with_name) {
  const std::vector<Container> containers = containers_of(pod);
  for (const Container& container : containers) {
    std::string prefix = with_name ? std::string(api::name_of(pod)) : "";
    if (containers.size() > 1) prefix += (prefix.empty() ? "" : "/") + container.name;
    show_container(pod, container, prefix.empty() ? "" : fmt::format("[{}] ", prefix));
  }
  session_.terminal.out << std::flush;
}

void PodLogFollower::show_container(const text::Object& pod, const Container& container, const std::string& prefix) {
  Shown& shown = shown_[fmt::format("{}/{}", api::string_at(pod, {"metadata", "uid"}), container.name)];
  if (shown.whole || !has_started(pod, container.status)) return;
  const std::string_view pod_name = api::name_of(pod);
  api::PodLogOptions options{.container = container.name, .since_time = shown.last, .timestamps = true};
  const int64_t restarts = container.status == nullptr ? 0 : api::int_at(*container.status, {"restartCount"});
  if (restarts > std::exchange(shown.restarts, restarts)) {
    options.previous = true;
    // A node that keeps no former log has nothing to add.
    if (const auto former = session_.log(namespace_name_, pod_name, options); former) {
      show_lines(*former, true, shown, prefix);
    }
    options.previous = false;
    options.since_time = shown.last;
  }
  // Known before the log is read: then the log is whole.
  const bool ended = has_ended(pod) || (container.is_init && container.status != nullptr &&
                                        is_in_state(*container.status, "terminated") &&
                                        api::int_at(*container.status, {"state", "terminated", "exitCode"}) == 0);
  const auto log = session_.log(namespace_name_, pod_name, options);
  if (log) {
    show_lines(*log, ended, shown, prefix);
  } else if (ended) {
    session_.terminal.err << fmt::format("no log of pod {}: {}\n", pod_name, log.error().message);
  }
  shown.whole = ended;
}

// As it is: what a job writes is its own, as with `kubectl logs`.
void PodLogFollower::show_lines(std::string_view text, bool is_whole, Shown& shown, const std::string& prefix) {
  if (!is_whole) text = text.substr(0, text.rfind('\n') + 1);  // whole lines; npos + 1 is 0
  const bool timed_before = !shown.last.empty();
  const Instant before = shown.last_time;
  size_t known_then = shown.lines_then, known_untimed = shown.untimed;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view stamp = line.substr(0, line.find(' '));
    const auto time = text::parse_time(stamp);
    if (!time) {
      if (known_untimed > 0) {
        --known_untimed;
        continue;
      }
      ++shown.untimed;
    } else {
      if (timed_before && *time < before) continue;
      if (timed_before && *time == before && known_then > 0) {
        --known_then;
        continue;
      }
      if (shown.last.empty() || *time > shown.last_time) {
        shown.last = stamp;
        shown.last_time = *time;
        shown.lines_then = 0;
      }
      if (*time == shown.last_time) ++shown.lines_then;
      line.remove_prefix(std::min(stamp.size() + 1, line.size()));
    }
    session_.terminal.out << prefix << line << '\n';
  }
}

}  // namespace basalt::cli::vcctl
