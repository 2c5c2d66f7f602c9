#include "server/store/row_scan.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>

#include "server/store/row_checksum.h"

namespace basalt::store {

namespace {

// The record of the row that the statement stands on, or nothing when it cannot be one.
RecordPtr record_of(const SqlStatement& row) {
  const std::string_view bytes = row.bytes(6);
  const uint64_t version_at = row.number(4);
  if (version_at > bytes.size() || version_at > std::numeric_limits<uint32_t>::max()) return nullptr;
  auto record = std::make_shared<const Record>(std::string(row.bytes(2)), row.number(0), row.integer(3) != 0,
                                               std::string(bytes), static_cast<uint32_t>(version_at));
  return row_checksum(row.bytes(1), *record) == row.number(5) ? record : nullptr;
}

}  // namespace

SqlResult<void> scan_rows(Database& database, const FileMeta& meta, const RowVisit& visit) {
  SqlResult<SqlStatement> rows = database.prepare(
      "SELECT revision, resource, key, deleted, version_at, checksum, object FROM log ORDER BY revision");
  if (!rows) return std::unexpected(rows.error());
  uint64_t count = 0, sum = 0;
  Revision last = 0;
  for (;;) {
    const SqlResult<bool> row = rows->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) break;
    RecordPtr record = record_of(*rows);
    const Revision revision = rows->number(0);
    if (record == nullptr) return not_ours(fmt::format("the row of revision {} is corrupt", revision));
    if (revision <= last) return not_ours("its rows are out of order");
    ++count, sum += rows->number(5), last = revision;
    visit(rows->bytes(1), std::move(record), rows->number(5));
  }
  if (count != meta.rows || sum != meta.sum || last > meta.highest) {
    return not_ours(fmt::format("it should hold {} rows, but {} others are there", meta.rows, count));
  }
  return {};
}

}  // namespace basalt::store
