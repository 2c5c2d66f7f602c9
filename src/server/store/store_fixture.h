// What the tests of the store share: a folder that goes away, short ways to write and wait, and the state as text.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "server/store/store.h"

namespace basalt::store {

// An empty folder of its own, removed with everything in it at the end. In memory where that is possible: these tests
// prove logic, and hundreds of syncs of a busy disk would take long.
class TempFolder {
 public:
  TempFolder() {
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = access(memory.c_str(), W_OK | X_OK) == 0;
    std::string name = ((usable ? memory : std::filesystem::temp_directory_path()) / "basalt-store-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Far more than anything takes: a test that waits so long has failed.
inline constexpr std::chrono::seconds kTestTimeout{60};

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline constexpr uint32_t kVersionAt = 13;

// An object whose JSON says `value`; the version goes behind `{"metadata":{`.
inline std::string object_bytes(std::string_view value) {
  return R"({"metadata":{"name":"x"},"value":")" + std::string(value) + "\"}";
}

inline StoreWrite put(std::string_view resource, std::string_view key, Revision expected, std::string_view value) {
  return {.address = {.resource = std::string(resource), .key = std::string(key)},
          .expected = expected,
          .bytes = object_bytes(value),
          .version_at = kVersionAt};
}

inline StoreWrite removal(std::string_view resource, std::string_view key, Revision expected) {
  StoreWrite write = put(resource, key, expected, "last");
  write.remove = true;
  return write;
}

// Writes and waits for the commit.
inline StoreResult<RecordPtr> commit(Store& store, StoreWrite write) {
  std::promise<StoreResult<RecordPtr>> promise;
  auto answer = promise.get_future();
  (void)store.write(std::move(write),
                    [&promise](StoreResult<RecordPtr> result) { promise.set_value(std::move(result)); });
  return answer.get();
}

// The same, of a write that must succeed; answers its revision.
inline Revision commit_revision(Store& store, StoreWrite write) {
  const StoreResult<RecordPtr> result = commit(store, std::move(write));
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return 0;
  }
  return (*result)->revision();
}

// Why it was refused; Broken when it was not.
inline StoreErrorCode refusal(const auto& result) { return result ? StoreErrorCode::Broken : result.error().why; }

inline std::unique_ptr<Store> must_open(const std::filesystem::path& file, const StoreOptions& options = {}) {
  Result<std::unique_ptr<Store>> store = Store::open(file, options);
  if (!store) {
    ADD_FAILURE() << store.error().message;
    return nullptr;
  }
  return std::move(*store);
}

// Key → "revision bytes" of a resource: equal when two stores hold the same.
using Contents = std::map<std::string, std::string>;

inline std::string text_of(const Record& record) { return std::to_string(record.revision()) + " " + record.bytes(); }

inline Contents contents(const Store& store, std::string_view resource, Revision at = 0) {
  Contents all;
  const StoreResult<ListPage> page = store.list({.resource = resource, .at = at});
  if (!page) {
    ADD_FAILURE() << page.error().message;
    return all;
  }
  for (const RecordPtr& record : page->records) all[record->key()] = text_of(*record);
  return all;
}

// What a watcher would hold after these events.
inline void replay(const StoreEvent& event, Contents& onto) {
  if (event.now->deleted()) {
    onto.erase(event.now->key());
  } else {
    onto[event.now->key()] = text_of(*event.now);
  }
}

}  // namespace basalt::store
