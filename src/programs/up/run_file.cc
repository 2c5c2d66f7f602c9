#include "programs/up/run_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "kube/api/age_text.h"
#include "kube/api/object_fields.h"
#include "kube/net/private_file.h"
#include "kube/text/json.h"
#include "kube/text/read_file.h"
#include "kube/text/rfc3339.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxProcFile = 4096;
constexpr size_t kFieldsBeforeStart = 19;  // of /proc/PID/stat, behind the name: the state is the first of them

fs::path run_file_of(const fs::path& state) { return state / "run.json"; }

std::string boot_name() {
  const auto text = text::read_file("/proc/sys/kernel/random/boot_id", kMaxProcFile);
  return text ? text->substr(0, text->find('\n')) : "unknown";
}

Result<ServingProcess> read_running(std::string_view text, const fs::path& file) {
  const auto value = text::parse_json(text);
  if (!value) return std::unexpected(value.error().within(file.string()));
  if (!value->is_object()) return invalid(file.string() + ": is no object");
  const text::Object& object = value->get_object();
  const int64_t pid = api::int_at(object, {"pid"});
  const int64_t started = api::int_at(object, {"started"});
  if (pid <= 1 || started < 0) return invalid(file.string() + ": names no process");
  const text::Value* ephemeral = object.if_contains("ephemeral");
  return ServingProcess{.process = {.pid = static_cast<pid_t>(pid),
                                    .started = static_cast<uint64_t>(started),
                                    .boot = std::string(api::string_at(object, "boot"))},
                        .url = std::string(api::string_at(object, "url")),
                        .kubeconfig = std::string(api::string_at(object, "kubeconfig")),
                        .since = api::time_at(object, {"since"}),
                        .ephemeral = ephemeral != nullptr && ephemeral->is_bool() && ephemeral->get_bool()};
}

}  // namespace

std::optional<ProcessIdentity> identity_of_process(pid_t pid) {
  const auto stat = text::read_file(fmt::format("/proc/{}/stat", pid), kMaxProcFile);
  if (!stat) return std::nullopt;
  // "123 (name with ) and blanks) S 1 …": what counts begins behind the last bracket.
  const size_t bracket = stat->rfind(')');
  if (bracket == std::string::npos || bracket + 2 >= stat->size()) return std::nullopt;
  std::string_view rest = std::string_view(*stat).substr(bracket + 2);
  if (rest.starts_with('Z') || rest.starts_with('X')) return std::nullopt;
  for (size_t i = 0; i < kFieldsBeforeStart; ++i) {
    const size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(blank + 1);
  }
  ProcessIdentity name{.pid = pid, .boot = boot_name()};
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), name.started);
  if (problem != std::errc()) return std::nullopt;
  return name;
}

bool is_alive(const ProcessIdentity& process) { return identity_of_process(process.pid) == process; }

Result<void> write_run_file(const fs::path& state, const ServingProcess& running) {
  const text::Object object{{"pid", static_cast<int64_t>(running.process.pid)},
                            {"started", static_cast<int64_t>(running.process.started)},
                            {"boot", running.process.boot},
                            {"url", running.url},
                            {"kubeconfig", running.kubeconfig.string()},
                            {"since", text::format_time(running.since)},
                            {"ephemeral", running.ephemeral}};
  return net::write_private_file(run_file_of(state), text::to_json(object) + "\n");
}

void remove_run_file(const fs::path& state) {
  const auto running = find_running(state);
  if (!running || !*running || (*running)->process.pid != ::getpid()) return;
  std::error_code ignored;
  fs::remove(run_file_of(state), ignored);
}

Result<std::optional<ServingProcess>> find_running(const fs::path& state) {
  const fs::path file = run_file_of(state);
  const auto text = net::read_private_file(file);
  if (!text && text.error().code == ErrorCode::NotFound) return std::nullopt;
  if (!text) return std::unexpected(text.error());
  auto running = read_running(*text, file);
  if (!running) return std::unexpected(running.error());
  if (!is_alive(running->process)) return std::nullopt;
  return std::move(*running);
}

}  // namespace basalt::up
