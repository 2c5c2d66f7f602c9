// FILE.lock beside a store's FILE: only one process at a time owns the store, and it notes there how far it got.
//
// The note ("mark") is written after each commit, without a sync. It is never ahead of what is safe on disk, and after
// a kill it is exact: a file (or its -wal) that ends before the mark has lost what was acknowledged. After a power loss
// the mark may be old, and then proves less; it is never wrong.
// The lock is the kernel's (flock): it goes with its process, however that ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "server/store/record.h"

namespace basalt::store {

class LockFile {
 public:
  struct Mark {
    uint64_t store = 0;  // which store; 0: there is no mark
    Revision acknowledged = 0;
  };

  // Locks, making the file if needed. An error names the process that holds it.
  static Result<LockFile> acquire(const std::filesystem::path& store_file);

  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&& other) noexcept;
  ~LockFile();

  [[nodiscard]] const Mark& mark() const { return mark_; }
  void set_mark(const Mark& mark);
  // False: somebody removed or replaced it, and another process may hold a lock of its own.
  [[nodiscard]] bool is_in_place(const std::filesystem::path& store_file) const;

  static std::filesystem::path path_for(const std::filesystem::path& store_file);

 private:
  explicit LockFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
  Mark mark_;
};

}  // namespace basalt::store
