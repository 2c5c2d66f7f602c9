// What Prometheus' client libraries tell about every process: CPU time, memory, open files, start.
#pragma once

#include <string>

namespace basalt::client {

// `start_seconds`: when the process began, since the Unix epoch. What the system does not tell is left out.
void append_process_metrics(std::string& out, double start_seconds);

}  // namespace basalt::client
