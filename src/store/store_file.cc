#include "store/store_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>

#include "base/hash.h"

namespace basalt::store {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kApplicationId = 0x42534c54;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr int kPageBytes = 8'192;  // holds a few objects of usual size
constexpr int kCacheBytes = 8 * 1024 * 1024;

fs::path beside(const fs::path& path, std::string_view suffix) {
  fs::path other = path;
  other += suffix;
  return other;
}

std::unexpected<Error> io_error(const fs::path& path, std::string_view what, int error) {
  return failure(ErrorCode::Io, fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(error)));
}

std::unexpected<Error> sql_error(const fs::path& path, const SqlError& error) {
  if (error.kind == SqlError::Kind::NotOurs) return damaged(path, error.message);
  return failure(ErrorCode::Io, fmt::format("cannot use {}: {}", path.string(), error.message));
}

Result<void> sync(const fs::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return io_error(path, "open", errno);
  const bool synced = fsync(descriptor) == 0;
  const int error = errno;
  close(descriptor);
  if (!synced) return io_error(path, "sync", error);
  return {};
}

uint64_t random_name() {
  std::random_device device;
  return (uint64_t{device()} << 32U | device()) | 1U;
}

SqlResult<void> write_schema(const fs::path& path) {
  SqlResult<Database> database = Database::open(path);
  if (!database) return std::unexpected(database.error());
  const FileFacts facts{.store = random_name()};
  return database->run(fmt::format(
      "PRAGMA page_size={}; PRAGMA synchronous=FULL; BEGIN;"
      "PRAGMA application_id={}; PRAGMA user_version={};"
      "CREATE TABLE log(revision INTEGER PRIMARY KEY, resource TEXT NOT NULL, key TEXT NOT NULL, "
      "deleted INTEGER NOT NULL, version_at INTEGER NOT NULL, checksum INTEGER NOT NULL, object TEXT NOT NULL);"
      "CREATE TABLE meta(id INTEGER PRIMARY KEY CHECK(id = 1), store INTEGER NOT NULL, compacted INTEGER NOT NULL, "
      "highest INTEGER NOT NULL, rows INTEGER NOT NULL, sum INTEGER NOT NULL, checksum INTEGER NOT NULL);"
      "INSERT INTO meta VALUES(1, {}, 0, 0, 0, 0, {});"
      "COMMIT; PRAGMA journal_mode=WAL;",
      kPageBytes, kApplicationId, kFileFormat, static_cast<int64_t>(facts.store),
      static_cast<int64_t>(facts.checksum())));
}

// Made aside and renamed: whoever is killed on the way leaves no half file, so an empty file is always a damaged one.
Result<void> create(const fs::path& path) {
  const fs::path fresh = beside(path, ".new");
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) unlink(beside(fresh, suffix).c_str());
  const int descriptor = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return io_error(fresh, "create", errno);
  close(descriptor);
  if (const SqlResult<void> written = write_schema(fresh); !written) return sql_error(fresh, written.error());
  if (const Result<void> synced = sync(fresh, O_RDWR); !synced) return synced;
  if (rename(fresh.c_str(), path.c_str()) != 0) return io_error(path, "create", errno);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return sync(folder, O_RDONLY | O_DIRECTORY);
}

// Creates the file when nothing says that there should be one.
Result<void> create_if_new(const fs::path& path, const LockFile& lock) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_regular_file(status)) return {};
  if (fs::exists(status)) {
    return failure(ErrorCode::Io, fmt::format("{} is not a file: name a file for the store", path.string()));
  }
  if (fs::exists(beside(path, "-wal"), error)) return damaged(path, "it is missing, but its write-ahead log is there");
  if (lock.mark().acknowledged > 0) {
    return damaged(path, fmt::format("it is missing, but it held writes up to revision {}", lock.mark().acknowledged));
  }
  return create(path);
}

Result<void> check_magic(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return io_error(path, "read", errno);
  std::array<char, kMagic.size()> start{};
  in.read(start.data(), start.size());
  if (in.gcount() == 0) return damaged(path, "it is empty");
  if (std::string_view(start.data(), static_cast<size_t>(in.gcount())) == kMagic) return {};
  return damaged(path, "it is not a database, or its beginning is lost");
}

Result<void> check_format(const fs::path& path, Database& database) {
  const SqlResult<int64_t> application = database.integer_of("PRAGMA application_id");
  if (!application) return sql_error(path, application.error());
  if (*application != kApplicationId) return damaged(path, "it is a database, but not a store of Basalt");
  const SqlResult<int64_t> format = database.integer_of("PRAGMA user_version");
  if (!format) return sql_error(path, format.error());
  if (*format == kFileFormat) return {};
  if (*format < kFileFormat) return damaged(path, fmt::format("it has the unknown format {}", *format));
  return failure(
      ErrorCode::Unsupported,
      fmt::format("{} has format {}, made by a newer version of Basalt; this one reads up to {}. Use the newer "
                  "version, or another file",
                  path.string(), *format, kFileFormat));
}

Result<void> prepare_for_use(const fs::path& path, Database& database) {
  const SqlResult<std::string> mode = database.text_of("PRAGMA journal_mode=WAL");
  if (!mode) return sql_error(path, mode.error());
  if (*mode != "wal")
    return failure(ErrorCode::Io, fmt::format("{}: no write-ahead log is possible here", path.string()));
  const SqlResult<void> tuned =
      database.run(fmt::format("PRAGMA synchronous=FULL; PRAGMA cache_size=-{};", kCacheBytes / 1024));
  if (!tuned) return sql_error(path, tuned.error());
  // Finds what no row would show: pages that two owners claim, or a broken list of free pages.
  const SqlResult<std::string> verdict = database.text_of("PRAGMA quick_check(1)");
  if (!verdict) return sql_error(path, verdict.error());
  // Its first line only names the database.
  if (*verdict != "ok") return damaged(path, std::string_view(*verdict).substr(verdict->find('\n') + 1));
  return {};
}

Result<FileFacts> read_facts(const fs::path& path, Database& database) {
  SqlResult<Statement> statement =
      database.prepare("SELECT store, compacted, highest, rows, sum, checksum FROM meta WHERE id = 1");
  if (!statement) return damaged(path, statement.error().message);
  const SqlResult<bool> row = statement->step();
  if (!row) return sql_error(path, row.error());
  if (!*row) return damaged(path, "its table meta is empty");
  const FileFacts facts{.store = statement->number(0),
                        .compacted = statement->number(1),
                        .highest = statement->number(2),
                        .rows = statement->number(3),
                        .sum = statement->number(4)};
  if (facts.checksum() != statement->number(5)) return damaged(path, "its table meta has a wrong checksum");
  return facts;
}

}  // namespace

uint64_t FileFacts::checksum() const {
  return Fingerprint().add(store).add(compacted).add(highest).add(rows).add(sum).value();
}

std::unexpected<Error> damaged(const fs::path& path, std::string_view what) {
  const std::string file = path.string();
  return failure(
      ErrorCode::Io,
      fmt::format("{0} cannot be used: {1}. Restore a copy of it; `sqlite3 {0} .recover` shows what can still "
                  "be read. To start empty, move {0}, {0}-wal and {0}.lock away",
                  file, what));
}

Result<StoreFile> open_store_file(const fs::path& path) {
  Result<LockFile> lock = LockFile::acquire(path);
  if (!lock) return std::unexpected(lock.error());
  if (const auto created = create_if_new(path, *lock); !created) return std::unexpected(created.error());
  if (const auto magic = check_magic(path); !magic) return std::unexpected(magic.error());
  SqlResult<Database> database = Database::open(path);
  if (!database) return sql_error(path, database.error());
  if (const auto format = check_format(path, *database); !format) return std::unexpected(format.error());
  if (const auto ready = prepare_for_use(path, *database); !ready) return std::unexpected(ready.error());
  const Result<FileFacts> facts = read_facts(path, *database);
  if (!facts) return std::unexpected(facts.error());
  return StoreFile{.path = path, .lock = std::move(*lock), .database = std::move(*database), .facts = *facts};
}

}  // namespace basalt::store
