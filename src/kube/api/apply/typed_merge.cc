#include "kube/api/apply/typed_merge.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kube/api/apply/typed_value.h"

namespace basalt::api {
namespace {

using text::Array;
using text::Object;
using text::Value;

Value merge(FieldArena& arena, const Schema* type, const Value& live, const Value& config);

// The elements of two lists under common numbers: equal names have the same.
struct Numbered {
  struct Sides {
    const Value* live = nullptr;  // null with in_live: the live list has several of them, which are not merged into
    const Value* config = nullptr;
    bool in_live = false;
    bool placed = false;
  };
  std::vector<size_t> live, config;      // the number of each element, in list order
  std::vector<const Value*> live_value;  // parallel to `live`
  std::vector<Sides> sides;              // by number

  Numbered(FieldArena& arena, const Schema& list, const Array& live_list, const Array& config_list) {
    const auto left = name_elements(arena, list, live_list);
    const auto right = name_elements(arena, list, config_list);
    std::vector<std::pair<size_t, size_t>> live_at, config_at;  // index, number
    size_t i = 0;
    size_t j = 0;
    while (i < left.size() || j < right.size()) {
      const bool from_left = j == right.size() || (i < left.size() && order_of(left[i].name, right[j].name) <= 0);
      const PathElement name = from_left ? left[i].name : right[j].name;
      Sides both;
      for (size_t first = i; i < left.size() && left[i].name == name; ++i) {
        both.in_live = true;
        both.live = i == first ? left[i].value : nullptr;
        live_at.emplace_back(left[i].index, sides.size());
      }
      for (; j < right.size() && right[j].name == name; ++j) {
        both.config = right[j].value;
        config_at.emplace_back(right[j].index, sides.size());
      }
      sides.push_back(both);
    }
    live = in_order(live_at, live_list.size());
    config = in_order(config_at, config_list.size());
    live_value.reserve(live.size());
    std::vector<bool> named(live_list.size(), false);
    for (const auto& [index, number] : live_at) named[index] = true;
    for (size_t index = 0; index < live_list.size(); ++index) {
      if (named[index]) live_value.push_back(&live_list[index]);
    }
  }

 private:
  static std::vector<size_t> in_order(const std::vector<std::pair<size_t, size_t>>& numbered, size_t size) {
    constexpr size_t kNone = SIZE_MAX;
    std::vector<size_t> by_index(size, kNone);
    for (const auto& [index, number] : numbered) by_index[index] = number;
    std::erase(by_index, kNone);
    return by_index;
  }
};

// Walks both lists at once. Elements that only the live object has are taken when they are reached; those of the config
// are taken in its order, and their live twins are skipped.
Array merge_elements(FieldArena& arena, const Schema& list, const Array& live, const Array& config) {
  Numbered both(arena, list, live, config);
  std::vector<size_t> shared;  // what both have, in the order of the config
  for (const size_t number : both.config) {
    if (both.sides[number].in_live) shared.push_back(number);
  }
  size_t next_shared = 0;
  Array out;
  out.reserve(both.live.size() + both.config.size() - shared.size());
  const auto take_config = [&](size_t number) {
    Numbered::Sides& side = both.sides[number];
    side.placed = true;
    out.push_back(side.live == nullptr ? *side.config : merge(arena, list.element, *side.live, *side.config));
    if (next_shared < shared.size() && shared[next_shared] == number) ++next_shared;
  };
  size_t i = 0;
  size_t j = 0;
  while (i < both.live.size() || j < both.config.size()) {
    if (i < both.live.size() && j < both.config.size()) {
      if (both.live[i] == both.config[j]) {
        take_config(both.config[j++]);
        ++i;
        continue;
      }
      if (both.sides[both.live[i]].config != nullptr && next_shared < shared.size() &&
          shared[next_shared] != both.live[i]) {
        ++i;  // shared, but its turn comes later
        continue;
      }
    }
    if (i < both.live.size()) {
      const Numbered::Sides& side = both.sides[both.live[i]];
      if (side.config == nullptr) {
        out.push_back(*both.live_value[i++]);
        continue;
      }
      if (side.placed) ++i;
    }
    if (j < both.config.size()) take_config(both.config[j++]);
  }
  return out;
}

Value merge(FieldArena& arena, const Schema* type, const Value& live, const Value& config) {
  const ValueForm form = form_of(type, &config);
  if (owned_whole(type, form)) return config;
  const bool null_config = config.is_null();
  if (form == ValueForm::List) {
    const Array* before = live.if_array();
    const Array* wanted = config.if_array();
    if (before == nullptr || before->empty()) return config;
    if (null_config || wanted == nullptr || wanted->empty()) return live;
    return merge_elements(arena, *type, *before, *wanted);
  }
  const Object* before = live.if_object();
  const Object* wanted = config.if_object();
  if (before == nullptr || before->empty()) return config;
  if (null_config || wanted == nullptr || wanted->empty()) return live;
  Object out;
  out.reserve(before->size() + wanted->size());
  for (const auto& member : *before) {
    const Value* given = wanted->if_contains(member.key());
    if (given == nullptr) {
      out.emplace(member.key(), member.value());
    } else {
      out.emplace(member.key(), merge(arena, member_type(type, member.key()), member.value(), *given));
    }
  }
  for (const auto& member : *wanted) out.emplace(member.key(), member.value());  // those that are there already stay
  return out;
}

// The siblings of a set, to be searched: a list of a hundred thousand elements asks as often.
class Siblings {
 public:
  explicit Siblings(FieldSet set) {
    for (; set != nullptr; set = set->next) nodes_.push_back(set);
  }
  [[nodiscard]] const FieldNode* find(const PathElement& element) const {
    const auto at = std::ranges::lower_bound(
        nodes_, element, [](const PathElement& a, const PathElement& b) { return order_of(a, b) < 0; },
        [](const FieldNode* node) -> const PathElement& { return node->element; });
    return at == nodes_.end() || (*at)->element != element ? nullptr : *at;
  }

 private:
  std::vector<const FieldNode*> nodes_;  // sorted, as sets are
};

void remove_from(FieldArena& arena, const Schema* type, Value& value, FieldSet fields) {
  const ValueForm form = form_of(type, &value);
  if (form == ValueForm::Scalar) return;
  if (owned_whole(type, form)) {  // parts of what is one field: the whole goes
    value = value.is_array() ? Value(boost::json::array_kind) : Value(boost::json::object_kind);
    return;
  }
  const Siblings siblings(fields);
  if (Array* array = value.if_array()) {
    Array kept;
    for (Value& element : *array) {
      const auto name = name_element(arena, *type, element);
      const FieldNode* node = name ? siblings.find(*name) : nullptr;
      if (node != nullptr && node->member) continue;
      if (node != nullptr) remove_from(arena, type->element, element, node->child);
      kept.push_back(std::move(element));
    }
    *array = std::move(kept);
  } else if (Object* object = value.if_object()) {
    Object kept;
    for (auto& member : *object) {
      const FieldNode* node = siblings.find({.kind = PathElementKind::Field, .text = member.key()});
      if (node != nullptr && node->member) continue;
      if (node != nullptr) remove_from(arena, member_type(type, member.key()), member.value(), node->child);
      kept.emplace(member.key(), std::move(member.value()));
    }
    *object = std::move(kept);
  }
}

}  // namespace

Value merge_config(const Schema& type, const Value& live, const Value& config) {
  FieldArena arena;
  return merge(arena, &type, live, config);
}

void remove_fields(const Schema& type, Value& value, FieldSet fields) {
  if (fields == nullptr) return;
  FieldArena arena;
  remove_from(arena, &type, value, fields);
}

}  // namespace basalt::api
