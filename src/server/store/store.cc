#include "server/store/store.h"

#include "server/store/durable_store.h"
#include "server/store/memory_store.h"
#include "server/store/sqlite_journal.h"

namespace basalt::store {

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& file, const StoreOptions& options) {
  Result<std::unique_ptr<SqliteJournal>> journal =
      SqliteJournal::open(file, {.vfs = options.vfs, .reserve_bytes = options.reserve_bytes});
  if (!journal) return std::unexpected(journal.error());
  ObjectTable table(options);
  table.load_bounds((*journal)->compacted(), (*journal)->highest());
  const Result<void> loaded = (*journal)->load(
      [&table](std::string_view resource, RecordPtr record) { table.load(resource, std::move(record)); });
  if (!loaded) return std::unexpected(loaded.error());
  return std::make_unique<DurableStore>(std::move(table), std::move(*journal), options);
}

std::unique_ptr<Store> Store::in_memory(const StoreOptions& options) { return std::make_unique<MemoryStore>(options); }

}  // namespace basalt::store
