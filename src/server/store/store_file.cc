#include "server/store/store_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>

#include "base/fingerprint.h"

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

std::optional<FileIdentity> identity_of(const fs::path& path) {
  struct stat meta{};
  if (stat(path.c_str(), &meta) != 0) return std::nullopt;
  return FileIdentity(meta.st_dev, meta.st_ino);
}

SqlResult<void> write_schema(const fs::path& path, const std::string& vfs) {
  SqlResult<Database> database = Database::open(path, vfs);
  if (!database) return std::unexpected(database.error());
  const FileMeta meta{.store = random_name()};
  return database->run(fmt::format(
      "PRAGMA page_size={}; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA synchronous=FULL; BEGIN;"
      "PRAGMA application_id={}; PRAGMA user_version={};"
      "CREATE TABLE log(revision INTEGER PRIMARY KEY, resource TEXT NOT NULL, key TEXT NOT NULL, "
      "deleted INTEGER NOT NULL, version_at INTEGER NOT NULL, checksum INTEGER NOT NULL, object TEXT NOT NULL);"
      "CREATE TABLE meta(id INTEGER PRIMARY KEY CHECK(id = 1), store INTEGER NOT NULL, compacted INTEGER NOT NULL, "
      "highest INTEGER NOT NULL, rows INTEGER NOT NULL, sum INTEGER NOT NULL, checksum INTEGER NOT NULL);"
      "INSERT INTO meta VALUES(1, {}, 0, 0, 0, 0, {});"
      "COMMIT; PRAGMA journal_mode=WAL;",
      kPageBytes, kApplicationId, kFileFormat, static_cast<int64_t>(meta.store),
      static_cast<int64_t>(meta.checksum())));
}

// Made aside and renamed: whoever is killed on the way leaves no half file, so an empty file is always a damaged one.
Result<void> create(const fs::path& path, const std::string& vfs) {
  const fs::path fresh = beside(path, ".new");
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) unlink(beside(fresh, suffix).c_str());
  const int descriptor = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return io_error(fresh, "create", errno);
  close(descriptor);
  if (const SqlResult<void> written = write_schema(fresh, vfs); !written) return sql_error(fresh, written.error());
  if (const Result<void> synced = sync(fresh, O_RDWR); !synced) return synced;
  if (rename(fresh.c_str(), path.c_str()) != 0) return io_error(path, "create", errno);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return sync(folder, O_RDONLY | O_DIRECTORY);
}

// Creates the file when nothing says that there should be one.
Result<void> create_if_new(const fs::path& path, const LockFile& lock, const std::string& vfs) {
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
  return create(path, vfs);
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

SqlResult<void> check_format(const fs::path& path, Database& database) {
  const SqlResult<int64_t> application = database.integer_of("PRAGMA application_id");
  if (!application) return std::unexpected(application.error());
  if (*application != kApplicationId) return not_ours("it is a database, but not a store of Basalt");
  const SqlResult<int64_t> format = database.integer_of("PRAGMA user_version");
  if (!format) return std::unexpected(format.error());
  if (*format == kFileFormat) return {};
  if (*format < kFileFormat) return not_ours(fmt::format("it has the unknown format {}", *format));
  return std::unexpected(
      SqlError{.kind = SqlError::Kind::Newer,
               .message = fmt::format("{} has format {}, made by a newer version of Basalt; this one reads up to {}. "
                                      "Use the newer version, or another file",
                                      path.string(), *format, kFileFormat)});
}

SqlResult<void> prepare_for_use(Database& database) {
  const SqlResult<std::string> mode = database.text_of("PRAGMA journal_mode=WAL");
  if (!mode) return std::unexpected(mode.error());
  if (*mode != "wal") return std::unexpected(SqlError{.message = "no write-ahead log is possible here"});
  const SqlResult<void> tuned =
      database.run(fmt::format("PRAGMA synchronous=FULL; PRAGMA cache_size=-{};", kCacheBytes / 1024));
  if (!tuned) return tuned;
  return check_structure(database);
}

SqlResult<FileMeta> read_facts(Database& database) {
  SqlResult<SqlStatement> statement =
      database.prepare("SELECT store, compacted, highest, rows, sum, checksum FROM meta WHERE id = 1");
  if (!statement) return std::unexpected(statement.error());
  const SqlResult<bool> row = statement->step();
  if (!row) return std::unexpected(row.error());
  if (!*row) return not_ours("its table meta is empty");
  const FileMeta meta{.store = statement->number(0),
                      .compacted = statement->number(1),
                      .highest = statement->number(2),
                      .rows = statement->number(3),
                      .sum = statement->number(4)};
  if (meta.checksum() != statement->number(5)) return not_ours("its table meta has a wrong checksum");
  return meta;
}

}  // namespace

uint64_t FileMeta::checksum() const {
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

std::unexpected<Error> sql_error(const fs::path& path, const SqlError& error) {
  switch (error.kind) {
    case SqlError::Kind::NotOurs:
      return damaged(path, error.message);
    case SqlError::Kind::Newer:
      return failure(ErrorCode::Unsupported, error.message);
    case SqlError::Kind::Busy:
    case SqlError::Kind::Full:
    case SqlError::Kind::Failed:
      break;
  }
  return failure(ErrorCode::Io, fmt::format("cannot use {}: {}", path.string(), error.message));
}

std::string StoreFile::displaced() const {
  if (file != identity_of(path)) return path.string();
  if (log != identity_of(beside(path, "-wal"))) return beside(path, "-wal").string();
  if (!lock.is_in_place(path)) return LockFile::path_for(path).string();
  return "";
}

void StoreFile::note_identities() {
  file = identity_of(path);
  log = identity_of(beside(path, "-wal"));
}

SqlResult<void> check_structure(Database& database) {
  // Finds what no row would show: pages that two owners claim, or a broken list of free pages.
  const SqlResult<std::string> verdict = database.text_of("PRAGMA quick_check(1)");
  if (!verdict) return std::unexpected(verdict.error());
  // Its first line only names the database.
  if (*verdict != "ok") return not_ours(verdict->substr(verdict->find('\n') + 1));
  return {};
}

void drop_cached(const fs::path& path) {
  for (const char* suffix : {"", "-wal"}) {
    const int descriptor = ::open(beside(path, suffix).c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    (void)posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    close(descriptor);
  }
}

SqlResult<OpenDatabase> open_database(const fs::path& path, const std::string& vfs) {
  SqlResult<Database> database = Database::open(path, vfs);
  if (!database) return std::unexpected(database.error());
  if (const auto format = check_format(path, *database); !format) return std::unexpected(format.error());
  if (const auto ready = prepare_for_use(*database); !ready) return std::unexpected(ready.error());
  const SqlResult<FileMeta> meta = read_facts(*database);
  if (!meta) return std::unexpected(meta.error());
  return OpenDatabase{.database = std::move(*database), .meta = *meta};
}

Result<StoreFile> open_store_file(const fs::path& path, const FileSettings& settings) {
  Result<LockFile> lock = LockFile::acquire(path);
  if (!lock) return std::unexpected(lock.error());
  if (const auto created = create_if_new(path, *lock, settings.vfs); !created) return std::unexpected(created.error());
  if (const auto magic = check_magic(path); !magic) return std::unexpected(magic.error());
  ReserveFile reserve(path, settings.reserve_bytes);
  reserve.release();  // a start on a full disk needs some room, too
  drop_cached(path);  // after a failed sync the kernel may know more than the disk
  SqlResult<OpenDatabase> opened = open_database(path, settings.vfs);
  if (!opened) return sql_error(path, opened.error());
  StoreFile file{.path = path,
                 .vfs = settings.vfs,
                 .lock = std::move(*lock),
                 .reserve = std::move(reserve),
                 .database = std::move(opened->database),
                 .meta = opened->meta};
  file.note_identities();
  file.reserve.hold_some();
  return file;
}

}  // namespace basalt::store
