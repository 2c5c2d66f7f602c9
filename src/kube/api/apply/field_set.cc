#include "kube/api/apply/field_set.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>

namespace basalt::api {
namespace {

// Builds a list of siblings front to back. The tail may be shared with another set.
class Chain {
 public:
  explicit Chain(FieldArena& arena) : arena_(arena) {}

  void copy(const FieldNode& node) { link(arena_.node(node)); }
  void add(const PathElement& element, bool member, FieldSet child) {
    if (member || child != nullptr) link(arena_.node({.element = element, .member = member, .child = child}));
  }
  void share(FieldSet tail) {
    if (last_ != nullptr) {
      last_->next = tail;
    } else {
      first_ = tail;
    }
  }
  [[nodiscard]] FieldSet finish() const { return first_; }

 private:
  void link(FieldNode* node) {
    node->next = nullptr;
    share(node);
    last_ = node;
  }

  FieldArena& arena_;
  FieldSet first_ = nullptr;
  FieldNode* last_ = nullptr;
};

struct PathList {
  std::vector<std::string> paths;
  size_t bytes_left = 0;

  void collect(FieldSet set, const std::string& prefix) {
    for (const FieldNode* node = set; node != nullptr && bytes_left > 0; node = node->next) {
      if (!node->member) continue;
      paths.push_back(prefix);
      append_readable(paths.back(), node->element);
      bytes_left -= std::min(bytes_left, paths.back().size());
    }
    for (const FieldNode* node = set; node != nullptr && bytes_left > 0; node = node->next) {
      if (node->child == nullptr) continue;
      std::string path = prefix;
      append_readable(path, node->element);
      collect(node->child, path);
    }
  }
};

}  // namespace

FieldNode* FieldArena::node(const FieldNode& from) {
  static_assert(std::is_trivially_destructible_v<FieldNode>);
  return new (memory_.allocate(sizeof(FieldNode), alignof(FieldNode))) FieldNode(from);
}

std::string_view FieldArena::keep(std::string_view text) {
  if (text.empty()) return {};
  char* copy = static_cast<char*>(memory_.allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

void FieldList::add(FieldArena& arena, const PathElement& element, bool member, FieldSet child) {
  if (!member && child == nullptr) return;
  FieldNode* node = arena.node({.element = element, .member = member, .child = child});
  if (last_ == nullptr) {
    first_ = node;
  } else {
    sorted_ = sorted_ && order_of(last_->element, element) < 0;
    last_->next = node;
  }
  last_ = node;
  ++size_;
}

FieldSet FieldList::finish(FieldArena& arena) {
  if (sorted_) return first_;
  constexpr size_t kInPlace = 48;  // most structs have fewer fields: their nodes are sorted without the heap
  std::array<FieldNode*, kInPlace> few;
  std::vector<FieldNode*> many;
  std::span<FieldNode*> nodes;
  if (size_ <= kInPlace) {
    nodes = std::span(few).first(size_);
  } else {
    many.resize(size_);
    nodes = many;
  }
  FieldNode* next = first_;
  for (FieldNode*& node : nodes) {
    node = next;
    next = const_cast<FieldNode*>(next->next);  // all nodes of a list are its own until it is finished
  }
  std::ranges::sort(nodes, [](const FieldNode* a, const FieldNode* b) { return order_of(a->element, b->element) < 0; });
  FieldNode* last = nodes.front();
  for (FieldNode* node : nodes.subspan(1)) {
    if (node->element == last->element) {
      last->member = last->member || node->member;
      last->child = unite(arena, last->child, node->child);
    } else {
      last->next = node;
      last = node;
    }
  }
  last->next = nullptr;
  return nodes.front();
}

FieldSet unite(FieldArena& arena, FieldSet left, FieldSet right) {
  if (left == nullptr || left == right) return right;
  if (right == nullptr) return left;
  Chain chain(arena);
  while (left != nullptr && right != nullptr) {
    const auto order = order_of(left->element, right->element);
    if (order < 0) {
      chain.copy(*left);
      left = left->next;
    } else if (order > 0) {
      chain.copy(*right);
      right = right->next;
    } else {
      chain.add(left->element, left->member || right->member, unite(arena, left->child, right->child));
      left = left->next;
      right = right->next;
    }
  }
  chain.share(left != nullptr ? left : right);
  return chain.finish();
}

FieldSet intersect(FieldArena& arena, FieldSet left, FieldSet right) {
  Chain chain(arena);
  while (left != nullptr && right != nullptr) {
    const auto order = order_of(left->element, right->element);
    if (order == 0) {
      chain.add(left->element, left->member && right->member, intersect(arena, left->child, right->child));
    }
    if (order <= 0) left = left->next;
    if (order >= 0) right = right->next;
  }
  return chain.finish();
}

FieldSet subtract(FieldArena& arena, FieldSet left, FieldSet right) {
  Chain chain(arena);
  while (left != nullptr && right != nullptr) {
    const auto order = order_of(left->element, right->element);
    if (order < 0) {
      chain.copy(*left);
    } else if (order == 0) {
      chain.add(left->element, left->member && !right->member, subtract(arena, left->child, right->child));
    }
    if (order <= 0) left = left->next;
    if (order >= 0) right = right->next;
  }
  chain.share(left);
  return chain.finish();
}

FieldSet subtract_trees(FieldArena& arena, FieldSet left, FieldSet right) {
  Chain chain(arena);
  while (left != nullptr && right != nullptr) {
    const auto order = order_of(left->element, right->element);
    if (order < 0) {
      chain.copy(*left);
    } else if (order == 0 && !right->member) {
      chain.add(left->element, left->member, subtract_trees(arena, left->child, right->child));
    }
    if (order <= 0) left = left->next;
    if (order >= 0) right = right->next;
  }
  chain.share(left);
  return chain.finish();
}

bool same(FieldSet left, FieldSet right) {
  for (; left != nullptr && right != nullptr; left = left->next, right = right->next) {
    if (left == right) return true;
    if (left->element != right->element || left->member != right->member || !same(left->child, right->child)) {
      return false;
    }
  }
  return left == right;
}

std::vector<std::string> paths_of(FieldSet set, size_t max_bytes) {
  PathList list{.paths = {}, .bytes_left = max_bytes};
  list.collect(set, "");
  return std::move(list.paths);
}

}  // namespace basalt::api
