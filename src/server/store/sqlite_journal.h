// The journal in a SQLite file (store_file.h): one transaction, one sync per commit.
//
// Cost: a commit is O(its rows) and one sync. Every kMaxLogPages tidy() copies the log into the file (a checkpoint):
// often, so that no single one takes more than some milliseconds.
//
// After a failure (recover): a full disk leaves the connection as it was; what history dropped is given back to the
// file system, and when that suffices for the reserve, commits may go on. After any other failure nobody knows what the
// disk holds: the kernel may take for written what a failed sync has lost. So the same connection, which knows where
// the last good commit ended, first writes over what came behind it and syncs that; then every row is read again, from
// the disk and not from a cache, and proven against what was committed. Files that were removed or moved away are
// opened anew.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "server/store/journal.h"
#include "server/store/store_file.h"

namespace basalt::store {

inline constexpr size_t kMaxLogPages = 384;
inline constexpr int kMaxDamageSeen = 3;  // a disk that fails may make a file look damaged that is not

class SqliteJournal final : public Journal {
 public:
  static Result<std::unique_ptr<SqliteJournal>> open(const std::filesystem::path& file,
                                                     const FileSettings& settings = {});
  // For open() only, which makes it ready.
  explicit SqliteJournal(StoreFile file) : file_(std::move(file)) {}

  [[nodiscard]] Revision compacted() const { return file_.meta.compacted; }
  [[nodiscard]] Revision highest() const { return file_.meta.highest; }
  // Every row by rising revision, each proven. After an error what was visited is worth nothing.
  Result<void> load(const std::function<void(std::string_view resource, RecordPtr record)>& visit);

  JournalResult commit(const JournalBatch& batch) override;
  JournalResult tidy() override;
  JournalResult recover() override;

 private:
  SqlResult<void> prepare_statements();
  SqlResult<void> write(const JournalBatch& batch, FileMeta& meta);
  SqlResult<void> insert(const JournalEntry& entry, FileMeta& meta);
  SqlResult<void> drop(Revision revision, FileMeta& meta);
  SqlResult<void> update_meta(const FileMeta& meta);
  std::unexpected<JournalFailure> failed(const SqlError& error);

  // sqlite_journal_recovery.cc
  JournalResult make_room();
  JournalResult verify_after_failure();
  SqlResult<void> probe();
  SqlResult<void> reopen();
  void close();
  SqlResult<void> prove();
  std::unexpected<JournalFailure> still_failing(const SqlError& error);

  StoreFile file_;
  SqlStatement begin_, insert_, drop_, meta_, commit_, rollback_;  // of file_'s database: gone before it
  std::optional<JournalFailure::Kind> trouble_;                    // until recover() succeeds
  int damage_seen_ = 0;                                            // in a row; see kMaxDamageSeen
};

}  // namespace basalt::store
