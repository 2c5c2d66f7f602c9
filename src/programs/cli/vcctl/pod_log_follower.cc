#include "programs/cli/vcctl/pod_log_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "kube/text/rfc3339.h"

namespace basalt::cli::vcctl {
namespace {

bool has_ended(api::PodView pod) { return pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed"; }

// The status of the container of that name; "": the first one.
api::ContainerStatusView status_of(api::ListView<api::ContainerStatusView> statuses, std::string_view name) {
  for (const api::ContainerStatusView status : statuses) {
    if (name.empty() || status.name() == name) return status;
  }
  return {};
}

bool has_started(api::PodView pod, api::ContainerStatusView status) {
  if (!status) return pod.status().phase() == "Running" || has_ended(pod);
  return status.state().running() || status.state().terminated() || status.restart_count() > 0;
}

}  // namespace

PodLogFollower::PodLogFollower(CommandSession& session, std::string namespace_name)
    : session_(session), namespace_name_(std::move(namespace_name)) {}

std::vector<PodLogFollower::Container> PodLogFollower::containers_of(api::PodView pod) {
  std::vector<Container> found;
  for (const api::ContainerView container : pod.spec().init_containers()) {
    // One that is restarted always runs beside the others.
    found.push_back({.name = std::string(container.name()),
                     .status = status_of(pod.status().init_container_statuses(), container.name()),
                     .is_init = container.restart_policy() != "Always"});
  }
  for (const api::ContainerView container : pod.spec().containers()) {
    found.push_back({.name = std::string(container.name()),
                     .status = status_of(pod.status().container_statuses(), container.name())});
  }
  if (found.empty()) found.push_back({.name = "", .status = status_of(pod.status().container_statuses(), "")});
  return found;
}

void PodLogFollower::show(const text::Object& object, bool with_name) {
  const api::PodView pod(object);
  const std::vector<Container> containers = containers_of(pod);
  for (const Container& container : containers) {
    std::string prefix = with_name ? std::string(pod.metadata().name()) : "";
    if (containers.size() > 1) prefix += (prefix.empty() ? "" : "/") + container.name;
    show_container(pod, container, prefix.empty() ? "" : fmt::format("[{}] ", prefix));
  }
  session_.terminal.out << std::flush;
}

void PodLogFollower::show_container(api::PodView pod, const Container& container, const std::string& prefix) {
  Shown& shown = shown_[fmt::format("{}/{}", pod.metadata().uid(), container.name)];
  if (shown.whole || !has_started(pod, container.status)) return;
  const std::string_view pod_name = pod.metadata().name();
  api::PodLogOptions options{.container = container.name, .since_time = shown.last, .timestamps = true};
  const int64_t restarts = container.status.restart_count();
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
  const api::ContainerStateTerminatedView end = container.status.state().terminated();
  const bool ended = has_ended(pod) || (container.is_init && end && end.exit_code() == 0);
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
