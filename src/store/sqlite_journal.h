// The journal in a SQLite file (store_file.h): one transaction, one sync per commit.
//
// Cost: a commit is O(its rows) and one sync. Every kMaxLogPages tidy() copies the log into the file (a checkpoint):
// often, so that no single one takes more than some milliseconds.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>

#include "store/journal.h"
#include "store/store_file.h"

namespace basalt::store {

inline constexpr size_t kMaxLogPages = 384;

class SqliteJournal final : public Journal {
 public:
  static Result<std::unique_ptr<SqliteJournal>> open(const std::filesystem::path& file);
  // For open() only, which makes it ready.
  explicit SqliteJournal(StoreFile file) : file_(std::move(file)) {}

  [[nodiscard]] Revision compacted() const { return file_.facts.compacted; }
  [[nodiscard]] Revision highest() const { return file_.facts.highest; }
  // Every row by rising revision, each proven. After an error what was visited is worth nothing.
  Result<void> load(const std::function<void(std::string_view resource, RecordPtr record)>& visit);

  std::expected<void, JournalFailure> commit(const JournalBatch& batch) override;
  void tidy() override;

 private:
  SqlResult<void> prepare_statements();
  SqlResult<void> write(const JournalBatch& batch, FileFacts& facts);
  SqlResult<void> insert(const JournalEntry& entry, FileFacts& facts);
  SqlResult<void> drop(Revision revision, FileFacts& facts);
  SqlResult<void> update_facts(const FileFacts& facts);

  StoreFile file_;
  Statement begin_, insert_, drop_, facts_, commit_, rollback_;  // of file_'s database: gone before it
};

}  // namespace basalt::store
