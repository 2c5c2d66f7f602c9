// Searches for victims that found nothing, within one run of an action.
//
// A search is repeated in vain as long as no task was placed or evicted, for every preemptor that is like the first:
// the same class, queue, priorities and flags, and a job that holds nothing yet (one that holds something is like
// itself alone). So of a crowd of equal jobs that nobody may be evicted for, one searches.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "engine/core/class_key.h"
#include "engine/core/session.h"

namespace basalt::actions {

class FailedSearches {
 public:
  explicit FailedSearches(engine::Session& session) : session_(session) {}

  [[nodiscard]] bool covers(model::TaskId task);
  void remember(model::TaskId task);

 private:
  void forget_outdated();
  const std::string& key_of(model::TaskId task);

  engine::Session& session_;
  uint64_t touches_ = 0;  // the state in which they failed
  std::unordered_set<std::string> failed_;
  engine::ClassKey scratch_;
};

}  // namespace basalt::actions
