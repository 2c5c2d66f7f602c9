// The C side of TestDisk: what SQLite calls.
#include <sqlite3.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "tests/crash/test_disk.h"

namespace basalt::crash {

namespace {

sqlite3_vfs& real() { return *sqlite3_vfs_find(nullptr); }

// An open file; SQLite owns the memory, the real file lies behind it.
struct OpenFile {
  sqlite3_file base;
  TestDisk* disk;
  const char* path;  // SQLite keeps it
  bool counted;      // false: temporary

  static OpenFile& of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }
  sqlite3_file* behind() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

int io_error(int code, int error) {
  errno = error;
  return code;
}

int write_error(Fault fault, int code) {
  if (fault == Fault::Full || fault == Fault::ShortWrite) return io_error(SQLITE_FULL, ENOSPC);
  return io_error(code, fault == Fault::Quota ? EDQUOT : EIO);
}

int sync_error(Fault fault) {
  return io_error(SQLITE_IOERR_FSYNC, fault == Fault::Full ? ENOSPC : fault == Fault::Quota ? EDQUOT : EIO);
}

}  // namespace

struct TestDisk::Door {
  static int close(sqlite3_file* file) {
    OpenFile& open = OpenFile::of(file);
    const int result = open.behind()->pMethods->xClose(open.behind());
    if (!open.counted) return result;
    const std::lock_guard guard(open.disk->lock_);
    open.disk->closed(open.path);
    return result;
  }

  static int read(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
    OpenFile& open = OpenFile::of(file);
    Fault fault = Fault::None;
    {
      const std::lock_guard guard(open.disk->lock_);
      fault = open.disk->fault_of(Call::Read);
    }
    if (fault == Fault::Io || fault == Fault::PowerCut) return io_error(SQLITE_IOERR_READ, EIO);
    const int result = open.behind()->pMethods->xRead(open.behind(), into, size, offset);
    if (fault != Fault::ShortRead) return result;
    std::memset(static_cast<char*>(into) + size / 2, 0, static_cast<size_t>(size - size / 2));
    return SQLITE_IOERR_SHORT_READ;
  }

  static int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
    OpenFile& open = OpenFile::of(file);
    const std::lock_guard guard(open.disk->lock_);
    const Fault fault = open.disk->fault_of(Call::Write);
    // The moment of a power cut may find some sectors of this write on the disk already.
    const int written = fault == Fault::None         ? size
                        : fault == Fault::PowerCut   ? size
                        : fault == Fault::ShortWrite ? size / 2
                                                     : 0;
    if (written > 0) {
      const int result = open.behind()->pMethods->xWrite(open.behind(), from, written, offset);
      if (result != SQLITE_OK) return result;
      open.disk->wrote(open.path, {.offset = static_cast<size_t>(offset),
                                   .bytes = std::string(static_cast<const char*>(from), static_cast<size_t>(written))});
    }
    return fault == Fault::None ? SQLITE_OK : write_error(fault, SQLITE_IOERR_WRITE);
  }

  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    OpenFile& open = OpenFile::of(file);
    const std::lock_guard guard(open.disk->lock_);
    const Fault fault = open.disk->fault_of(Call::Truncate);
    if (fault != Fault::None) return write_error(fault, SQLITE_IOERR_TRUNCATE);
    const int result = open.behind()->pMethods->xTruncate(open.behind(), size);
    if (result == SQLITE_OK) open.disk->wrote(open.path, {.offset = static_cast<size_t>(size), .truncates = true});
    return result;
  }

  static int sync(sqlite3_file* file, int flags) {
    OpenFile& open = OpenFile::of(file);
    const std::lock_guard guard(open.disk->lock_);
    const Fault fault = open.disk->fault_of(Call::Sync);
    if (fault == Fault::PowerCut) return sync_error(fault);
    open.disk->synced(open.path, fault != Fault::None);
    return fault == Fault::None ? open.behind()->pMethods->xSync(open.behind(), flags) : sync_error(fault);
  }

  static int map_shared(sqlite3_file* file, int region, int size, int extend, void volatile** at) {
    OpenFile& open = OpenFile::of(file);
    Fault fault = Fault::None;
    if (extend != 0) {
      const std::lock_guard guard(open.disk->lock_);
      fault = open.disk->fault_of(Call::MapShared);
    }
    if (fault != Fault::None) return io_error(SQLITE_IOERR_SHMSIZE, fault == Fault::Full ? ENOSPC : EIO);
    return open.behind()->pMethods->xShmMap(open.behind(), region, size, extend, at);
  }

  // What needs no disk goes straight to the real file.
  static const sqlite3_io_methods& methods() {
    static const sqlite3_io_methods kMethods = [] {
      sqlite3_io_methods all{};
      all.iVersion = 2;
      all.xClose = close;
      all.xRead = read;
      all.xWrite = write;
      all.xTruncate = truncate;
      all.xSync = sync;
      all.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
        return OpenFile::of(f).behind()->pMethods->xFileSize(OpenFile::of(f).behind(), size);
      };
      all.xLock = [](sqlite3_file* f, int level) {
        return OpenFile::of(f).behind()->pMethods->xLock(OpenFile::of(f).behind(), level);
      };
      all.xUnlock = [](sqlite3_file* f, int level) {
        return OpenFile::of(f).behind()->pMethods->xUnlock(OpenFile::of(f).behind(), level);
      };
      all.xCheckReservedLock = [](sqlite3_file* f, int* held) {
        return OpenFile::of(f).behind()->pMethods->xCheckReservedLock(OpenFile::of(f).behind(), held);
      };
      all.xFileControl = [](sqlite3_file* f, int what, void* argument) {
        return OpenFile::of(f).behind()->pMethods->xFileControl(OpenFile::of(f).behind(), what, argument);
      };
      all.xSectorSize = [](sqlite3_file* f) {
        return OpenFile::of(f).behind()->pMethods->xSectorSize(OpenFile::of(f).behind());
      };
      all.xDeviceCharacteristics = [](sqlite3_file* f) {
        return OpenFile::of(f).behind()->pMethods->xDeviceCharacteristics(OpenFile::of(f).behind());
      };
      all.xShmMap = map_shared;
      all.xShmLock = [](sqlite3_file* f, int offset, int count, int flags) {
        return OpenFile::of(f).behind()->pMethods->xShmLock(OpenFile::of(f).behind(), offset, count, flags);
      };
      all.xShmBarrier = [](sqlite3_file* f) {
        OpenFile::of(f).behind()->pMethods->xShmBarrier(OpenFile::of(f).behind());
      };
      all.xShmUnmap = [](sqlite3_file* f, int remove) {
        return OpenFile::of(f).behind()->pMethods->xShmUnmap(OpenFile::of(f).behind(), remove);
      };
      return all;
    }();
    return kMethods;
  }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* flags_out) {
    auto& disk = *static_cast<TestDisk*>(vfs->pAppData);
    OpenFile& open = OpenFile::of(file);
    open = {.base = {.pMethods = nullptr}, .disk = &disk, .path = path, .counted = path != nullptr};
    const std::lock_guard guard(disk.lock_);
    if (const Fault fault = disk.fault_of(Call::Open); fault != Fault::None) return io_error(SQLITE_CANTOPEN, EIO);
    bool was_there = false;
    if (open.counted) {
      was_there = std::filesystem::exists(path);
      if (const auto known = disk.files_.find(path); known != disk.files_.end()) disk.drop_lost(path, known->second);
    }
    const int result = real().xOpen(&real(), path, open.behind(), flags, flags_out);
    if (result != SQLITE_OK) return result;
    if (open.counted) disk.opened(path, was_there);
    open.base.pMethods = &methods();
    return SQLITE_OK;
  }

  static int remove(sqlite3_vfs* vfs, const char* path, int sync_directory) {
    auto& disk = *static_cast<TestDisk*>(vfs->pAppData);
    const std::lock_guard guard(disk.lock_);
    if (disk.fault_of(Call::Remove) != Fault::None) return io_error(SQLITE_IOERR_DELETE, EIO);
    const int result = real().xDelete(&real(), path, sync_directory);
    if (result == SQLITE_OK) disk.removed(path, sync_directory != 0);
    return result;
  }
};

TestDisk::TestDisk(std::filesystem::path folder)
    : folder_(std::move(folder)), vfs_(std::make_unique<sqlite3_vfs>(real())) {
  static std::atomic<int> number = 0;
  name_ = "test-disk-" + std::to_string(++number);
  vfs_->zName = name_.c_str();
  vfs_->pAppData = this;
  vfs_->pNext = nullptr;
  vfs_->szOsFile = static_cast<int>(sizeof(OpenFile)) + real().szOsFile;
  vfs_->xOpen = Door::open;
  vfs_->xDelete = Door::remove;
  vfs_->xAccess = [](sqlite3_vfs*, const char* path, int flags, int* out) {
    return real().xAccess(&real(), path, flags, out);
  };
  vfs_->xFullPathname = [](sqlite3_vfs*, const char* path, int size, char* out) {
    return real().xFullPathname(&real(), path, size, out);
  };
  sqlite3_vfs_register(vfs_.get(), 0);
}

TestDisk::~TestDisk() { sqlite3_vfs_unregister(vfs_.get()); }

}  // namespace basalt::crash
