// Sets of fields of an object: what one writer owns, what a change touched.
//
// A set is a tree of path elements; a node that is a member stands for the field at its path, whether or not it has
// nodes below. Nodes are immutable and live in a FieldArena: the operations make new nodes only along what differs and
// share the rest.
//
// 1. Siblings are sorted (order_of) and distinct.
// 2. No node is empty: it is a member or has children.
//
// Cost of each operation: O(nodes of both), without allocation from the heap while the arena's first block lasts.
// Depth is that of the JSON documents the sets come from (text::kMaxJsonDepth).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "kube/api/apply/path_element.h"

namespace basalt::api {

struct FieldNode {
  PathElement element;
  bool member = false;
  const FieldNode* child = nullptr;
  const FieldNode* next = nullptr;
};

// The first of the top siblings; nullptr is the empty set.
using FieldSet = const FieldNode*;

// Memory for nodes and texts; everything made here lives as long as the arena. Not movable: nodes point into it.
class FieldArena {
 public:
  FieldArena() = default;
  FieldArena(const FieldArena&) = delete;
  FieldArena& operator=(const FieldArena&) = delete;

  [[nodiscard]] FieldNode* node(const FieldNode& from);
  [[nodiscard]] std::string_view keep(std::string_view text);

 private:
  static constexpr size_t kFirstBlock = size_t{12} * 1024;
  alignas(std::max_align_t) std::array<std::byte, kFirstBlock> block_;
  std::pmr::monotonic_buffer_resource memory_{block_.data(), block_.size()};
};

// Collects siblings in any order. A node that is empty is left out, equal ones are united.
class FieldList {
 public:
  void add(FieldArena& arena, const PathElement& element, bool member, FieldSet child);
  // The set, sorted. Cost: O(1) if the nodes came in order, else O(n log n).
  [[nodiscard]] FieldSet finish(FieldArena& arena);

 private:
  FieldNode* first_ = nullptr;
  FieldNode* last_ = nullptr;
  size_t size_ = 0;
  bool sorted_ = true;
};

[[nodiscard]] FieldSet unite(FieldArena& arena, FieldSet left, FieldSet right);
[[nodiscard]] FieldSet intersect(FieldArena& arena, FieldSet left, FieldSet right);
// Members of `left` that are no members of `right`. A parent in `right` does not take its children along.
[[nodiscard]] FieldSet subtract(FieldArena& arena, FieldSet left, FieldSet right);
// The same, but a member of `right` takes everything below it along.
[[nodiscard]] FieldSet subtract_trees(FieldArena& arena, FieldSet left, FieldSet right);

[[nodiscard]] bool same(FieldSet left, FieldSet right);

// The path of each member, readable, parents before what is below them; no more after `max_bytes` of them.
[[nodiscard]] std::vector<std::string> paths_of(FieldSet set, size_t max_bytes = SIZE_MAX);

}  // namespace basalt::api
