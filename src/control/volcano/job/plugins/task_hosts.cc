#include "control/volcano/job/plugins/task_hosts.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/api/rules/member_access.h"
#include "kube/api/views/container_view.h"

namespace basalt::volcano {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace

int64_t host_count(const TaskView& task) {
  return task.hostname.empty() ? task.replicas : std::min<int64_t>(task.replicas, 1);
}

std::vector<std::string> task_hosts(const JobView& job, const TaskView& task) {
  std::vector<std::string> hosts;
  const int64_t count = host_count(task);
  hosts.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) hosts.push_back(host_name(job, task, i));
  return hosts;
}

Result<void> check_host_count(const JobView& job, std::string_view plugin) {
  const int64_t hosts = job.total_replicas();
  if (hosts <= kMaxListedHosts) return {};
  return invalid(
      fmt::format("plugin {} lists the hosts of a job, and {} are too many: lower the replicas below {} or "
                  "leave the plugin out",
                  plugin, hosts, kMaxListedHosts));
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string variable_part(std::string_view task) {
  std::string out(task);
  for (char& c : out) {
    if (c == '-') c = '_';
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

bool mentions(const text::Object& container, std::string_view variable) {
  bool found = false;
  for (const std::string_view list : {"command", "args"}) {
    api::rules::each_string(container, list,
                            [&](std::string_view word, size_t) { found = found || has_word(word, variable); });
  }
  api::rules::each_object(container, "env", [&](const text::Object& one, size_t) {
    found = found || has_word(api::EnvVarView(one).value(), variable);
  });
  return found;
}

}  // namespace basalt::volcano
