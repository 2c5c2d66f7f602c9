// Revisioned objects: the state of the cluster.
//
// 1. One revision counter for everything. Every write gets the next revision; a revision is never used twice, not even
//    after a crash. `latest` state orders writes; `committed` state is what readers see.
// 2. write() checks and orders at once, under the lock, against the latest state; it becomes visible to readers and
//    watchers, and its WriteCallback is called, only after the commit that holds it is on disk. Many writes share one
//    commit.
// 3. Readers never see what a crash could take back. Lists are of one revision. Events of one resource come in revision
//    order, each exactly once.
// 4. When a commit fails, its writes and all later ones that were waiting fail with the reason; the latest state falls
//    back to the committed one. Nothing is half done. Until the disk is well again (StoreHealth) reads and watches go
//    on; with a full disk removals are let through, and other writes are refused without being tried. Writing resumes
//    by itself.
// 5. History is kept within kMaxHistory… bounds: older revisions answer Expired (410). With a file, history survives a
//    restart, so watches go on where they were.
// 6. Without a file (in_memory) the contract is the same and every WriteCallback is called before write() returns, so
//    simulation stays deterministic.
//
// Threads: every function may be called from any thread. WriteCallback and wake functions run on the committing thread,
// outside the lock: they must be short and must not block on another write.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/store/record.h"

namespace basalt::store {

inline constexpr size_t kMaxHistoryEvents = 200'000;
inline constexpr size_t kMaxHistoryBytes = size_t{64} * 1024 * 1024;  // of records that only history holds
inline constexpr size_t kMaxCommitWrites = 2'000;
inline constexpr size_t kMaxCommitBytes = size_t{16} * 1024 * 1024;  // reached: the rest goes into the next commit
inline constexpr size_t kMaxWaitingWrites = 50'000;                  // more are refused as Busy
inline constexpr size_t kMaxWaitingBytes = size_t{256} * 1024 * 1024;
inline constexpr size_t kReserveBytes = size_t{256} * 1024;
inline constexpr std::chrono::milliseconds kFirstTry{250}, kLastTry{10'000};

enum class StoreErrorCode : uint8_t {
  Conflict,  // the object is not at the expected revision (or exists / does not exist)
  Expired,   // the revision is older than the kept history
  Future,    // the revision has not been reached
  Busy,      // too many writes are waiting
  Full,      // the disk has no room; only what frees some is accepted
  Broken,    // the disk refused; the message says how
};

// Whether the store can write.
struct StoreHealth {
  enum class Condition : uint8_t {
    Writable,
    Full,     // no room on the disk: only writes that free some are accepted
    Failing,  // the disk or the file refuses: no write is accepted; it is tried again and again
    Lost,     // the file no longer holds what was acknowledged, and never will: only a restart with a copy helps
  };
  Condition condition = Condition::Writable;
  std::string message;  // why not, and what to do
};

struct StoreError {
  StoreErrorCode why = StoreErrorCode::Broken;
  std::string message;
};

[[nodiscard]] inline std::unexpected<StoreError> refuse(StoreErrorCode why, std::string message) {
  return std::unexpected(StoreError{.why = why, .message = std::move(message)});
}

template <class T>
using StoreResult = std::expected<T, StoreError>;

struct StoreWrite {
  Address address;
  Revision expected = 0;    // the revision of the latest record; 0: there must be none (so a removal has one)
  bool remove = false;      // bytes: the last state, for watchers
  bool frees_room = false;  // part of a deletion: accepted on a full disk, as removals are
  std::string bytes;
  uint32_t version_at = 0;
};

struct ListRequest {
  std::string_view resource;
  std::string_view prefix;  // of the key: "namespace/" or ""
  std::string_view after;   // keys after this one only (continuation)
  Revision at = 0;          // 0: now
  size_t limit = 0;         // 0: all
  bool latest = false;      // also writes that are not committed yet, all of them: for checks that guard a write
};

struct ListPage {
  std::vector<RecordPtr> records;  // by key, in byte order
  Revision revision = 0;           // of the whole list
  bool more = false;               // the limit cut it
  size_t remaining = 0;            // how many keys were cut, when `more`
};

struct StoreOptions {
  size_t history_events = kMaxHistoryEvents;
  size_t history_bytes = kMaxHistoryBytes;
  // Of a store in a file only.
  size_t reserve_bytes = kReserveBytes;               // kept on the disk for deletions when it is full
  std::chrono::milliseconds first_retry = kFirstTry;  // after a failure; doubled again and again, up to
  std::chrono::milliseconds last_retry = kLastTry;
  std::function<void(const StoreHealth&)> on_health;  // at each change of the condition, on the committing thread
  std::string vfs;                                    // a registered VFS of SQLite; "": its own
};

using WriteCallback = std::function<void(StoreResult<RecordPtr>)>;

class Store {
 public:
  // Opens or creates the file. A file that is truncated, corrupt, of a newer format, or in use by another process is an
  // error that names the file and the remedy; nothing is repaired silently.
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& file, const StoreOptions& options = {});
  static std::unique_ptr<Store> in_memory(const StoreOptions& options = {});

  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Committed state; null: no such object.
  [[nodiscard]] virtual RecordPtr get(std::string_view resource, std::string_view key) const = 0;
  // What the next write of this object must expect: also writes that are not committed yet. Null: none, or removed.
  [[nodiscard]] virtual RecordPtr latest(std::string_view resource, std::string_view key) const = 0;
  [[nodiscard]] virtual StoreResult<ListPage> list(const ListRequest& request) const = 0;
  [[nodiscard]] virtual size_t count(std::string_view resource) const = 0;

  // Answers the ordered record at once when it is accepted (its revision is final), or why not; `done` is called
  // exactly once, with the same record when it is committed. A refused write calls `done` too, before returning.
  StoreResult<RecordPtr> write(StoreWrite write, WriteCallback done) {
    return write_steps({&write, 1}, std::move(done));
  }
  // States of one object that follow each other in one go: neighbours in revision order, in one commit. Nobody writes,
  // sees or crashes between them. The first is checked as in write(), each later one expects the one before it,
  // whatever its `expected` says. The answer and `done` are those of the last. Requires: at least one step, all of one
  // address.
  virtual StoreResult<RecordPtr> write_steps(std::span<StoreWrite> steps, WriteCallback done) = 0;

  // Up to `limit` events of a resource with a revision above `after`, oldest first, and the revision up to which the
  // answer is complete (for bookmarks). Expired when history of this resource does not reach back to `after`; Future
  // when `after` has not been reached.
  struct Events {
    std::vector<StoreEvent> events;
    Revision complete_to = 0;
  };
  [[nodiscard]] virtual StoreResult<Events> events(std::string_view resource, Revision after, size_t limit) const = 0;

  // Up to `limit` changes of a resource above `after`, oldest first: those that are committed, then those that are
  // ordered and wait for it. For caches that follow the latest state (ListRequest::latest). Expired
  // as in events(). `given_up` counts writes that were ordered and then never committed: when it has moved, what an
  // earlier answer told may not have happened.
  struct Changes {
    std::vector<RecordPtr> records;
    uint64_t given_up = 0;
  };
  [[nodiscard]] virtual StoreResult<Changes> changes(std::string_view resource, Revision after, size_t limit) const = 0;

  // Calls `wake` after each commit that holds events of the resource, until the handle dies. After the handle's
  // destruction returns, `wake` is not running and never will be.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };
  [[nodiscard]] virtual std::unique_ptr<Subscription> subscribe(std::string_view resource,
                                                                std::function<void()> wake) = 0;

  [[nodiscard]] virtual Revision revision() const = 0;  // of the last commit
  // The highest revision whose event is gone. A resource that has lost no event itself still answers below it.
  [[nodiscard]] virtual Revision compacted() const = 0;
  // Forgets history up to `revision`; for tests and operators. Bounded history does this by itself.
  virtual void compact(Revision revision) = 0;

  [[nodiscard]] virtual StoreHealth health() const { return {}; }

  struct Figures {
    uint64_t commits = 0, writes = 0;
    uint64_t full_commits = 0, failed_commits = 0;  // in vain: for want of room; for other reasons
    size_t objects = 0, object_bytes = 0, history_events = 0, waiting = 0;
    double last_commit_seconds = 0;
  };
  [[nodiscard]] virtual Figures figures() const = 0;

 protected:
  Store() = default;
};

}  // namespace basalt::store
