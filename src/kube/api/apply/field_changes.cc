#include "kube/api/apply/field_changes.h"

#include <span>
#include <vector>

#include "kube/api/apply/typed_value.h"
#include "kube/api/schema/struct_reader.h"

namespace basalt::api {
namespace {

using text::Array;
using text::Object;
using text::Value;

PathElement field_named(std::string_view name) { return {.kind = PathElementKind::Field, .text = name}; }

const Value* managed_fields_of(const Value& object) {
  const Value* metadata = text::find_member(object, "metadata");
  return metadata == nullptr ? nullptr : text::find_member(*metadata, "managedFields");
}

// Everything below `value`, when all of it is new or all of it is gone.
FieldSet whole(FieldArena& arena, const Schema* type, const Value& value);

FieldSet whole_elements(FieldArena& arena, const Schema& list, const Array& elements) {
  FieldList out;
  const auto named = name_elements(arena, list, elements);
  for (size_t i = 0; i < named.size(); ++i) {
    if (i + 1 < named.size() && named[i + 1].name == named[i].name) {  // duplicates are one field
      while (i + 1 < named.size() && named[i + 1].name == named[i].name) ++i;
      out.add(arena, named[i].name, true, nullptr);
      continue;
    }
    out.add(arena, named[i].name, true, whole(arena, list.element, *named[i].value));
  }
  return out.finish(arena);
}

FieldSet whole(FieldArena& arena, const Schema* type, const Value& value) {
  const ValueForm form = form_of(type, &value);
  if (owned_whole(type, form)) return nullptr;
  if (const Array* array = value.if_array())
    return form == ValueForm::List ? whole_elements(arena, *type, *array) : nullptr;
  const Object* object = value.if_object();
  if (object == nullptr || form != ValueForm::Map) return nullptr;
  FieldList out;
  for (const auto& member : *object) {
    const Schema* below = member_type(type, member.key());
    out.add(arena, field_named(member.key()), true, whole(arena, below, member.value()));
  }
  return out.finish(arena);
}

// What changed at one place and below it.
struct Difference {
  bool removed = false, modified = false, added = false;
  bool leaf = false;
  FieldChanges below;
};

class Comparison {
 public:
  Comparison(FieldArena& arena, const Value& old, const Value& next)
      : arena_(arena), skip_old_(managed_fields_of(old)), skip_next_(managed_fields_of(next)) {}

  Difference compare(const Schema* type, const Value* old, const Value* next) const;

 private:
  struct Lists {
    FieldList removed, modified, added;
  };
  void add(Lists& lists, const PathElement& name, const Difference& found) const;
  FieldChanges finish(Lists& lists) const;
  void as_leaf(Difference& found, const Value* old, const Value* next) const;
  void as_form(Difference& found, ValueForm form, const Schema* type, const Value* old, const Value* next) const;
  FieldChanges members(const Schema* type, const Object* old, const Object* next) const;
  FieldChanges elements(const Schema& list, const Array* old, const Array* next) const;
  void element_group(Lists& lists, const Schema& list, std::span<const NamedElement> old,
                     std::span<const NamedElement> next) const;

  FieldArena& arena_;
  const Value* skip_old_;
  const Value* skip_next_;
};

void Comparison::add(Lists& lists, const PathElement& name, const Difference& found) const {
  lists.removed.add(arena_, name, found.removed, found.below.removed);
  lists.modified.add(arena_, name, found.modified, found.below.modified);
  lists.added.add(arena_, name, found.added, found.below.added);
}

FieldChanges Comparison::finish(Lists& lists) const {
  return {.removed = lists.removed.finish(arena_),
          .modified = lists.modified.finish(arena_),
          .added = lists.added.finish(arena_)};
}

void Comparison::as_leaf(Difference& found, const Value* old, const Value* next) const {
  found.leaf = true;
  if (old == nullptr) {
    found.added = true;
  } else if (next == nullptr) {
    found.removed = true;
  } else if (!equal_values(*old, *next)) {
    found.modified = true;
  }
}

void Comparison::as_form(Difference& found, ValueForm form, const Schema* type, const Value* old,
                         const Value* next) const {
  if (owned_whole(type, form)) return as_leaf(found, old, next);
  FieldChanges below;
  if (form == ValueForm::List) {
    const Array* left = old == nullptr ? nullptr : old->if_array();
    const Array* right = next == nullptr ? nullptr : next->if_array();
    if ((left == nullptr || left->empty()) && (right == nullptr || right->empty())) return as_leaf(found, old, next);
    below = elements(*type, left, right);
  } else {
    const Object* left = old == nullptr ? nullptr : old->if_object();
    const Object* right = next == nullptr ? nullptr : next->if_object();
    if ((left == nullptr || left->empty()) && (right == nullptr || right->empty())) return as_leaf(found, old, next);
    below = members(type, left, right);
  }
  found.below.removed = unite(arena_, found.below.removed, below.removed);
  found.below.modified = unite(arena_, found.below.modified, below.modified);
  found.below.added = unite(arena_, found.below.added, below.added);
}

Difference Comparison::compare(const Schema* type, const Value* old, const Value* next) const {
  Difference found;
  const ValueForm old_form = form_of(type, old);
  const ValueForm next_form = form_of(type, next);
  if (old != nullptr && next != nullptr && old_form != next_form) as_form(found, old_form, type, old, next);
  found.leaf = false;  // what it is now decides
  as_form(found, next == nullptr ? old_form : next_form, type, old, next);
  if (!found.leaf) {
    found.added = found.added || old == nullptr;
    found.removed = found.removed || next == nullptr;
  }
  return found;
}

FieldChanges Comparison::members(const Schema* type, const Object* old, const Object* next) const {
  Lists lists;
  if (old != nullptr) {
    for (const auto& member : *old) {
      if (&member.value() == skip_old_) continue;
      const Value* now = next == nullptr ? nullptr : next->if_contains(member.key());
      if (now == skip_next_) now = nullptr;
      add(lists, field_named(member.key()), compare(member_type(type, member.key()), &member.value(), now));
    }
  }
  if (next != nullptr) {
    for (const auto& member : *next) {
      if (&member.value() == skip_next_ || (old != nullptr && old->contains(member.key()))) continue;
      const Schema* below = member_type(type, member.key());
      lists.added.add(arena_, field_named(member.key()), true, whole(arena_, below, member.value()));
    }
  }
  return finish(lists);
}

// The elements of one name on both sides; more than one are duplicates, which are compared as a whole.
void Comparison::element_group(Lists& lists, const Schema& list, std::span<const NamedElement> old,
                               std::span<const NamedElement> next) const {
  const PathElement name = old.empty() ? next.front().name : old.front().name;
  if (old.size() <= 1 && next.size() <= 1) {
    const Value* before = old.empty() ? nullptr : old.front().value;
    const Value* now = next.empty() ? nullptr : next.front().value;
    return add(lists, name, compare(list.element, before, now));
  }
  Difference found;
  if (old.size() >= 2 && next.size() >= 2) {
    found.modified = old.size() != next.size();
    for (size_t i = 0; !found.modified && i < old.size(); ++i) {
      found.modified = !equal_values(*old[i].value, *next[i].value);
    }
  } else if (old.size() >= 2) {
    if (!next.empty()) found = compare(list.element, nullptr, next.front().value);
    found.removed = true;
  } else {
    if (!old.empty()) found = compare(list.element, old.front().value, nullptr);
    found.added = true;
  }
  add(lists, name, found);
}

FieldChanges Comparison::elements(const Schema& list, const Array* old, const Array* next) const {
  if (old != nullptr && next != nullptr && *old == *next) return {};
  const auto left = old == nullptr ? std::vector<NamedElement>() : name_elements(arena_, list, *old);
  const auto right = next == nullptr ? std::vector<NamedElement>() : name_elements(arena_, list, *next);
  Lists lists;
  size_t i = 0;
  size_t j = 0;
  while (i < left.size() || j < right.size()) {
    const bool from_left = j == right.size() || (i < left.size() && order_of(left[i].name, right[j].name) <= 0);
    const PathElement name = from_left ? left[i].name : right[j].name;
    const size_t first_left = i;
    const size_t first_right = j;
    while (i < left.size() && left[i].name == name) ++i;
    while (j < right.size() && right[j].name == name) ++j;
    element_group(lists, list, std::span(left).subspan(first_left, i - first_left),
                  std::span(right).subspan(first_right, j - first_right));
  }
  return finish(lists);
}

FieldSet new_members(FieldArena& arena, const Schema& type, const Object& object, const Value* skip) {
  FieldList out;
  for (const auto& member : object) {
    if (&member.value() == skip) continue;
    const SchemaField* field = type.find(member.key());
    const Schema* below = field == nullptr ? nullptr : field->type;
    const bool was_written = field != nullptr && field->when_empty == WhenEmpty::Write;
    const ValueForm form = form_of(below, &member.value());
    bool is_new = true;
    FieldSet inside = nullptr;
    if (was_written && !owned_whole(below, form)) {
      // The place was there, empty: it is not new itself. Nothing in it: only null and [] differ.
      is_new = false;
      if (member.value().is_object() && below->shape == Shape::Object) {
        inside = new_members(arena, *below, member.value().get_object(), skip);
      } else {
        inside = whole(arena, below, member.value());
        is_new = inside == nullptr && !member.value().is_null();
      }
    } else if (was_written) {
      is_new = !equal_values(zero_value(*below), member.value());
    } else {
      inside = whole(arena, below, member.value());
    }
    out.add(arena, field_named(member.key()), is_new, inside);
  }
  return out.finish(arena);
}

}  // namespace

FieldChanges compare_objects(FieldArena& arena, const Schema& type, const Value& old, const Value& next) {
  return Comparison(arena, old, next).compare(&type, &old, &next).below;
}

FieldSet fields_of_new(FieldArena& arena, const Schema& type, const Value& object) {
  const Object* members = object.if_object();
  if (members == nullptr || type.shape != Shape::Object) return nullptr;
  return new_members(arena, type, *members, managed_fields_of(object));
}

Value empty_object(const Schema& type) {
  return type.shape == Shape::Object ? zero_value(type) : Value(boost::json::object_kind);
}

namespace {

FieldSet mentioned(FieldArena& arena, const Schema* type, const Value& value, const Value* skip);

FieldSet mentioned_elements(FieldArena& arena, const Schema& list, const Array& elements) {
  FieldList out;
  const auto named = name_elements(arena, list, elements);
  for (size_t i = 0; i < named.size(); ++i) {
    const size_t first = i;
    while (i + 1 < named.size() && named[i + 1].name == named[first].name) ++i;
    out.add(arena, named[first].name, true,
            i > first ? nullptr : mentioned(arena, list.element, *named[i].value, nullptr));
  }
  return out.finish(arena);
}

// What is below `value`; whether `value` itself is a member is for its container to say.
FieldSet mentioned(FieldArena& arena, const Schema* type, const Value& value, const Value* skip) {
  const ValueForm form = form_of(type, &value);
  if (owned_whole(type, form)) return nullptr;
  if (form == ValueForm::List) return value.is_array() ? mentioned_elements(arena, *type, value.get_array()) : nullptr;
  const Object* object = value.if_object();
  if (object == nullptr) return nullptr;
  FieldList out;
  for (const auto& member : *object) {
    if (&member.value() == skip) continue;
    const Schema* below = member_type(type, member.key());
    const bool empty_map = member.value().is_object() && member.value().get_object().empty();
    const bool member_itself = member.value().is_null() || empty_map || !names_field(type, member.key()) ||
                               owned_whole(below, form_of(below, &member.value()));
    out.add(arena, field_named(member.key()), member_itself, mentioned(arena, below, member.value(), skip));
  }
  return out.finish(arena);
}

}  // namespace

FieldSet fields_of_config(FieldArena& arena, const Schema& type, const Value& config) {
  return mentioned(arena, &type, config, managed_fields_of(config));
}

FieldSet with_named_fields(FieldArena& arena, const Schema* type, FieldSet set) {
  FieldList out;
  for (; set != nullptr; set = set->next) {
    const Schema* below = nullptr;
    bool member = set->member;
    if (set->element.kind == PathElementKind::Field) {
      if (type != nullptr && (type->shape == Shape::Object || type->shape == Shape::Map)) {
        below = member_type(type, set->element.text);
      }
      member = member || (set->child != nullptr && names_field(type, set->element.text));
    } else if (set->element.kind == PathElementKind::Key) {
      below = element_type(type);
    }
    out.add(arena, set->element, member, with_named_fields(arena, below, set->child));
  }
  return out.finish(arena);
}

}  // namespace basalt::api
