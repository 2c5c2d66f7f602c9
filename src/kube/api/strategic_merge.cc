#include "kube/api/strategic_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/api/strategic_elements.h"
#include "kube/api/strategic_order.h"

namespace basalt::api {
namespace {

using text::Array;
using text::Object;
using text::Value;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList";
constexpr std::string_view kElementOrder = "$setElementOrder";
// Small objects keep the order of their members; in large ones order is worth less than O(1).
constexpr size_t kMaxStableErase = 64;

using Outcome = ApiResult<void>;

std::unexpected<ApiError> malformed(std::string_view what) {
  return std::unexpected(bad_request(fmt::format("invalid patch format of {}", what)));
}
std::unexpected<ApiError> no_merge_key(std::string_view key) {
  return unmergeable(fmt::format("a list element does not contain the declared merge key: {}", key));
}
void erase_member(Object& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if (object.size() <= kMaxStableErase) {
    object.stable_erase(found);
  } else {
    object.erase(found);
  }
}

template <class Drop>
void drop_members(Object& object, const Drop& drop) {
  if (std::none_of(object.begin(), object.end(), drop)) return;
  Object kept(object.storage());
  for (auto& member : object) {
    if (!drop(member)) kept.emplace(member.key(), std::move(member.value()));
  }
  object = std::move(kept);
}

// What a new part of the object is made of: the patch without nulls and without what carries a directive.
bool becomes_nothing(const Value& patch) { return patch.is_object() && patch.get_object().contains(kDirective); }

void make_plain(Value& patch) {
  if (Object* object = patch.if_object()) {
    drop_members(*object,
                 [](const auto& member) { return member.value().is_null() || becomes_nothing(member.value()); });
    for (auto& member : *object) make_plain(member.value());
  } else if (Array* array = patch.if_array()) {
    array->erase(std::remove_if(array->begin(), array->end(), becomes_nothing), array->end());
    for (Value& element : *array) make_plain(element);
  }
}

// How one field of a struct merges. `type` is that of the field, for a list that of its elements.
struct FieldMerge {
  const Schema* type = nullptr;
  bool merge = false;
  std::string_view key;
};

ApiResult<FieldMerge> field_merge(const Schema& schema, std::string_view name, bool list) {
  const SchemaField* field = schema.shape == Shape::Object ? schema.find(name) : nullptr;
  if (field == nullptr) return unmergeable(fmt::format("unable to find api field in {} for {}", schema.name, name));
  const Schema* type = field->type;
  if (list) {
    if (type->shape != Shape::List) return unmergeable(fmt::format("{} is no list", name));
    type = type->element;
    if (type->shape == Shape::List) return unmergeable("unexpected slice of slice");
  }
  return FieldMerge{.type = type, .merge = field->patch_merge, .key = field->patch_merge_key};
}

// What the merging of lists has cost so far, in elements. A patch may name an element many times, and each time the
// lists below it are merged as a whole.
struct Work {
  size_t elements = 0;

  Outcome spend(const Array& live, const Array& patch) {
    elements += live.size() + patch.size();
    if (elements <= kMaxStrategicElements) return {};
    return std::unexpected(too_large(
        fmt::format("the patch merges lists of more than {} elements in all: name each element once, or send several "
                    "patches",
                    kMaxStrategicElements)));
  }
};

Outcome merge_object(Work& work, const Schema& schema, Object& live, Object& patch);

// `patch` elements that carry `$patch` change the live list and go.
Outcome take_directives(Array& live, Array& patch, std::string_view key) {
  bool replace = false;
  Array kept(patch.storage());
  std::vector<std::string> deleted;
  for (Value& element : patch) {
    const Value* directive = text::find_member(element, kDirective);
    if (directive == nullptr) {
      kept.push_back(std::move(element));
    } else if (*directive == "delete") {
      const Value* id = text::find_member(element, key);
      if (id == nullptr) return no_merge_key(key);
      deleted.push_back(text::to_json(*id));
    } else if (*directive == "replace") {
      replace = true;
    } else if (*directive == "merge") {
      return unmergeable("merging lists cannot yet be specified in the patch");
    } else {
      return unmergeable("unknown patch type: " + text::describe(*directive));
    }
  }
  std::ranges::sort(deleted);
  if (!deleted.empty()) {
    const auto is_deleted = [&](const Value& element) {
      const Value* id = text::find_member(element, key);
      return id != nullptr && std::ranges::binary_search(deleted, text::to_json(*id));
    };
    live.erase(std::remove_if(live.begin(), live.end(), is_deleted), live.end());
  }
  if (replace) {
    live = std::move(kept);
    kept = Array(patch.storage());
  }
  patch = std::move(kept);
  return {};
}

Outcome merge_elements(Work& work, const FieldMerge& how, Array& live, Array& patch) {
  Positions places(live, how.key);
  for (Value& element : patch) {
    if (text::find_member(element, how.key) == nullptr) return no_merge_key(how.key);
    const auto found = places.find(element);
    if (!found) {
      places.add(element, live.size());
      live.push_back(element);
      continue;
    }
    Object change = element.get_object();
    if (const auto done = merge_object(work, *how.type, live[*found].get_object(), change); !done) return done;
  }
  for (const Value& element : live) {
    if (text::find_member(element, how.key) == nullptr) return no_merge_key(how.key);
  }
  return {};
}

void merge_values(Array& live, const Array& patch) {
  Array merged(live.storage());
  Positions seen(merged, "");
  for (const Array* list : {static_cast<const Array*>(&live), &patch}) {
    for (const Value& element : *list) {
      if (seen.find(element)) continue;
      seen.add(element, merged.size());
      merged.push_back(element);
    }
  }
  live = std::move(merged);
}

Outcome merge_list(Work& work, const FieldMerge& how, Array& live, Array& patch, bool deletes) {
  if (live.empty() && patch.empty()) return {};
  if (const auto paid = work.spend(live, patch); !paid) return paid;
  const auto sort = common_element_type(live, patch);
  if (!sort) return std::unexpected(sort.error());
  if (*sort != MergeElementType::Struct && deletes) {
    const Positions gone(patch, "");
    live.erase(std::remove_if(live.begin(), live.end(), [&](const Value& v) { return gone.find(v).has_value(); }),
               live.end());
    return {};
  }
  if (*sort == MergeElementType::Struct) {
    if (how.key.empty()) return unmergeable("cannot merge lists without merge key for " + how.type->name);
    if (const auto done = take_directives(live, patch, how.key); !done) return done;
  }
  const std::string_view key = *sort == MergeElementType::Struct ? how.key : std::string_view();
  const Positions live_order(live, key);
  const Positions order(patch, key);
  if (*sort == MergeElementType::Struct) {
    if (const auto done = merge_elements(work, how, live, patch); !done) return done;
  } else {
    merge_values(live, patch);
  }
  live = ordered(std::move(live), order, live_order);
  return {};
}

// The patch's list may only mention elements that the order list has, and in that order.
Outcome check_order(const Array& patch, const Array& order, std::string_view key) {
  if (patch.empty() || order.empty()) return {};
  size_t next = 0;
  for (const Value& element : patch) {
    if (!key.empty() && !element.is_object()) return unmergeable("expected an object, got " + text::describe(element));
    const Value* directive = text::find_member(element, kDirective);
    if (directive != nullptr && !key.empty() && *directive == "delete") continue;
    if (directive != nullptr && next < order.size()) continue;
    const auto id = [&](const Value& value) { return key.empty() ? &value : text::find_member(value, key); };
    for (;; ++next) {
      if (next == order.size())
        return unmergeable("the order in the patch list does not match the $setElementOrder list");
      if (id(element) == nullptr || id(order[next]) == nullptr) return no_merge_key(key);
      if (*id(element) == *id(order[next])) break;
    }
    ++next;
  }
  return {};
}

Outcome merge_in_order(Work& work, const Schema& schema, std::string_view directive, const Value& wanted, Object& live,
                       Object& patch) {
  const Array* order = wanted.if_array();
  if (order == nullptr) return unmergeable("expected a list, got " + text::describe(wanted));
  const size_t slash = directive.find('/');
  if (slash != kElementOrder.size()) return malformed("setElementOrder list");
  const std::string name(directive.substr(slash + 1));
  Value* live_value = live.if_contains(name);
  Value* patch_value = patch.if_contains(name);
  for (const Value* value : {live_value, patch_value}) {
    if (value != nullptr && !value->is_array()) return unmergeable("expected a list, got " + text::describe(*value));
  }
  const auto how = field_merge(schema, name, true);
  if (!how) return std::unexpected(how.error());
  Array none;
  if (const auto done = check_order(patch_value == nullptr ? none : patch_value->get_array(), *order, how->key);
      !done) {
    return done;
  }
  if (live_value == nullptr && patch_value == nullptr) return {};
  if (const auto paid = work.spend(live_value == nullptr ? none : live_value->get_array(), *order); !paid) return paid;
  const Array before = live_value == nullptr ? Array() : live_value->get_array();
  const auto sort = common_element_type(before, patch_value == nullptr ? none : patch_value->get_array());
  if (!sort) return std::unexpected(sort.error());
  if (live_value == nullptr) {
    make_plain(*patch_value);
    live[name] = std::move(*patch_value);
  } else if (patch_value != nullptr && !how->merge) {
    *live_value = std::move(*patch_value);
  } else if (patch_value != nullptr) {
    if (const auto done = merge_list(work, *how, live_value->get_array(), patch_value->get_array(), false); !done)
      return done;
  }
  Array& merged = live[name].get_array();
  for (const Value& element : merged) {
    if (!how->key.empty() && text::find_member(element, how->key) == nullptr) return no_merge_key(how->key);
    if (how->key.empty() && element.is_object()) return unmergeable("a list without merge key cannot be ordered");
  }
  merged = ordered(std::move(merged), Positions(*order, how->key), Positions(before, how->key));
  erase_member(patch, name);
  return {};
}

Outcome retain_keys(Object& live, Object& patch) {
  const Value* directive = patch.if_contains(kRetainKeys);
  if (directive == nullptr) return {};
  const Array* keys = directive->if_array();
  if (keys == nullptr) return malformed("retainKeys");
  std::vector<std::string> retained;
  for (const Value& key : *keys) {
    if (key.is_string()) retained.emplace_back(key.get_string());
  }
  std::ranges::sort(retained);
  const auto lost = [&](const auto& member) {
    return !std::ranges::binary_search(retained, std::string_view(member.key()));
  };
  for (const auto& member : patch) {
    const std::string_view name = member.key();
    if (name == kRetainKeys || member.value().is_null() || name.starts_with(kDeleteFromList) ||
        name.starts_with(kElementOrder)) {
      continue;
    }
    if (lost(member)) return malformed("retainKeys");
  }
  drop_members(live, lost);
  erase_member(patch, kRetainKeys);
  return {};
}

Outcome merge_member(Work& work, const Schema& schema, std::string_view key, Value& change, Object& live) {
  const bool deletes = key.starts_with(kDeleteFromList);
  std::string name(key);
  if (deletes) {
    const size_t slash = key.find('/');
    if (slash != kDeleteFromList.size()) return malformed("primitive list");
    if (slash + 1 < key.size()) name = key.substr(slash + 1);
  }
  if (change.is_null()) {
    erase_member(live, name);
    return {};
  }
  Value* there = live.if_contains(name);
  if (there == nullptr || merge_element_type(*there) != merge_element_type(change)) {
    if (deletes) return {};
    if (becomes_nothing(change)) {
      erase_member(live, name);
    } else {
      make_plain(change);
      live.insert_or_assign(name, std::move(change));
    }
    return {};
  }
  if (Object* object = there->if_object()) {
    const auto how = field_merge(schema, name, false);
    if (!how) return std::unexpected(how.error());
    return merge_object(work, *how->type, *object, change.get_object());
  }
  if (Array* array = there->if_array()) {
    const auto how = field_merge(schema, name, true);
    if (!how) return std::unexpected(how.error());
    if (how->merge || deletes) return merge_list(work, *how, *array, change.get_array(), deletes);
  }
  *there = std::move(change);
  return {};
}

// Uses up `patch`.
Outcome merge_object(Work& work, const Schema& schema, Object& live, Object& patch) {
  if (const Value* directive = patch.if_contains(kDirective)) {
    if (*directive == "replace") {
      erase_member(patch, kDirective);
      live = std::move(patch);
    } else if (*directive == "delete") {
      live.clear();
    } else {
      return unmergeable("unknown patch type: " + text::describe(*directive));
    }
    return {};
  }
  if (const auto done = retain_keys(live, patch); !done) return done;
  std::vector<std::string> orders;
  for (const auto& member : patch) {
    if (std::string_view(member.key()).starts_with(kElementOrder)) orders.emplace_back(member.key());
  }
  for (const std::string& directive : orders) {
    const Value order = std::move(patch[directive]);
    erase_member(patch, directive);
    if (const auto done = merge_in_order(work, schema, directive, order, live, patch); !done) return done;
  }
  for (auto& member : patch) {
    if (const auto done = merge_member(work, schema, member.key(), member.value(), live); !done) return done;
  }
  return {};
}

}  // namespace

ApiResult<Value> strategic_merge(const Schema& schema, Value live, const Value& patch) {
  if (!patch.is_object()) return std::unexpected(bad_request("a patch is an object, got " + text::describe(patch)));
  if (!live.is_object()) return std::unexpected(internal_error("the stored object is " + text::describe(live)));
  Object changes = patch.get_object();
  Work work;
  if (const auto done = merge_object(work, schema, live.get_object(), changes); !done)
    return std::unexpected(done.error());
  return live;
}

}  // namespace basalt::api
