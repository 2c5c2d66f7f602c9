// What SqliteJournal does when the disk failed: see the head of sqlite_journal.h.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "server/store/row_scan.h"
#include "server/store/sqlite_journal.h"

namespace basalt::store {

namespace {

constexpr int kVacuumPages = 128;  // at once: all of them go through the write-ahead log

SqlError other_contents(const FileMeta& committed, const FileMeta& there) {
  return {.kind = SqlError::Kind::NotOurs,
          .message = fmt::format("{} rows up to revision {} were committed, it holds {} up to {}", committed.rows,
                                 committed.highest, there.rows, there.highest)};
}

}  // namespace

JournalResult SqliteJournal::recover() {
  if (!trouble_) return {};
  const JournalResult done = *trouble_ == JournalFailure::Kind::Full ? make_room() : verify_after_failure();
  if (!done) return done;
  trouble_.reset();
  damage_seen_ = 0;
  return {};
}

// The pages that dropped rows left behind go back to the file system, some at a time, until the reserve is there.
JournalResult SqliteJournal::make_room() {
  for (;;) {
    if (const auto copied = file_.database.empty_log(); !copied) return failed(copied.error());
    const int no_room = file_.reserve.hold();
    if (no_room == 0) break;
    const SqlResult<int64_t> pages = file_.database.integer_of("PRAGMA page_count");
    if (!pages) return failed(pages.error());
    const auto vacuumed = file_.database.run(fmt::format("PRAGMA incremental_vacuum({})", kVacuumPages));
    if (!vacuumed) return failed(vacuumed.error());
    const SqlResult<int64_t> left = file_.database.integer_of("PRAGMA page_count");
    if (!left) return failed(left.error());
    if (*left >= *pages) return failed({.kind = SqlError::Kind::Full, .message = std::strerror(no_room)});
  }
  if (const auto written = probe(); !written) return failed(written.error());
  return {};
}

// Whether a commit gets through: it changes nothing.
SqlResult<void> SqliteJournal::probe() {
  FileMeta meta = file_.meta;
  const JournalBatch nothing{.writes = {}, .compacted = meta.compacted, .highest = meta.highest, .drop = {}};
  const SqlResult<void> written = write(nothing, meta);
  if (!written) (void)rollback_.step();
  return written;
}

// Damage is believed when it is seen several times in a row.
std::unexpected<JournalFailure> SqliteJournal::still_failing(const SqlError& error) {
  const bool damage = error.kind == SqlError::Kind::NotOurs || error.kind == SqlError::Kind::Newer;
  damage_seen_ = damage ? damage_seen_ + 1 : 0;
  if (damage_seen_ < kMaxDamageSeen) return failed({.kind = SqlError::Kind::Failed, .message = error.message});
  return std::unexpected(
      JournalFailure{.kind = JournalFailure::Kind::Lost,
                     .message = fmt::format("{} no longer holds what was acknowledged: {}. Restore a copy of it",
                                            file_.path.string(), error.message)});
}

JournalResult SqliteJournal::verify_after_failure() {
  if (file_.database.is_open()) {
    if (const auto written = probe(); !written) return still_failing(written.error());
  }
  if (!file_.database.is_open() || !file_.displaced().empty()) {
    if (const auto opened = reopen(); !opened) return still_failing(opened.error());
  }
  if (const auto proven = prove(); !proven) return still_failing(proven.error());
  return make_room();
}

SqlResult<void> SqliteJournal::reopen() {
  if (!file_.lock.is_in_place(file_.path)) {
    Result<LockFile> lock = LockFile::acquire(file_.path);
    if (!lock) return std::unexpected(SqlError{.message = lock.error().message});
    file_.lock = std::move(*lock);
    file_.lock.set_mark({.store = file_.meta.store, .acknowledged = file_.meta.highest});
  }
  if (file_.database.is_open()) {
    // A log that was removed can still be read by who has it open: this saves what it holds. One that is in its place
    // must be empty: SQLite would take it for that of whatever file is there now.
    if (const auto emptied = file_.database.empty_log(); !emptied) return emptied;
    close();
  }
  drop_cached(file_.path);
  SqlResult<OpenDatabase> opened = open_database(file_.path, file_.vfs);
  if (!opened) return std::unexpected(opened.error());
  if (opened->meta != file_.meta) return std::unexpected(other_contents(file_.meta, opened->meta));
  file_.database = std::move(opened->database);
  file_.note_identities();
  const SqlResult<void> ready = prepare_statements();
  if (!ready) close();
  return ready;
}

void SqliteJournal::close() {
  for (SqlStatement* statement : {&begin_, &insert_, &drop_, &meta_, &commit_, &rollback_}) *statement = SqlStatement();
  file_.database.leave_log();
  file_.database = Database();
}

// Cost: reads all of the file.
SqlResult<void> SqliteJournal::prove() {
  file_.database.drop_cache();
  drop_cached(file_.path);
  if (const auto sound = check_structure(file_.database); !sound) return sound;
  return scan_rows(file_.database, file_.meta, [](std::string_view, const RecordPtr&, uint64_t) {});
}

}  // namespace basalt::store
