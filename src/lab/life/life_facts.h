// What is in the cluster of a life-cycle scenario, as the words of expect lines. What is not there reads "none".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lab/life/life_interpreter.h"

namespace basalt::lab {

[[nodiscard]] std::string life_job_phase(LifeInterpreter& interpreter, std::string_view job);
[[nodiscard]] std::string life_queue_state(LifeInterpreter& interpreter, std::string_view queue);
// A number of the job's status; one that is not written is 0.
enum class LifeJobNumber : uint8_t { Version, RetryCount };
[[nodiscard]] std::string life_job_number(LifeInterpreter& interpreter, std::string_view job, LifeJobNumber number);
// Pods of the job, without its name: "worker-0", or "worker-0:Running" with phases. A pod that is being deleted is
// Terminating.
[[nodiscard]] std::vector<std::string> life_pods(LifeInterpreter& interpreter, std::string_view job, bool phases);
// The counts of the job's status that are not 0: "running=2".
[[nodiscard]] std::vector<std::string> life_counts(LifeInterpreter& interpreter, std::string_view job);
// Reason and message of the events about an object of that name.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> life_events(LifeInterpreter& interpreter,
                                                                           std::string_view name);
// All objects of a kind, in the order of their names: "name", or "namespace/name" outside of "default".
[[nodiscard]] std::vector<std::string> life_names(LifeInterpreter& interpreter, const LifeKind& kind);
// What a JSON path leads to, several values with blanks between; an error is about the path.
[[nodiscard]] Result<std::string> life_field(LifeInterpreter& interpreter, const LifeKind& kind, std::string_view name,
                                             std::string_view path);

}  // namespace basalt::lab
