// Dense, typed indexes.
//
// A StrongId<Tag> is an index into one table and nothing else: no arithmetic, no mixing of a node with a task.
// kNone is the explicit "no such row". IdVector<Id, T> is a std::vector that only accepts the right kind of id.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace basalt {

template <class Tag>
struct StrongId {
  static constexpr uint32_t kNoneValue = std::numeric_limits<uint32_t>::max();
  uint32_t value = kNoneValue;

  constexpr StrongId() = default;
  constexpr explicit StrongId(uint32_t index) : value(index) {}
  constexpr explicit StrongId(size_t index) : value(static_cast<uint32_t>(index)) {}

  [[nodiscard]] constexpr bool valid() const { return value != kNoneValue; }
  [[nodiscard]] constexpr size_t index() const { return value; }
  friend constexpr auto operator<=>(StrongId, StrongId) = default;
};

// A vector indexed by Id. Same cost and ownership as std::vector.
template <class Id, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(size_t size, const T& fill = T()) : rows_(size, fill) {}

  decltype(auto) operator[](Id id) { return rows_[id.index()]; }
  decltype(auto) operator[](Id id) const { return rows_[id.index()]; }
  [[nodiscard]] bool contains(Id id) const { return id.index() < rows_.size(); }
  [[nodiscard]] size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  void resize(size_t size, const T& fill = T()) { rows_.resize(size, fill); }
  void assign(size_t size, const T& fill) { rows_.assign(size, fill); }
  void clear() { rows_.clear(); }
  void reserve(size_t size) { rows_.reserve(size); }
  Id push_back(T row) {
    rows_.push_back(std::move(row));
    return Id(rows_.size() - 1);
  }
  // Grows so that `id` is a valid row.
  void ensure(Id id, const T& fill = T()) {
    if (id.index() >= rows_.size()) rows_.resize(id.index() + 1, fill);
  }
  auto begin() { return rows_.begin(); }
  auto end() { return rows_.end(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

 private:
  std::vector<T> rows_;
};

}  // namespace basalt

template <class Tag>
struct std::hash<basalt::StrongId<Tag>> {
  size_t operator()(basalt::StrongId<Tag> id) const noexcept { return std::hash<uint32_t>()(id.value); }
};
