// The families of the server's metrics that need no counting: store, process, build.
#pragma once

#include <string>
#include <string_view>

#include "server/server_metrics.h"

namespace basalt::server {

void append_store(std::string& out, const MetricsSample& sample);
// Memory, CPU time and descriptors of this process; what the system does not tell is left out.
void append_process(std::string& out, double start_seconds, std::string_view version);

}  // namespace basalt::server
