#include "server/store/sqlite_journal.h"

#include <fmt/format.h>

#include <string>

#include "server/store/row_checksum.h"
#include "server/store/row_scan.h"

namespace basalt::store {

namespace {

SqlError vanished(Revision revision) {
  return {.kind = SqlError::Kind::NotOurs, .message = fmt::format("the row of revision {} has vanished", revision)};
}

JournalFailure failure_of(const std::filesystem::path& path, const SqlError& error) {
  std::string what = fmt::format("cannot write {}: {}", path.string(), error.message);
  switch (error.kind) {
    case SqlError::Kind::Busy:
      return {.message = what + "; another program holds the file"};
    case SqlError::Kind::Full:
      return {.kind = JournalFailure::Kind::Full, .message = what + "; make room on the disk, or delete objects"};
    case SqlError::Kind::NotOurs:
    case SqlError::Kind::Newer:
    case SqlError::Kind::Failed:
      break;
  }
  return {.message = what + "; check the disk"};
}

}  // namespace

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::open(const std::filesystem::path& file,
                                                           const FileSettings& settings) {
  Result<StoreFile> opened = open_store_file(file, settings);
  if (!opened) return std::unexpected(opened.error());
  auto journal = std::make_unique<SqliteJournal>(std::move(*opened));
  if (const auto ready = journal->prepare_statements(); !ready) return sql_error(file, ready.error());
  return journal;
}

SqlResult<void> SqliteJournal::prepare_statements() {
  struct Text {
    SqlStatement* statement;
    std::string_view sql;
  };
  for (const auto& [statement, sql] : {
           Text{&begin_, "BEGIN IMMEDIATE"},
           Text{&insert_, "INSERT INTO log VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"},
           Text{&drop_, "DELETE FROM log WHERE revision = ?1 RETURNING checksum"},
           Text{&meta_,
                "UPDATE meta SET compacted = ?1, highest = ?2, rows = ?3, sum = ?4, checksum = ?5 WHERE id = 1"},
           Text{&commit_, "COMMIT"},
           Text{&rollback_, "ROLLBACK"},
       }) {
    SqlResult<SqlStatement> prepared = file_.database.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<void> SqliteJournal::load(const std::function<void(std::string_view resource, RecordPtr record)>& visit) {
  const FileMeta& meta = file_.meta;
  const SqlResult<void> scanned = scan_rows(
      file_.database, meta,
      [&visit](std::string_view resource, RecordPtr record, uint64_t) { visit(resource, std::move(record)); });
  if (!scanned) return sql_error(file_.path, scanned.error());
  const LockFile::Mark& mark = file_.lock.mark();
  if (mark.store == meta.store && mark.acknowledged > meta.highest) {
    return damaged(file_.path,
                   fmt::format("it ends at revision {}, but writes up to {} were acknowledged: its write-ahead log is "
                               "damaged, or this is an older copy (to accept it as it is, remove {})",
                               meta.highest, mark.acknowledged, LockFile::path_for(file_.path).string()));
  }
  file_.lock.set_mark({.store = meta.store, .acknowledged = meta.highest});
  return {};
}

SqlResult<void> SqliteJournal::insert(const JournalEntry& entry, FileMeta& meta) {
  const Record& record = *entry.record;
  const uint64_t checksum = row_checksum(entry.resource, record);
  insert_.bind(1, record.revision());
  insert_.bind(2, entry.resource);
  insert_.bind(3, std::string_view(record.key()));
  insert_.bind(4, int64_t{record.deleted() ? 1 : 0});
  insert_.bind(5, int64_t{record.version_at()});
  insert_.bind(6, checksum);
  insert_.bind(7, std::string_view(record.bytes()));
  if (const auto done = insert_.step(); !done) return std::unexpected(done.error());
  ++meta.rows, meta.sum += checksum;
  return {};
}

SqlResult<void> SqliteJournal::drop(Revision revision, FileMeta& meta) {
  drop_.bind(1, revision);
  const SqlResult<bool> found = drop_.step();
  if (!found) return std::unexpected(found.error());
  if (!*found) return std::unexpected(vanished(revision));
  --meta.rows, meta.sum -= drop_.number(0);
  if (const auto done = drop_.step(); !done) return std::unexpected(done.error());
  return {};
}

SqlResult<void> SqliteJournal::update_meta(const FileMeta& meta) {
  meta_.bind(1, meta.compacted);
  meta_.bind(2, meta.highest);
  meta_.bind(3, meta.rows);
  meta_.bind(4, meta.sum);
  meta_.bind(5, meta.checksum());
  if (const auto done = meta_.step(); !done) return std::unexpected(done.error());
  return {};
}

SqlResult<void> SqliteJournal::write(const JournalBatch& batch, FileMeta& meta) {
  if (const auto begun = begin_.step(); !begun) return std::unexpected(begun.error());
  // What is dropped makes room for what comes.
  for (const Revision revision : batch.drop) {
    if (const auto dropped = drop(revision, meta); !dropped) return dropped;
  }
  for (const JournalEntry& entry : batch.writes) {
    if (const auto inserted = insert(entry, meta); !inserted) return inserted;
  }
  if (const auto updated = update_meta(meta); !updated) return updated;
  if (const auto committed = commit_.step(); !committed) return std::unexpected(committed.error());
  return {};
}

std::unexpected<JournalFailure> SqliteJournal::failed(const SqlError& error) {
  JournalFailure failure = failure_of(file_.path, error);
  trouble_ = failure.kind;
  return std::unexpected(std::move(failure));
}

JournalResult SqliteJournal::commit(const JournalBatch& batch) {
  if (const std::string lost = file_.displaced(); !lost.empty()) {
    return failed({.message = fmt::format("{} was moved, removed or replaced while it was in use", lost)});
  }
  if (batch.frees_room) file_.reserve.release();
  FileMeta meta = file_.meta;
  meta.compacted = batch.compacted;
  meta.highest = batch.highest;
  if (const auto written = write(batch, meta); !written) {
    (void)rollback_.step();  // fails when SQLite has rolled back by itself
    return failed(written.error());
  }
  file_.meta = meta;
  file_.lock.set_mark({.store = meta.store, .acknowledged = meta.highest});
  return {};
}

JournalResult SqliteJournal::tidy() {
  if (trouble_ == JournalFailure::Kind::Full) {  // what the log takes would be missing when the file has to grow
    if (const auto emptied = file_.database.empty_log(); !emptied) return failed(emptied.error());
    return {};
  }
  if (file_.database.log_pages() < kMaxLogPages) return {};
  if (const auto done = file_.database.checkpoint(); !done) return failed(done.error());
  (void)file_.reserve.hold();
  return {};
}

}  // namespace basalt::store
