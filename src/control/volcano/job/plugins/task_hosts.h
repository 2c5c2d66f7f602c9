// The hosts of a job's tasks, by the names under which their pods find each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/volcano/job/expand/job_view.h"
#include "control/volcano/job/plugins/job_plugin.h"

namespace basalt::volcano {

// One per replica; one at all when the template fixes the hostname, for then all pods share it.
[[nodiscard]] int64_t host_count(const TaskView& task);
// "<hostname>.<subdomain>" of each. Requires: host_count(task) <= kMaxListedHosts.
[[nodiscard]] std::vector<std::string> task_hosts(const JobView& job, const TaskView& task);

// An error when the pods of all tasks are more than kMaxListedHosts. `plugin` is named in it.
[[nodiscard]] Result<void> check_host_count(const JobView& job, std::string_view plugin);

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);

// "ps-a" → "PS_A", as part of the name of a variable.
[[nodiscard]] std::string variable_part(std::string_view task);

// Does the container say `variable` in its command, arguments or the values of its variables? As a whole word:
// VC_PS_HOST is not in VC_PS_HOSTS.
[[nodiscard]] bool mentions(const text::Object& container, std::string_view variable);

}  // namespace basalt::volcano
