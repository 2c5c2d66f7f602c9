// Lines that say what pods, scheduler, time and fate do.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"
#include "lab/life/life_interpreter.h"
#include "lab/scenario/line_fields.h"
#include "lab/scenario/scenario_cluster.h"

namespace basalt::lab {
namespace {

using lab::scenario::LineFields;

constexpr std::array<std::string_view, 5> kPhases = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};

// The key=value words of a line, apart from names before them.
LineFields facts_of(const lab::scenario::ScriptLine& line) {
  size_t first = 1;
  while (first < line.words.size() && !line.words[first].has_value) ++first;
  return {line, first};
}

Result<void> check_phase(const std::string& phase) {
  if (std::ranges::find(kPhases, phase) != kPhases.end()) return {};
  return invalid(fmt::format("\"{}\" is no phase of a pod; there are: {}", phase, fmt::join(kPhases, " ")));
}

}  // namespace

Result<void> LifeInterpreter::report(std::string_view ns, std::string_view name, const ScriptLine& line) {
  LineFields fields = facts_of(line);
  const std::string phase = bare_words(line, 1).back();
  const LifePodReport report{.phase = phase,
                             .exit_code = fields.number32("exit", 0),
                             .restarts = fields.number32("restarts", 0),
                             .ready = fields.boolean("ready", true)};
  if (auto done = fields.finish(); !done) return done;
  if (auto done = cluster_.report(ns, name, report); !done) return invalid(done.error().message);
  return {};
}

Result<void> LifeInterpreter::pod(const ScriptLine& line) {
  std::vector<std::string> words = bare_words(line, 1);
  if (words.size() < 2) return invalid("which pods are in which phase? write: pod j1-worker-0..2 Running");
  if (auto good = check_phase(words.back()); !good) return good;
  words.pop_back();
  const LifeKind& kind = **life_kind("pod");
  for (const std::string& word : words) {
    const auto names = lab::scenario::expand_range(word, kMaxNamesOfRange);
    if (!names) return std::unexpected(names.error());
    for (const std::string& one : *names) {
      const auto [ns, name] = life_name(kind, one);
      if (auto done = report(ns, name, line); !done) return done;
    }
  }
  return {};
}

Result<void> LifeInterpreter::pods(const ScriptLine& line) {
  const std::vector<std::string> words = bare_words(line, 1);
  if (words.size() != 3) return invalid("whose pods? write: pods j1 worker Running, or: pods j1 * Running");
  if (auto good = check_phase(words[2]); !good) return good;
  const std::vector<client::ObjectPtr> seen = pods_of(words[0], words[1]);
  if (seen.empty()) return invalid(fmt::format("job {} has no pods of task {}", words[0], words[1]));
  for (const client::ObjectPtr& pod : seen) {
    const text::Object& root = pod->get_object();
    if (auto done = report(api::namespace_of(root), api::name_of(root), line); !done) return done;
  }
  return {};
}

Result<void> LifeInterpreter::evict(const ScriptLine& line) {
  const std::vector<std::string> words = bare_words(line, 1);
  if (words.empty()) return invalid("which pods? write: evict j1-worker-0");
  const LifeKind& kind = **life_kind("pod");
  for (const std::string& word : words) {
    const auto names = lab::scenario::expand_range(word, kMaxNamesOfRange);
    if (!names) return std::unexpected(names.error());
    for (const std::string& one : *names) {
      const auto [ns, name] = life_name(kind, one);
      if (cluster_.get(kind.resource(), ns, name) == nullptr) return invalid(fmt::format("there is no pod {}", one));
      api::Call call{.verb = api::Verb::Create, .resource = kind.resource()};
      call.namespace_name = ns;
      call.name = name;
      call.subresource = "eviction";
      call.body = text::Object{{"apiVersion", "policy/v1"},
                               {"kind", "Eviction"},
                               {"metadata", text::Object{{"name", name}, {"namespace", ns}}}};
      if (auto done = ask(std::move(call)); !done) return done;
    }
  }
  return {};
}

Result<void> LifeInterpreter::set_group_phase(const std::string& job, std::string_view phase) {
  const LifeKind& kind = **life_kind(kGroupWord);
  const client::ObjectPtr seen = object(kind, job);
  if (seen == nullptr) return invalid(fmt::format("job {} has no PodGroup", job));
  api::Call call{.verb = api::Verb::Patch, .resource = kind.resource()};
  call.namespace_name = api::namespace_of(seen->get_object());
  call.name = api::name_of(seen->get_object());
  call.body = text::Object{{"status", text::Object{{"phase", phase}}}};
  return ask(std::move(call));
}

Result<void> LifeInterpreter::group(const ScriptLine& line) {
  const std::vector<std::string> words = bare_words(line, 1);
  if (words.size() != 2) return invalid("whose PodGroup gets which phase? write: group j1 Unknown");
  return set_group_phase(words[0], words[1]);
}

Result<void> LifeInterpreter::hold(const ScriptLine& line) {
  if (line.words.size() != 1) return invalid("\"hold\" stands alone");
  cluster_.enqueues = false;
  return {};
}

Result<void> LifeInterpreter::admit(const ScriptLine& line) {
  const std::vector<std::string> jobs = bare_words(line, 1);
  if (jobs.empty()) cluster_.enqueues = true;
  for (const std::string& job : jobs) {
    if (auto done = set_group_phase(job, "Inqueue"); !done) return done;
  }
  return {};
}

Result<void> LifeInterpreter::after(const ScriptLine& line) {
  if (line.words.size() != 2) return invalid("how long? write: after 30s");
  const auto length = lab::scenario::parse_length(line.words[1].text);
  if (!length) return std::unexpected(length.error());
  return cluster_.advance(*length);
}

Result<void> LifeInterpreter::crash(const ScriptLine& line) {
  if (line.words.size() == 1) {
    cluster_.crash();
    return {};
  }
  const bool shaped =
      line.words.size() == 4 && line.words[1].text == "after" && line.words[3].text.starts_with("write");
  const text::Value writes = shaped ? text::plain_scalar(line.words[2].text) : text::Value();
  if (!writes.is_int64() || writes.get_int64() < 0) return invalid("write: crash, or: crash after 3 writes");
  cluster_.controller_client().crash_after(static_cast<size_t>(writes.get_int64()));
  return {};
}

Result<void> LifeInterpreter::slow_deletion(const ScriptLine& line) {
  if (line.words.size() != 1) return invalid("\"slow-deletion\" stands alone");
  cluster_.ends_pods = false;
  return {};
}

Result<void> LifeInterpreter::vanish(const ScriptLine& line) {
  if (line.words.size() != 1) return invalid("\"vanish\" stands alone");
  cluster_.finish_deletions();
  return {};
}

}  // namespace basalt::lab
