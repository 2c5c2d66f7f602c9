#include "kube/client/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "kube/text/prometheus.h"

namespace basalt::client {
namespace {

using text::append_value;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

void append_files(std::string& out) {
  std::error_code problem;
  const std::filesystem::directory_iterator files("/proc/self/fd", problem);
  if (!problem) {
    append_value(out, "process_open_fds", "gauge", "Open files.",
                 static_cast<double>(std::distance(begin(files), end(files))));
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    append_value(out, "process_max_fds", "gauge", "Files that may be open.", static_cast<double>(limit.rlim_cur));
  }
}

}  // namespace

void append_process_metrics(std::string& out, double start_seconds) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    append_value(out, "process_cpu_seconds_total", "counter", "CPU time, user and system.",
                 seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
  }
  uint64_t virtual_pages = 0, resident_pages = 0;
  if (std::ifstream statm("/proc/self/statm"); statm >> virtual_pages >> resident_pages) {
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    append_value(out, "process_resident_memory_bytes", "gauge", "Memory in use.",
                 static_cast<double>(resident_pages) * page);
    append_value(out, "process_virtual_memory_bytes", "gauge", "Address space in use.",
                 static_cast<double>(virtual_pages) * page);
  }
  append_files(out);
  append_value(out, "process_start_time_seconds", "gauge", "Start of the process since the Unix epoch.", start_seconds);
}

}  // namespace basalt::client
