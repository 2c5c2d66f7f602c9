// The store without a file: a write is committed before write() returns, on the caller's thread.
//
// A WriteCallback or wake function may write again; that write is complete before the inner write() returns.
#pragma once

#include "server/store/table_store.h"

namespace basalt::store {

class MemoryStore final : public TableStore {
 public:
  explicit MemoryStore(const StoreOptions& options) : TableStore(ObjectTable(options)) {}

  StoreResult<RecordPtr> write_steps(std::span<StoreWrite> steps, WriteCallback done) override;
  void compact(Revision revision) override;
};

}  // namespace basalt::store
