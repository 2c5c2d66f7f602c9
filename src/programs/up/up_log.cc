#include "programs/up/up_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "kube/text/log_text.h"

namespace basalt::up {
namespace {

// Standard error or the file, which is made for its owner only before anybody can write to it.
Result<spdlog::sink_ptr> open_sink(const std::string& file) {
  if (file == "-") return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
  if (descriptor < 0) return failure(ErrorCode::Io, "--access-log: " + file + ": " + std::strerror(errno));
  ::close(descriptor);
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
  } catch (const spdlog::spdlog_ex& error) {
    return failure(ErrorCode::Io, "--access-log: " + std::string(error.what()));
  }
}

std::string value(std::string_view text) { return text::log_value(text, kMaxAccessValueBytes); }

std::string access_line(const server::AccessLogEntry& entry) {
  std::string line = fmt::format("method={} target={} status={} seconds={:.6f} user={} peer={} agent={}",
                                 value(entry.method), value(entry.target), entry.status, entry.seconds,
                                 value(entry.user), value(entry.peer), value(entry.agent));
  if (!entry.acting_as.empty()) line += " as=" + value(entry.acting_as);
  if (entry.phase == server::AccessPhase::Begins) line += " phase=begins";
  if (entry.phase == server::AccessPhase::Ended) line += " phase=ended";
  return line;
}

}  // namespace

LogLineFunction open_log() {
  auto log = std::make_shared<spdlog::logger>("basalt", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  log->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %L %v", spdlog::pattern_time_type::utc);
  return [log](bool warning, const std::string& line) {
    log->log(warning ? spdlog::level::warn : spdlog::level::info, "{}", text::log_text(line, kMaxLogLineBytes));
  };
}

Result<server::AccessLog> open_access_log(const std::string& file) {
  auto sink = open_sink(file);
  if (!sink) return std::unexpected(sink.error());
  auto log = std::make_shared<spdlog::logger>("access", std::move(*sink));
  log->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %v", spdlog::pattern_time_type::utc);
  log->flush_on(spdlog::level::info);
  return [log](const server::AccessLogEntry& entry) { log->info("{}", access_line(entry)); };
}

}  // namespace basalt::up
