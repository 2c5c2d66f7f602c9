// The stage of a life-cycle scenario: a LifeWorld, and the lines that make things happen in it
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
#include "lab/life/life_kinds.h"
#include "lab/life/life_world.h"
#include "lab/scenario/script.h"

namespace basalt::lab {

inline constexpr int64_t kMaxNamesOfRange = 1000;

class LifeStage {
 public:
  LifeStage();  // in memory, at rest
  explicit LifeStage(std::unique_ptr<LifeGround> ground);

  // An error: the line cannot be played; it says what to write instead.
  [[nodiscard]] Result<void> apply(const lab::scenario::Line& line);

  [[nodiscard]] LifeWorld& world() { return world_; }
  // Why the server refused what the last line wanted; "": it did not.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  // Writes of the controllers since the last line began, events left out.
  [[nodiscard]] size_t writes() { return world_.controller_client().writes() - writes_before_; }

  // The object, or nullptr.
  [[nodiscard]] client::ObjectPtr object(const LifeKind& kind, std::string_view name);
  // Pods of a job ("name" or "namespace/name") in the order of their names, numbers by value; task "*": of all tasks.
  [[nodiscard]] std::vector<client::ObjectPtr> pods_of(std::string_view job, std::string_view task);

 private:
  using Line = lab::scenario::Line;
  struct Verb {
    std::string_view name;
    Result<void> (LifeStage::*run)(const Line&);
  };
  static const std::vector<Verb>& verbs();

  // object_lines.cc
  Result<void> add_queue(const Line& line);
  Result<void> add_namespace(const Line& line);
  Result<void> add_priority_class(const Line& line);
  Result<void> submit(const Line& line);
  Result<void> add_cron(const Line& line);
  Result<void> add_template(const Line& line);
  Result<void> apply_text(const Line& line);
  Result<void> edit(const Line& line);
  Result<void> scale(const Line& line);
  Result<void> remove(const Line& line);
  Result<void> command(const Line& line);
  // event_lines.cc
  Result<void> pod(const Line& line);
  Result<void> pods(const Line& line);
  Result<void> evict(const Line& line);
  Result<void> group(const Line& line);
  Result<void> hold(const Line& line);
  Result<void> admit(const Line& line);
  Result<void> after(const Line& line);
  Result<void> crash(const Line& line);
  Result<void> slow_deletion(const Line& line);
  Result<void> vanish(const Line& line);

  Result<void> create(const LifeKind& kind, text::Object object);
  Result<void> ask(api::Call call);  // a refusal is kept
  Result<void> report(std::string_view space, std::string_view name, const Line& line);
  Result<void> set_group_phase(const std::string& job, std::string_view phase);

  LifeWorld world_;
  JobDrafts drafts_;
  std::string refusal_;
  size_t writes_before_ = 0;
};

// The words of a line from `first` on that are not key=value.
[[nodiscard]] std::vector<std::string> bare_words(const lab::scenario::Line& line, size_t first);

}  // namespace basalt::lab
