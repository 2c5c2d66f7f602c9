// The interface between the store and the file in which committed writes are durable.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "server/store/record.h"

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
  bool frees_room = false;               // only removals: what is held in reserve may be used up
};

struct JournalFailure {
  enum class Kind : uint8_t {
    Full,     // no room; nothing was changed
    Failing,  // the disk or the file refuses; what the file holds is not known
    Lost,     // the file does not hold what was committed: only of recover()
  };
  Kind kind = Kind::Failing;
  std::string message;  // says what to do
};
using JournalResult = std::expected<void, JournalFailure>;

class Journal {
 public:
  virtual ~Journal() = default;
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // All of it or nothing. When it returns without failure the batch survives a power loss. Requires: after a failure,
  // recover() has succeeded; or the failure was Full, and the batch frees room.
  virtual JournalResult commit(const JournalBatch& batch) = 0;
  // Called after each commit, when its writers have been told: the time for work that nobody waits for.
  virtual JournalResult tidy() { return {}; }
  // After a failure, again and again: makes it fit for commits, when the disk is well. On success the file holds
  // exactly the batches whose commit() succeeded; and there is room again.
  virtual JournalResult recover() { return {}; }
};

}  // namespace basalt::store
