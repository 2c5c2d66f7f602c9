// The interpreter of a life-cycle scenario: a LifeCluster, and the lines that make things happen in it
// (docs/guides/scenarios.md, "Life cycle", is the reference).
//
// After each line everything comes to rest, at one point in time. What the API server refuses is no error: it is
// kept, for the file to expect.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/life/job_drafts.h"
#include "lab/life/life_cluster.h"
#include "lab/life/life_kinds.h"
#include "lab/scenario/scenario_script.h"

namespace basalt::lab {

inline constexpr int64_t kMaxNamesOfRange = 1000;

class LifeInterpreter {
 public:
  LifeInterpreter();  // in memory, at rest
  explicit LifeInterpreter(std::unique_ptr<LifeBackend> backend);

  // An error: the line cannot be played; it says what to write instead.
  [[nodiscard]] Result<void> apply(const lab::scenario::ScriptLine& line);

  [[nodiscard]] LifeCluster& cluster() { return cluster_; }
  // Why the server refused what the last line wanted; "": it did not.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  // Writes of the controllers since the last line began, events left out.
  [[nodiscard]] size_t writes() { return cluster_.controller_client().writes() - writes_before_; }

  // The object, or nullptr.
  [[nodiscard]] client::ObjectPtr object(const LifeKind& kind, std::string_view name);
  // Pods of a job ("name" or "namespace/name") in the order of their names, numbers by value; task "*": of all tasks.
  [[nodiscard]] std::vector<client::ObjectPtr> pods_of(std::string_view job, std::string_view task);

 private:
  using ScriptLine = lab::scenario::ScriptLine;
  struct Verb {
    std::string_view name;
    Result<void> (LifeInterpreter::*run)(const ScriptLine&);
  };
  static const std::vector<Verb>& verbs();

  // object_lines.cc
  Result<void> add_queue(const ScriptLine& line);
  Result<void> add_namespace(const ScriptLine& line);
  Result<void> add_priority_class(const ScriptLine& line);
  Result<void> submit(const ScriptLine& line);
  Result<void> add_cron(const ScriptLine& line);
  Result<void> add_template(const ScriptLine& line);
  Result<void> apply_text(const ScriptLine& line);
  Result<void> edit(const ScriptLine& line);
  Result<void> scale(const ScriptLine& line);
  Result<void> remove(const ScriptLine& line);
  Result<void> command(const ScriptLine& line);
  // event_lines.cc
  Result<void> pod(const ScriptLine& line);
  Result<void> pods(const ScriptLine& line);
  Result<void> evict(const ScriptLine& line);
  Result<void> group(const ScriptLine& line);
  Result<void> hold(const ScriptLine& line);
  Result<void> admit(const ScriptLine& line);
  Result<void> after(const ScriptLine& line);
  Result<void> crash(const ScriptLine& line);
  Result<void> slow_deletion(const ScriptLine& line);
  Result<void> vanish(const ScriptLine& line);

  Result<void> create(const LifeKind& kind, text::Object object);
  Result<void> ask(api::Call call);  // a refusal is kept
  Result<void> report(std::string_view ns, std::string_view name, const ScriptLine& line);
  Result<void> set_group_phase(const std::string& job, std::string_view phase);

  LifeCluster cluster_;
  JobDrafts drafts_;
  std::string refusal_;
  size_t writes_before_ = 0;
};

// The words of a line from `first` on that are not key=value.
[[nodiscard]] std::vector<std::string> bare_words(const lab::scenario::ScriptLine& line, size_t first);

}  // namespace basalt::lab
