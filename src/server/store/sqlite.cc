#include "server/store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace basalt::store {

namespace {

constexpr int kBusyMs = 5'000;  // somebody who looks at the file with sqlite3 may hold it for a moment

bool is_no_room(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

// SQLite knows a full disk only by ENOSPC. A failed sync is something else, whatever its reason: nobody knows what the
// disk holds then.
SqlError::Kind kind_of_io_error(int extended, int error) {
  const bool of_a_write =
      extended == SQLITE_IOERR_WRITE || extended == SQLITE_IOERR_TRUNCATE || extended == SQLITE_IOERR_SHMSIZE;
  return of_a_write && is_no_room(error) ? SqlError::Kind::Full : SqlError::Kind::Failed;
}

// Requires: errno was 0 before the call that failed, and is as that left it.
SqlError error_of(sqlite3* database, int result) {
  const int system = errno;
  SqlError error{.message = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(result)};
  const int extended = database != nullptr ? sqlite3_extended_errcode(database) : result;
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      error.kind = SqlError::Kind::Busy;
      break;
    case SQLITE_FULL:
      error.kind = SqlError::Kind::Full;
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // our statements are right: the tables are not
      error.kind = SqlError::Kind::NotOurs;
      break;
    case SQLITE_IOERR:
      error.kind = kind_of_io_error(extended, system);
      [[fallthrough]];
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      if (system != 0) error.message += fmt::format(" ({})", std::strerror(system));
      break;
    default:
      break;
  }
  return error;
}

int note_log_pages(void* noted, sqlite3* /*database*/, const char* /*schema*/, int pages) {
  *static_cast<size_t*>(noted) = static_cast<size_t>(pages);
  return SQLITE_OK;
}

}  // namespace

void SqlStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

void SqlStatement::bind(int index, int64_t value) {
  const int result = sqlite3_bind_int64(statement_.get(), index, value);
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
}

void SqlStatement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  const int result = sqlite3_bind_text64(statement_.get(), index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
}

SqlResult<bool> SqlStatement::step() {
  errno = 0;
  const int result = bind_result_ == SQLITE_OK ? sqlite3_step(statement_.get()) : bind_result_;
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) {
    reset();
    return false;
  }
  SqlError error = error_of(sqlite3_db_handle(statement_.get()), result);
  reset();
  return std::unexpected(std::move(error));
}

void SqlStatement::reset() {
  sqlite3_reset(statement_.get());
  bind_result_ = SQLITE_OK;
}

int64_t SqlStatement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view SqlStatement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string_view()
                         : std::string_view(static_cast<const char*>(data), static_cast<size_t>(size));
}

SqlResult<Database> Database::open(const std::filesystem::path& file, const std::string& vfs) {
  sqlite3* raw = nullptr;
  errno = 0;
  // One thread at a time uses a connection: SQLite's own mutexes are off.
  const int result = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                                     vfs.empty() ? nullptr : vfs.c_str());
  Database database;
  database.database_.reset(raw);
  if (result != SQLITE_OK) return std::unexpected(error_of(raw, result));
  sqlite3_busy_timeout(raw, kBusyMs);
  sqlite3_wal_hook(raw, note_log_pages, database.log_pages_.get());  // also ends checkpoints in the midst of commits
  return database;
}

SqlResult<void> Database::run(const std::string& sql) {
  errno = 0;
  const int result = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) return std::unexpected(error_of(database_.get(), result));
  return {};
}

SqlResult<SqlStatement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  errno = 0;
  const int result = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (result != SQLITE_OK) return std::unexpected(error_of(database_.get(), result));
  SqlStatement statement;
  statement.statement_.reset(raw);
  return statement;
}

SqlResult<std::string> Database::text_of(std::string_view sql) {
  SqlResult<SqlStatement> statement = prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  const SqlResult<bool> row = statement->step();
  if (!row) return std::unexpected(row.error());
  return *row ? std::string(statement->bytes(0)) : std::string();
}

SqlResult<int64_t> Database::integer_of(std::string_view sql) {
  SqlResult<SqlStatement> statement = prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  const SqlResult<bool> row = statement->step();
  if (!row) return std::unexpected(row.error());
  return *row ? statement->integer(0) : 0;
}

SqlResult<void> Database::checkpoint() {
  errno = 0;
  const int result = sqlite3_wal_checkpoint_v2(database_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (result != SQLITE_OK && result != SQLITE_BUSY) return std::unexpected(error_of(database_.get(), result));
  *log_pages_ = 0;
  return {};
}

SqlResult<void> Database::empty_log() {
  errno = 0;
  const int result = sqlite3_wal_checkpoint_v2(database_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if (result != SQLITE_OK) return std::unexpected(error_of(database_.get(), result));
  *log_pages_ = 0;
  return {};
}

void Database::drop_cache() { sqlite3_db_release_memory(database_.get()); }

void Database::leave_log() { sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr); }

}  // namespace basalt::store
