#include "kube/api/api_resource.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tuple>
#include <utility>

namespace basalt::api {
namespace {

using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

Key plural_key(const ApiResource& row) { return {row.group, row.version, row.plural}; }
Key kind_key(const ApiResource& row) { return {row.group, row.version, row.kind}; }

std::vector<size_t> sorted_by(const std::vector<ApiResource>& rows, Key (*key)(const ApiResource&)) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t row) { return std::pair(key(rows[row]), row); });
  return order;
}

const ApiResource* find_in(const std::vector<ApiResource>& rows, const std::vector<size_t>& order,
                           Key (*key)(const ApiResource&), const Key& wanted) {
  const auto at = std::ranges::lower_bound(order, wanted, {}, [&](size_t row) { return key(rows[row]); });
  return at != order.end() && key(rows[*at]) == wanted ? &rows[*at] : nullptr;
}

// v1 → {2, 1, 0}, v1beta2 → {1, 1, 2}, v1alpha1 → {0, 1, 1}; nullopt for another form.
std::optional<std::tuple<int, uint32_t, uint32_t>> version_rank(std::string_view version) {
  const char* const end = version.data() + version.size();
  uint32_t major = 0;
  uint32_t minor = 0;
  if (!version.starts_with('v')) return std::nullopt;
  const auto first = std::from_chars(version.data() + 1, end, major);
  if (first.ec != std::errc{} || major == 0) return std::nullopt;
  if (first.ptr == end) return std::tuple(2, major, 0U);
  std::string_view rest(first.ptr, static_cast<size_t>(end - first.ptr));
  const bool beta = rest.starts_with("beta");
  if (!beta && !rest.starts_with("alpha")) return std::nullopt;
  rest.remove_prefix(beta ? 4 : 5);
  const auto second = std::from_chars(rest.data(), end, minor);
  if (second.ec != std::errc{} || second.ptr != end || minor == 0) return std::nullopt;
  return std::tuple(beta ? 1 : 0, major, minor);
}

}  // namespace

bool prefers_version(std::string_view left, std::string_view right) {
  const auto left_rank = version_rank(left);
  const auto right_rank = version_rank(right);
  if (left_rank && right_rank) return *left_rank > *right_rank;
  if (left_rank || right_rank) return left_rank.has_value();
  return left < right;
}

ApiResourceTable::ApiResourceTable(std::vector<ApiResource> rows) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t left_index, size_t right_index) {
    const ApiResource& left = rows[left_index];
    const ApiResource& right = rows[right_index];
    if (left.group != right.group) return left.group < right.group;
    if (left.version != right.version) return prefers_version(left.version, right.version);
    if (left.plural != right.plural) return left.plural < right.plural;
    return left_index < right_index;
  });
  rows_.reserve(rows.size());
  for (const size_t index : order) rows_.push_back(std::move(rows[index]));
  by_plural_ = sorted_by(rows_, plural_key);
  by_kind_ = sorted_by(rows_, kind_key);
}

const ApiResource* ApiResourceTable::find(std::string_view group, std::string_view version,
                                          std::string_view plural) const {
  return find_in(rows_, by_plural_, plural_key, {group, version, plural});
}

const ApiResource* ApiResourceTable::find_kind(std::string_view group, std::string_view version,
                                               std::string_view kind) const {
  return find_in(rows_, by_kind_, kind_key, {group, version, kind});
}

bool ApiResourceTable::has_group_version(std::string_view group, std::string_view version) const {
  const auto at = std::ranges::lower_bound(by_plural_, Key{group, version, {}}, {},
                                           [&](size_t row) { return plural_key(rows_[row]); });
  return at != by_plural_.end() && rows_[*at].group == group && rows_[*at].version == version;
}

}  // namespace basalt::api
