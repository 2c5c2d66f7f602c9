#include "kube/api/schema/validate.h"

#include <map>
#include <string>
#include <vector>

#include "kube/api/name_validation.h"
#include "kube/api/schema/pattern.h"
#include "kube/api/schema/value_checks.h"

namespace basalt::api {
namespace {

std::string in_quotes(const ValuePath& at) { return "\"" + at.text() + "\""; }

const text::Value* member_of(const text::Value* object, std::string_view key) {
  return object == nullptr ? nullptr : text::find_member(*object, key);
}

// The elements of a list-map's former state, to be found by their keys; of equal ones the first. Empty for other lists.
class FormerElements {
 public:
  FormerElements(const Schema& list, const text::Value* old) : list_(list) {
    if (old == nullptr || !old->is_array() || list.list_type != ListType::Map) return;
    for (const text::Value& element : old->get_array()) {
      if (element.is_object()) by_keys_.try_emplace(keys_of(element.get_object()), &element);
    }
  }
  [[nodiscard]] const text::Value* find(const text::Value& element) const {
    if (by_keys_.empty() || !element.is_object()) return nullptr;
    const auto found = by_keys_.find(keys_of(element.get_object()));
    return found == by_keys_.end() ? nullptr : found->second;
  }

 private:
  [[nodiscard]] std::string keys_of(const text::Object& element) const {
    std::string keys;
    for (const std::string& key : list_.list_keys) {
      if (const text::Value* value = element.if_contains(key)) text::append_json(keys, *value);
      keys += '\n';  // stands in no JSON text of one line
    }
    return keys;
  }

  const Schema& list_;
  std::map<std::string, const text::Value*> by_keys_;
};

class Checker {
 public:
  Checker(ValidationWork& work, Causes& causes) : work_(work), causes_(causes) {}

  void value(const Schema& schema, const text::Value& value, const text::Value* old, const ValuePath& at, bool nullable,
             size_t depth) {
    if (depth > text::kMaxJsonDepth || causes_.list().size() >= kMaxValidationCauses) return;
    if (old != nullptr && *old == value) return;
    if (!spend(schema, value, at)) return;
    const ValueLimits* limits = schema.limits.get();
    if (value.is_null()) {
      if (!nullable && schema.shape != Shape::Any) check_type(schema, value, at, causes_);
      if (limits != nullptr) check_enum(*limits, value, at, causes_);
      return;
    }
    check_type(schema, value, at, causes_);
    if (limits != nullptr) {
      alternatives(*limits, value, at, depth);
      if (value.is_string()) {
        const auto& text = value.get_string();
        check_string(*limits, {text.data(), text.size()}, at, causes_);
      } else if (value.is_int64() || value.is_uint64() || value.is_double()) {
        check_number(schema, value, at, causes_);
      }
      check_enum(*limits, value, at, causes_);
    }
    if (value.is_array()) list(schema, value.get_array(), old, at, depth);
    if (value.is_object()) object(schema, value.get_object(), old, at, depth);
  }

 private:
  // False: all steps are spent, and nothing is looked at any more.
  bool spend(const Schema& schema, const text::Value& value, const ValuePath& at) {
    constexpr size_t kBytesPerStep = 64;         // of a text that is counted or compared
    constexpr size_t kInstructionsPerStep = 32;  // of a pattern, times the bytes that it is matched with
    work_.steps += 1 + (value.is_object() ? schema.fields.size() : 0);
    if (const ValueLimits* limits = schema.limits.get(); limits != nullptr) {
      work_.steps += limits->allowed.size() + limits->required_names.size();
      const size_t bytes = value.is_string() ? value.get_string().size() : 0;
      work_.steps += bytes / kBytesPerStep;
      if (work_.steps <= work_.most && bytes != 0 && limits->matcher != nullptr) {
        work_.steps += bytes * limits->matcher->size() / kInstructionsPerStep;
      }
    }
    if (work_.steps <= work_.most) return true;
    if (work_.spent_at.empty()) work_.spent_at = at.text();
    return false;
  }

  void list(const Schema& schema, const text::Array& list, const text::Value* old, const ValuePath& at, size_t depth) {
    if (schema.element != nullptr && schema.shape != Shape::Map) {
      const FormerElements former(schema, old);
      for (size_t i = 0; i < list.size(); ++i) {
        value(*schema.element, list[i], former.find(list[i]), at.element(i), schema.element_nullable, depth + 1);
      }
    }
    if (schema.limits) check_items(*schema.limits, list.size(), at, causes_);
    check_duplicates(schema, list, at, causes_);
  }

  void object(const Schema& schema, const text::Object& object, const text::Value* old, const ValuePath& at,
              size_t depth) {
    if (schema.limits) check_properties(*schema.limits, object.size(), at, causes_);
    if (schema.shape == Shape::Map && schema.element != nullptr) {
      for (const auto& entry : object) {
        value(*schema.element, entry.value(), member_of(old, entry.key()), at.entry(entry.key()),
              schema.element_nullable, depth + 1);
      }
    }
    for (const SchemaField& field : schema.fields) {
      const text::Value* member = object.if_contains(field.name);
      if (member == nullptr) {
        if (field.required) causes_.required(at.member(field.name).text());
      } else if (!schema.embedded_resource || field.name != "metadata") {
        value(*field.type, *member, member_of(old, field.name), at.member(field.name), field.nullable, depth + 1);
      }
    }
    if (schema.limits) {
      for (const std::string& name : schema.limits->required_names) {
        if (!object.contains(name)) causes_.required(at.member(name).text());
      }
      const text::Value* metadata = object.if_contains("metadata");
      if (schema.limits->metadata != nullptr && metadata != nullptr) {
        value(*schema.limits->metadata, *metadata, member_of(old, "metadata"), at.member("metadata"), false, depth + 1);
      }
    }
    if (schema.embedded_resource && at.step != ValuePath::Step::Root) embedded(object, at);
  }

  void embedded(const text::Object& object, const ValuePath& at) {
    for (const char* key : {"apiVersion", "kind"}) {
      const text::Value* member = object.if_contains(key);
      if (member == nullptr) {
        causes_.required(at.member(key).bracket_text());
      } else if (member->is_string() && member->get_string().empty()) {
        causes_.invalid(at.member(key).bracket_text(), *member, "must not be empty");
      }
    }
    const text::Value* given = object.if_contains("metadata");
    if (given == nullptr || !given->is_object()) return;
    // A name is not needed inside of another object.
    text::Object metadata = given->get_object();
    if (!metadata.contains("name")) metadata["name"] = "unnamed";
    Causes own;
    validate_metadata(metadata, metadata.contains("namespace"), NameRule::PathSegment, own);
    for (Cause& cause : own.take()) {
      cause.field = at.bracket_text() + "." + cause.field;
      causes_.add(std::move(cause));
    }
  }

  // What is wrong by one of several schemas, on its own.
  std::vector<Cause> by(const Schema& schema, const text::Value& given, const ValuePath& at, size_t depth) {
    constexpr size_t kSteps = 4;  // what it takes to begin, besides those of the schema
    work_.steps += kSteps;
    Causes own;
    Checker(work_, own).value(schema, given, nullptr, at, true, depth + 1);
    return own.take();
  }

  void alternatives(const ValueLimits& limits, const text::Value& given, const ValuePath& at, size_t depth) {
    any_of(limits, given, at, depth);
    one_of(limits, given, at, depth);
    bool all = true;
    for (const Schema* schema : limits.all_of) {
      std::vector<Cause> wrong = by(*schema, given, at, depth);
      all = all && wrong.empty();
      add(wrong);
    }
    if (!all) refuse(at, in_quotes(at) + " must validate all the schemas (allOf)");
    if (limits.none_of != nullptr && by(*limits.none_of, given, at, depth).empty()) {
      refuse(at, in_quotes(at) + " must not validate the schema (not)");
    }
  }

  void any_of(const ValueLimits& limits, const text::Value& given, const ValuePath& at, size_t depth) {
    std::vector<Cause> closest;
    for (const Schema* schema : limits.any_of) {
      std::vector<Cause> wrong = by(*schema, given, at, depth);
      if (wrong.empty()) return;
      if (closest.empty() || wrong.size() < closest.size()) closest = std::move(wrong);
    }
    if (limits.any_of.empty()) return;
    refuse(at, in_quotes(at) + " must validate at least one schema (anyOf)");
    add(closest);
  }

  void one_of(const ValueLimits& limits, const text::Value& given, const ValuePath& at, size_t depth) {
    if (limits.one_of.empty()) return;
    std::vector<Cause> closest;
    size_t valid = 0;
    for (const Schema* schema : limits.one_of) {
      std::vector<Cause> wrong = by(*schema, given, at, depth);
      if (wrong.empty()) ++valid;
      if (closest.empty() || wrong.size() < closest.size()) closest = std::move(wrong);
    }
    if (valid == 1) return;
    refuse(at, in_quotes(at) + " must validate one and only one schema (oneOf). Found " +
                   (valid == 0 ? std::string("none valid") : std::to_string(valid) + " valid alternatives"));
    if (valid == 0) add(closest);
  }

  // Kubernetes has no path for these but that of the whole.
  void refuse(const ValuePath& at, const std::string& why) { causes_.invalid(at.root_text(), text::Value(""), why); }
  void add(const std::vector<Cause>& found);

  ValidationWork& work_;
  Causes& causes_;
};

void Checker::add(const std::vector<Cause>& found) {
  for (const Cause& cause : found) {
    if (causes_.list().size() < kMaxValidationCauses) causes_.add(cause);
  }
}

void check_value(const Schema& schema, const text::Value& value, const text::Value* old, const ValuePath& at,
                 bool nullable, ValidationWork& work, Causes& causes) {
  Checker(work, causes).value(schema, value, old, at, nullable, 0);
  if (work.steps <= work.most) return;
  causes.forbidden(work.spent_at.empty() ? at.root_text() : work.spent_at,
                   "to check the values against their schema takes more than " + std::to_string(work.most) +
                       " steps: write shorter lists and texts, or a schema with fewer alternatives, "
                       "enum values and smaller patterns");
}

}  // namespace

void validate_value(const Schema& schema, const text::Value& value, Causes& causes) {
  ValidationWork work;
  check_value(schema, value, nullptr, ValuePath::root(), false, work, causes);
}

void validate_value_update(const Schema& schema, const text::Value& value, const text::Value& old, Causes& causes) {
  ValidationWork work;
  check_value(schema, value, &old, ValuePath::root(), false, work, causes);
}

void validate_value_at(const Schema& schema, const text::Value& value, const std::string& path, bool nullable,
                       ValidationWork& work, Causes& causes) {
  check_value(schema, value, nullptr, ValuePath::root(path), nullable, work, causes);
}

}  // namespace basalt::api
