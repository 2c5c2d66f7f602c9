// A thin wrapper of SQLite: owned handles, errors as values. Nothing else includes its header but sqlite.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace basalt::store {

struct SqlError {
  enum class Kind : uint8_t {
    Busy,     // another connection holds the file; it may pass
    Full,     // no room (disk, quota, file size limit); nothing was changed, and it may pass
    NotOurs,  // not a database, or damaged
    Newer,    // made by a newer version; the message says all
    Failed,   // everything else: what the disk holds is not known
  };
  Kind kind = Kind::Failed;
  std::string message;
};

[[nodiscard]] inline std::unexpected<SqlError> not_ours(std::string message) {
  return std::unexpected(SqlError{.kind = SqlError::Kind::NotOurs, .message = std::move(message)});
}
template <class T>
using SqlResult = std::expected<T, SqlError>;

class SqlStatement {
 public:
  // Text must stay where it is until the statement has run.
  void bind(int index, int64_t value);
  void bind(int index, uint64_t value) { bind(index, static_cast<int64_t>(value)); }
  void bind(int index, std::string_view text);
  // True: there is a row to read. False: done, and ready to be bound and run again.
  SqlResult<bool> step();
  void reset();

  [[nodiscard]] int64_t integer(int column) const;
  [[nodiscard]] uint64_t number(int column) const { return static_cast<uint64_t>(integer(column)); }
  [[nodiscard]] std::string_view bytes(int column) const;  // until the next step

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bind_result_ = 0;  // the first that failed; told by step()
};

class Database {
 public:
  // The file must exist. `vfs`: a registered VFS of SQLite; "": its own.
  static SqlResult<Database> open(const std::filesystem::path& file, const std::string& vfs = "");

  [[nodiscard]] bool is_open() const { return database_ != nullptr; }
  // What follows requires that it is.
  SqlResult<void> run(const std::string& sql);  // statements whose rows do not matter
  SqlResult<SqlStatement> prepare(std::string_view sql);
  SqlResult<std::string> text_of(std::string_view sql);  // first column of the first row
  SqlResult<int64_t> integer_of(std::string_view sql);   // first column of the first row

  [[nodiscard]] size_t log_pages() const { return *log_pages_; }  // in the write-ahead log, after the last commit
  // Copies what the log holds into the file, as far as readers let it; never waits for them. The next commit then
  // starts the log anew.
  SqlResult<void> checkpoint();
  // The same, of all of it, waiting for readers; the log is empty afterwards.
  SqlResult<void> empty_log();
  void drop_cache();  // the next reads are of the files
  // Closing it will copy nothing from the log into the file: for a connection that failed.
  void leave_log();

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<size_t> log_pages_ = std::make_unique<size_t>(0);  // SQLite writes it: it must not move
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace basalt::store
