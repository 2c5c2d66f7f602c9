// The SQLite file of a store, before its rows: creating it, opening it, and telling what is wrong with it.
//
// Format 1: table `log`, one row per version of an object that is alive or that history needs, and table `meta` with
// one row. The rows of `log` are proven three ways: each by its checksum; all together by their number and the sum of
// their checksums in `meta`, which every commit updates; and the last of them by the mark in FILE.lock (lock_file.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/lock_file.h"
#include "store/sqlite.h"

namespace basalt::store {

inline constexpr int64_t kFileFormat = 1;

// The row of `meta`.
struct FileFacts {
  uint64_t store = 0;  // a random name, never 0
  Revision compacted = 0;
  Revision highest = 0;
  uint64_t rows = 0;
  uint64_t sum = 0;  // of the rows' checksums, modulo 2^64

  [[nodiscard]] uint64_t checksum() const;
};

struct StoreFile {
  std::filesystem::path path;
  LockFile lock;
  Database database;
  FileFacts facts;
};

// Locks, creates the file if there is none, and checks all but the rows of `log`.
[[nodiscard]] Result<StoreFile> open_store_file(const std::filesystem::path& path);

// An error about a damaged file: what is wrong, and what to do.
[[nodiscard]] std::unexpected<Error> damaged(const std::filesystem::path& path, std::string_view what);

}  // namespace basalt::store
