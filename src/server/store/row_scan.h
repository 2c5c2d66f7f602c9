// Reading every row of a store's file, each proven by its checksum.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "server/store/record.h"
#include "server/store/sqlite.h"
#include "server/store/store_file.h"

namespace basalt::store {

using RowVisit = std::function<void(std::string_view resource, RecordPtr record, uint64_t checksum)>;

// By rising revision. The rows together must be those that `meta` speaks of. After an error what was visited is worth
// nothing. Cost: reads the whole file.
SqlResult<void> scan_rows(Database& database, const FileMeta& meta, const RowVisit& visit);

}  // namespace basalt::store
