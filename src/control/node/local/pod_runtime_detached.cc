// Containers that outlive the node: what is noted about a run, and how the next node takes it over.
#include <charconv>
#include <csignal>
#include <utility>

#include "control/node/local/pod_runtime.h"
#include "kube/api/object_fields.h"
#include "kube/client/wall_clock.h"

namespace basalt::node {
namespace {

constexpr std::string_view kDevicesVariable = "CUDA_VISIBLE_DEVICES=";

text::Array texts(const std::vector<std::string>& list) {
  text::Array out;
  for (const std::string& one : list) out.emplace_back(one);
  return out;
}

text::Object security_note(const ProcessSecurity& security) {
  text::Array groups;
  for (const gid_t group : security.groups) groups.emplace_back(static_cast<int64_t>(group));
  return {{"groups", std::move(groups)},
          {"capabilities", std::to_string(security.capabilities)},
          {"noNewPrivileges", security.no_new_privileges},
          {"filtered", security.filtered},
          {"readOnlyRoot", security.read_only_root},
          {"hostDevices", security.host_devices},
          {"unmaskedProc", security.unmasked_proc},
          {"hostIPC", security.host_ipc}};
}

ProcessSecurity security_from(const text::Object& note) {
  ProcessSecurity security;
  if (const text::Array* groups = api::array_at(note, {"groups"})) {
    for (const text::Value& group : *groups) {
      if (group.is_int64()) security.groups.push_back(static_cast<gid_t>(group.get_int64()));
    }
  }
  const std::string_view bits = api::string_at(note, "capabilities");
  security.capabilities = 0;
  std::from_chars(bits.data(), bits.data() + bits.size(), security.capabilities);
  security.no_new_privileges = api::bool_at(note, {"noNewPrivileges"});
  security.filtered = api::bool_at(note, {"filtered"});
  security.read_only_root = api::bool_at(note, {"readOnlyRoot"});
  security.host_devices = api::bool_at(note, {"hostDevices"});
  security.unmasked_proc = api::bool_at(note, {"unmaskedProc"});
  security.host_ipc = api::bool_at(note, {"hostIPC"});
  return security;
}

text::Array ports_note(const std::vector<DeclaredPort>& ports) {
  text::Array note;
  for (const DeclaredPort port : ports) {
    note.emplace_back(text::Object{{"number", int64_t{port.number}}, {"protocol", int64_t{port.protocol}}});
  }
  return note;
}

std::vector<DeclaredPort> ports_from(const text::Array& note) {
  std::vector<DeclaredPort> ports;
  for (const text::Value& one : note) {
    const text::Object* port = one.if_object();
    if (port == nullptr) continue;
    ports.push_back({.number = static_cast<uint16_t>(api::int_at(*port, {"number"})),
                     .protocol = static_cast<uint16_t>(api::int_at(*port, {"protocol"}))});
  }
  return ports;
}

// Those that the container's environment names.
std::vector<int> devices_of_run(const std::vector<std::string>& environment) {
  std::vector<int> numbers;
  for (const std::string& variable : environment) {
    if (!variable.starts_with(kDevicesVariable)) continue;
    std::string_view rest = std::string_view(variable).substr(kDevicesVariable.size());
    while (!rest.empty()) {
      int number = 0;
      const auto [end, wrong] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (wrong != std::errc()) break;
      numbers.push_back(number);
      rest.remove_prefix(std::min(static_cast<size_t>(end - rest.data()) + 1, rest.size()));
    }
  }
  return numbers;
}

}  // namespace

std::string PodRuntime::note_of(const std::string& uid, int64_t restarts, const Run& run) {
  const ProcessSpec& like = run.like;
  text::Object variables;
  for (const auto& [name, value] : run.variables) variables[name] = value;
  text::Object note{{"uid", uid},
                    {"container", run.container},
                    {"restarts", restarts},
                    {"started", client::wall_clock().nanos},
                    {"environment", texts(like.environment)},
                    {"directory", like.directory},
                    {"address", like.address},
                    {"security", security_note(like.security)},
                    {"variables", std::move(variables)},
                    {"termination", text::Object{{"file", run.termination.file.string()},
                                                 {"path", run.termination.path},
                                                 {"log", run.termination.log.string()},
                                                 {"fallsBack", run.termination.falls_back}}}};
  if (like.own_ports) note["ownPorts"] = ports_note(*like.own_ports);
  if (like.uid) note["user"] = *like.uid;
  if (like.gid) note["group"] = *like.gid;
  return text::to_json(text::Value(std::move(note)));
}

void PodRuntime::find_detached() {
  for (DetachedProcess& process : processes_.kept()) {
    const auto value = text::parse_json(process.note);
    const text::Object* note = value ? value->if_object() : nullptr;
    if (note == nullptr) continue;  // nobody claims it: it is ended
    Left left;
    left.restarts = api::int_at(*note, {"restarts"});
    left.started = Instant{api::int_at(*note, {"started"})};
    left.run.container = api::string_at(*note, "container");
    ProcessSpec& like = left.run.like;
    if (const text::Array* list = api::array_at(*note, {"environment"})) {
      for (const text::Value& one : *list) {
        if (one.is_string()) like.environment.emplace_back(one.get_string().c_str());
      }
    }
    like.directory = api::string_at(*note, "directory");
    like.address = api::string_at(*note, "address");
    if (const text::Array* ports = api::array_at(*note, {"ownPorts"})) like.own_ports = ports_from(*ports);
    if (note->contains("user")) like.uid = api::int_at(*note, {"user"});
    if (note->contains("group")) like.gid = api::int_at(*note, {"group"});
    if (const text::Object* security = api::object_at(*note, {"security"})) like.security = security_from(*security);
    like.marker = process.marker;
    if (const text::Object* variables = api::object_at(*note, {"variables"})) {
      for (const auto& entry : *variables) {
        left.run.variables[std::string(entry.key())] = api::string_at(*variables, std::string_view(entry.key()));
      }
    }
    left.run.termination = {.file = api::string_at(*note, {"termination", "file"}),
                            .path = std::string(api::string_at(*note, {"termination", "path"})),
                            .log = api::string_at(*note, {"termination", "log"}),
                            .falls_back = api::bool_at(*note, {"termination", "fallsBack"})};
    const std::string container = left.run.container;
    left_[std::string(api::string_at(*note, "uid"))].insert_or_assign(container, std::move(left));
  }
}

std::vector<DetachedRun> PodRuntime::detached_runs(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  std::vector<DetachedRun> runs;
  const auto at = left_.find(uid);
  if (at == left_.end()) return runs;
  for (const auto& [container, left] : at->second) {
    runs.push_back({.container = container,
                    .restarts = left.restarts,
                    .started = left.started,
                    .devices = devices_of_run(left.run.like.environment)});
  }
  return runs;
}

void PodRuntime::adopt(const PodRunSpec& spec, const RunId& id) {
  const RunKey key{.uid = spec.uid, .id = id};
  const std::string& container = spec.containers[id.container].name;
  std::string marker;
  {
    const std::lock_guard lock(mutex_);
    const auto at = left_.find(spec.uid);
    if (at == left_.end() || !at->second.contains(container)) return;
    Run& run = runs_[key] = std::move(at->second.at(container).run);
    at->second.erase(container);
    marker = run.like.marker;
    log_owner_[spec.namespace_name + "/" + spec.name] = spec.uid;  // its logs go on
  }
  const auto process = processes_.adopt(marker, [this, key](const ProcessExit& exit) { ended(key, exit); });
  if (!process) return ended(key, {.code = 128 + SIGKILL, .signal = SIGKILL});
  const std::lock_guard lock(mutex_);
  const auto run = runs_.find(key);  // not there: it has ended already
  if (run != runs_.end()) run->second.process = *process;
}

}  // namespace basalt::node
