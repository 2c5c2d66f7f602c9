// Where committed writes go to be safe: the seam between the store and its file.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "store/record.h"

namespace basalt::store {

struct JournalEntry {
  std::string_view resource;
  const Record* record = nullptr;
};

struct JournalBatch {
  std::span<const JournalEntry> writes;  // by rising revision
  Revision compacted = 0;                // history up to here is forgotten
  Revision highest = 0;                  // that is used up, by a write that was committed or that failed
  std::span<const Revision> drop;        // rows that nothing needs any more
};

struct JournalFailure {
  std::string message;    // says what to do
  bool for_good = false;  // the file can no longer be trusted: no further commit may be tried
};

class Journal {
 public:
  virtual ~Journal() = default;
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // All of it or nothing. When it returns without failure the batch survives a power loss.
  virtual std::expected<void, JournalFailure> commit(const JournalBatch& batch) = 0;
  // Called after each commit, when its writers have been told: the time for work that nobody waits for.
  virtual void tidy() {}
};

}  // namespace basalt::store
