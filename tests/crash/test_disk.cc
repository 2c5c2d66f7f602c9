#include "tests/crash/test_disk.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace basalt::crash {

namespace {

namespace fs = std::filesystem;

constexpr size_t kSector = 512;

std::string read_all(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_all(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void put(std::string& content, size_t offset, std::string_view bytes, char hole) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size(), hole);
  content.replace(offset, bytes.size(), bytes);
}

bool is_shared_memory(const fs::path& path) { return path.string().ends_with("-shm"); }

bool changes_files(TestDisk::Call call) {
  return call == TestDisk::Call::Write || call == TestDisk::Call::Truncate || call == TestDisk::Call::Sync ||
         call == TestDisk::Call::Remove;
}

bool concerns(Fault fault, TestDisk::Call call) {
  using enum TestDisk::Call;
  switch (fault) {
    case Fault::None:
      return false;
    case Fault::PowerCut:
    case Fault::Io:
      return true;
    case Fault::Full:
    case Fault::Quota:
      return call == Write || call == Sync || call == MapShared;
    case Fault::ShortWrite:
      return call == Write;
    case Fault::ShortRead:
      return call == Read;
  }
  return false;
}

}  // namespace

void TestDisk::plan(const FaultPlan& plan) {
  const std::lock_guard guard(lock_);
  plan_ = plan;
  calls_ = 0;
  failed_ = false;
}

void TestDisk::keep_lost(bool keep) {
  const std::lock_guard guard(lock_);
  keeps_lost_ = keep;
}

uint64_t TestDisk::calls() const {
  const std::lock_guard guard(lock_);
  return calls_;
}

bool TestDisk::is_cut() const {
  const std::lock_guard guard(lock_);
  return cut_;
}

bool TestDisk::has_failed() const {
  const std::lock_guard guard(lock_);
  return failed_;
}

Fault TestDisk::fault_of(Call call) {
  if (cut_) return Fault::PowerCut;
  if (plan_.syncs_only ? call != Call::Sync : !plan_.reads && !changes_files(call)) return Fault::None;
  ++calls_;
  const bool due = calls_ >= plan_.first && calls_ - plan_.first < plan_.calls;
  if (!due || !concerns(plan_.fault, call)) return Fault::None;
  failed_ = true;
  cut_ = plan_.fault == Fault::PowerCut;
  return plan_.fault;
}

void TestDisk::opened(const std::string& path, bool was_there) {
  const auto [place, fresh] = files_.try_emplace(path);
  File& file = place->second;
  if (fresh && was_there) {
    file.safe = read_all(path);
    file.has_safe_name = true;
  }
  file.exists = true;
  ++file.open;
}

void TestDisk::closed(const std::string& path) { --files_.at(path).open; }

// The kernel forgets what it holds of a file whose sync failed: from now on everybody reads what the disk has.
void TestDisk::drop_lost(const std::string& path, File& file) {
  if (!file.shows_lost || keeps_lost_ || file.open > 0) return;
  file.shows_lost = false;
  std::string content = file.safe;
  for (const Change& change : file.pending) {
    change.truncates ? content.resize(change.offset) : put(content, change.offset, change.bytes, '\0');
  }
  write_all(path, content);
}

void TestDisk::wrote(const std::string& path, Change change) { files_.at(path).pending.push_back(std::move(change)); }

void TestDisk::synced(const std::string& path, bool in_vain) {
  File& file = files_.at(path);
  if (in_vain) {
    file.shows_lost = true;
  } else {
    for (const Change& change : file.pending) {
      change.truncates ? file.safe.resize(change.offset) : put(file.safe, change.offset, change.bytes, '\0');
    }
    file.has_safe_name = true;
    file.removed.reset();
  }
  file.pending.clear();
}

void TestDisk::removed(const std::string& path, bool directory_synced) {
  File& file = files_[path];
  if (file.has_safe_name) file.removed = file.safe;
  if (directory_synced) file.removed.reset();
  file.safe.clear();
  file.pending.clear();
  file.has_safe_name = file.exists = file.shows_lost = false;
}

// The file that has this name when the power is back; nothing: none has.
std::optional<std::string> TestDisk::after_cut(const File& file, Survival survival, Rng& rng) {
  const bool by_chance = survival == Survival::Sectors && rng.chance(0.5);
  const bool new_name = file.exists && (file.has_safe_name || survival == Survival::Everything || by_chance);
  if (!new_name) {
    const bool comes_back = survival == Survival::Nothing || by_chance;
    return file.removed && comes_back ? file.removed : std::nullopt;
  }
  std::string content = file.safe;
  const double share = static_cast<double>(rng.below(101)) / 100;
  const char hole = rng.chance(0.5) ? '\0' : '\x5a';
  for (const Change& change : file.pending) {
    if (survival == Survival::Nothing) break;
    if (change.truncates) {
      if (survival == Survival::Everything || rng.chance(share)) content.resize(change.offset);
      continue;
    }
    const std::string_view bytes = change.bytes;
    for (size_t at = 0; at < bytes.size();) {
      const size_t end = std::min(bytes.size(), at + kSector - (change.offset + at) % kSector);
      std::string_view sector = bytes.substr(at, end - at);
      if (survival == Survival::Everything || rng.chance(share)) {
        if (survival == Survival::Sectors && rng.chance(0.02)) sector = sector.substr(0, rng.below(sector.size()));
        put(content, change.offset + at, sector, hole);
      }
      at = end;
    }
  }
  return content;
}

void TestDisk::leave(const fs::path& target, Survival survival, Rng& rng) const {
  const std::lock_guard guard(lock_);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const bool known = files_.contains(entry.path().string());
    if (!known && !is_shared_memory(entry.path())) fs::copy(entry.path(), target / entry.path().filename());
  }
  for (const auto& [path, file] : files_) {
    const bool renamed = file.exists && !fs::exists(path);  // the store's own doing, and synced
    if (renamed) continue;
    if (const auto content = after_cut(file, survival, rng)) write_all(target / fs::path(path).filename(), *content);
  }
}

}  // namespace basalt::crash
