// The SQLite file of a store, before its rows: creating it, opening it, and telling what is wrong with it.
//
// Format 1: table `log`, one row per version of an object that is alive or that history needs, and table `meta` with
// one row. The rows of `log` are proven three ways: each by its checksum; all together by their number and the sum of
// their checksums in `meta`, which every commit updates; and the last of them by the mark in FILE.lock (lock_file.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "server/store/lock_file.h"
#include "server/store/reserve_file.h"
#include "server/store/sqlite.h"

namespace basalt::store {

inline constexpr int64_t kFileFormat = 1;

// The row of `meta`.
struct FileMeta {
  uint64_t store = 0;  // a random name, never 0
  Revision compacted = 0;
  Revision highest = 0;
  uint64_t rows = 0;
  uint64_t sum = 0;  // of the rows' checksums, modulo 2^64

  [[nodiscard]] uint64_t checksum() const;
  friend bool operator==(const FileMeta&, const FileMeta&) = default;
};

struct OpenDatabase {
  Database database;
  FileMeta meta;
};

// Which file a path names.
using FileIdentity = std::pair<uint64_t, uint64_t>;  // device, inode

struct StoreFile {
  std::filesystem::path path;
  std::string vfs;
  LockFile lock;
  ReserveFile reserve;
  Database database;
  FileMeta meta;
  std::optional<FileIdentity> file, log;  // as they were when the database was opened

  // Which of its files was moved, removed or replaced since it was opened; empty: none. What is written then would be
  // written to nowhere.
  [[nodiscard]] std::string displaced() const;
  void note_identities();
};

struct FileSettings {
  std::string vfs;           // of SQLite; "": its own
  size_t reserve_bytes = 0;  // see reserve_file.h
};

// Locks, creates the file if there is none, and checks all but the rows of `log`.
[[nodiscard]] Result<StoreFile> open_store_file(const std::filesystem::path& path, const FileSettings& settings);
// Opens a file that is there: its format and structure are checked, not the rows of `log`.
[[nodiscard]] SqlResult<OpenDatabase> open_database(const std::filesystem::path& path, const std::string& vfs);
[[nodiscard]] SqlResult<void> check_structure(Database& database);
// The next reads of the file and its log come from the disk. Best effort.
void drop_cached(const std::filesystem::path& path);

// An error about a damaged file: what is wrong, and what to do.
[[nodiscard]] std::unexpected<Error> damaged(const std::filesystem::path& path, std::string_view what);
[[nodiscard]] std::unexpected<Error> sql_error(const std::filesystem::path& path, const SqlError& error);

}  // namespace basalt::store
