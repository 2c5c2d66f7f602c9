// A disk for tests, as a VFS of SQLite over the real one: it knows what a power cut would leave, and fails on demand.
//
// 1. What is written is in the file at once, and safe only after a sync of that file. A new write-ahead log or rollback
//    journal has a name only after its first sync, when SQLite syncs the directory, too; a file that was removed
//    without that may come back.
// 2. A power cut happens at a chosen call. From then on every call fails; leave() writes what is left into another
//    folder: what was synced, and of the rest what Survival says.
// 3. A sync that is told to fail loses what it should have made safe, as Linux does it: whoever has the file open still
//    reads it, a later sync finds nothing to do and succeeds, and who opens the file anew finds the disk's contents, or
//    also what is lost (keep_lost).
//
// Calls are counted from 1: writes, truncations, syncs and removals always, and reads and openings while `reads` is
// set. Threads: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"

struct sqlite3_vfs;

namespace basalt::crash {

enum class Fault : uint8_t {
  None,
  PowerCut,
  Io,          // EIO
  Full,        // ENOSPC
  Quota,       // EDQUOT, which SQLite does not know as a full disk
  ShortWrite,  // half of it, then no room
  ShortRead,   // half of it, then nothing
};

struct FaultPlan {
  Fault fault = Fault::None;
  uint64_t first = 0;       // the call that fails
  uint64_t calls = 1;       // and so many in all
  bool reads = false;       // count and fail reads and openings, too
  bool syncs_only = false;  // count nothing but syncs
};

// What becomes of writes that were not synced.
enum class Survival : uint8_t {
  Nothing,
  Everything,  // as after a kill
  Sectors,     // any of their sectors, each by chance; one of them may be torn
};

class TestDisk {
 public:
  // Files below `folder` are its files. Registered with SQLite while it lives.
  explicit TestDisk(std::filesystem::path folder);
  // Requires: no database is open on it.
  ~TestDisk();
  TestDisk(const TestDisk&) = delete;
  TestDisk& operator=(const TestDisk&) = delete;

  [[nodiscard]] const std::string& vfs() const { return name_; }
  // From now on; counting starts anew.
  void plan(const FaultPlan& plan);
  // Whether the kernel shows what a failed sync lost also to those who open the file later.
  void keep_lost(bool keep);
  [[nodiscard]] uint64_t calls() const;
  [[nodiscard]] bool is_cut() const;
  [[nodiscard]] bool has_failed() const;  // since plan()

  // What a power cut leaves, into an empty folder. Requires: is_cut().
  void leave(const std::filesystem::path& target, Survival survival, Rng& rng) const;

  // How SQLite calls it: test_disk_calls.cc.
  enum class Call : uint8_t { Read, Write, Truncate, Sync, Remove, Open, MapShared };
  struct Door;

 private:
  struct Change {
    size_t offset = 0;
    std::string bytes;
    bool truncates = false;  // to `offset`
  };
  struct File {
    std::string safe;             // what a power cut cannot take
    std::vector<Change> pending;  // written since the last sync, in order
    bool has_safe_name = false;
    std::optional<std::string> removed;  // a file of this name whose removal is not safe yet
    bool exists = false;
    bool shows_lost = false;  // a sync failed: those who have it open read what the disk does not hold
    int open = 0;
  };

  Fault fault_of(Call call);
  void opened(const std::string& path, bool was_there);
  void closed(const std::string& path);
  void wrote(const std::string& path, Change change);
  void synced(const std::string& path, bool in_vain);
  void removed(const std::string& path, bool directory_synced);
  void drop_lost(const std::string& path, File& file);
  [[nodiscard]] static std::optional<std::string> after_cut(const File& file, Survival survival, Rng& rng);

  std::filesystem::path folder_;
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  mutable std::mutex lock_;
  std::map<std::string, File> files_;  // by path
  FaultPlan plan_;
  uint64_t calls_ = 0;
  bool cut_ = false, failed_ = false, keeps_lost_ = false;
};

}  // namespace basalt::crash
