#include "lab/bench/bench_kubernetes_usage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <sstream>

namespace basalt::lab {
namespace {

template <class Number>
bool read_usage_number(std::string_view text, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

Result<std::string> read_proc(const WatchedProcess& process, std::string_view file) {
  std::ifstream stream(fmt::format("/proc/{}/{}", process.pid, file));
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || text.str().empty()) {
    return failure(ErrorCode::NotFound, fmt::format("{}: there is no process {}", process.role, process.pid));
  }
  return text.str();
}

}  // namespace

Result<WatchedProcess> parse_watched(std::string_view text) {
  const size_t equals = text.find('=');
  WatchedProcess process;
  if (equals == std::string_view::npos || equals == 0 || !read_usage_number(text.substr(equals + 1), process.pid) ||
      process.pid <= 0) {
    return invalid(fmt::format("--pid wants ROLE=PID, as in scheduler=1234, not \"{}\"", text));
  }
  process.role = text.substr(0, equals);
  return process;
}

double cpu_of_stat(std::string_view text, long ticks_per_second) {
  constexpr int kUser = 14, kSystem = 15;  // fields are counted from 1; the third follows the name
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || ticks_per_second <= 0) return -1;
  std::istringstream fields(std::string(text.substr(name_end + 1)));
  std::string field;
  int64_t ticks = 0;
  for (int number = 3; number <= kSystem; ++number) {
    if (!(fields >> field)) return -1;
    int64_t value = 0;
    if (number < kUser) continue;
    if (!read_usage_number(std::string_view(field), value)) return -1;
    ticks += value;
  }
  return static_cast<double>(ticks) / static_cast<double>(ticks_per_second);
}

double mib_of_status(std::string_view text, std::string_view field) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(field) || line.size() <= field.size() || line[field.size()] != ':') continue;
    std::istringstream words(line.substr(field.size() + 1));
    double kib = 0;
    words >> kib;
    return kib / 1024;
  }
  return 0;
}

Result<ProcessUsage> usage_of(const WatchedProcess& process) {
  const auto stat = read_proc(process, "stat");
  if (!stat) return std::unexpected(stat.error());
  const auto status = read_proc(process, "status");
  if (!status) return std::unexpected(status.error());
  return ProcessUsage{.cpu_seconds = cpu_of_stat(*stat, sysconf(_SC_CLK_TCK)),
                      .resident_mib = mib_of_status(*status, "VmRSS"),
                      .peak_mib = mib_of_status(*status, "VmHWM")};
}

}  // namespace basalt::lab
