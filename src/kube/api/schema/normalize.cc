#include "kube/api/schema/normalize.h"

#include <utility>

#include "kube/api/schema/scalar_forms.h"
#include "kube/api/schema/struct_reader.h"

namespace basalt::api {
namespace {

std::string_view text_member(const text::Value& object, std::string_view key) {
  const text::Value* member = text::find_member(object, key);
  if (member == nullptr || !member->is_string()) return {};
  return {member->get_string().data(), member->get_string().size()};
}

ApiError unreadable(const text::Value& object, const std::string& why) {
  const std::string kind(text_member(object, "kind"));
  const std::string version(text_member(object, "apiVersion"));
  if (kind.empty()) return bad_request("the object provided is unrecognized: " + why);
  const size_t slash = version.rfind('/');
  return bad_request(kind + " in version \"" + version.substr(slash == std::string::npos ? 0 : slash + 1) +
                     "\" cannot be handled as a " + kind + ": " + why);
}

// False for the element of `additionalProperties: true`, about which a CRD says nothing at all.
bool is_known(const Schema& schema) { return schema.shape != Shape::Any || schema.preserve_unknown; }

// What is kept though no schema names it.
void write_numbers(text::Value& value, size_t depth) {
  if (depth > text::kMaxJsonDepth) return;
  make_canonical_number(value);
  if (value.is_array()) {
    for (text::Value& element : value.get_array()) write_numbers(element, depth + 1);
  } else if (value.is_object()) {
    for (auto& member : value.get_object()) write_numbers(member.value(), depth + 1);
  }
}

// Prunes what a CRD's schema does not name. The walk follows the value: a value of the wrong type has no named fields.
class Pruner {
 public:
  explicit Pruner(std::vector<std::string>& unknown) : metadata_(unknown) {}

  // `schema` nullptr: nothing is known here (below additionalProperties: true), so members go and scalars stay.
  // `keep`: the list around it preserves unknown fields.
  bool prune(const Schema* schema, text::Value& value, const ValuePath& at, size_t depth, bool keep = false) {
    if (depth > text::kMaxJsonDepth) return metadata_.fail_with(at, "exceeded max depth");
    if (schema != nullptr && !is_known(*schema)) schema = nullptr;
    keep = keep || (schema != nullptr && schema->preserve_unknown);
    if (value.is_array()) return prune_list(schema, value.get_array(), at, depth, keep);
    if (value.is_object()) return prune_object(schema, value.get_object(), at, depth, keep);
    make_canonical_number(value);
    return true;
  }
  [[nodiscard]] const std::string& error() const { return metadata_.error(); }

 private:
  bool prune_list(const Schema* schema, text::Array& list, const ValuePath& at, size_t depth, bool keep) {
    const Schema* element = schema != nullptr && schema->shape == Shape::List ? schema->element : nullptr;
    if (element == nullptr && keep) {
      for (text::Value& kept : list) write_numbers(kept, depth + 1);
      return true;
    }
    for (size_t i = 0; i < list.size(); ++i) {
      if (!prune(element, list[i], at.element(i), depth + 1, keep)) return false;
    }
    return true;
  }

  bool prune_object(const Schema* schema, text::Object& object, const ValuePath& at, size_t depth, bool keep) {
    // An Object has an element too when `additionalProperties: true` stands beside its properties.
    const Schema* entries = schema != nullptr && schema->shape != Shape::List ? schema->element : nullptr;
    for (auto it = object.begin(); it != object.end();) {
      const std::string_view key{it->key().data(), it->key().size()};
      text::Value& member = it->value();
      const SchemaField* field = schema == nullptr ? nullptr : schema->find(key);
      bool drop = false;
      if (field != nullptr) {
        drop = member.is_null() && !field->nullable && !field->fallback;
        if (!drop && !prune_field(*schema, *field, member, at.member(key), depth + 1)) return false;
      } else if (entries != nullptr) {
        drop = member.is_null() && is_known(*entries) && !schema->element_nullable && !schema->element_fallback;
        if (!drop && !prune(entries, member, at.entry(key), depth + 1)) return false;
      } else if (keep) {
        write_numbers(member, depth + 1);
      } else {
        metadata_.report_unknown(at, key);
        drop = true;
      }
      it = drop ? object.erase(it) : it + 1;
    }
    return true;
  }

  bool prune_field(const Schema& owner, const SchemaField& field, text::Value& member, const ValuePath& at,
                   size_t depth) {
    if (!owner.embedded_resource) return prune(field.type, member, at, depth);
    if (field.name == "metadata") return metadata_.read(*field.type, member, at, depth);
    if ((field.name == "apiVersion" || field.name == "kind") && !member.is_string()) {
      return metadata_.fail(at, member, "string");
    }
    return prune(field.type, member, at, depth);
  }

  StructReader metadata_;
};

}  // namespace

ApiResult<std::vector<std::string>> normalize(const Schema& schema, text::Value& object) {
  std::vector<std::string> unknown;
  StructReader reader(unknown);
  if (object.is_null() || !reader.read(schema, object, ValuePath::root(), 0)) {
    if (reader.too_large()) return std::unexpected(too_large(reader.error()));
    return std::unexpected(unreadable(object, object.is_null() ? "json: cannot unmarshal null" : reader.error()));
  }
  return unknown;
}

ApiResult<std::vector<std::string>> normalize_custom(const Schema& schema, text::Value& object) {
  std::vector<std::string> unknown;
  Pruner pruner(unknown);
  if (!object.is_object()) return std::unexpected(unreadable(object, "an object is expected"));
  if (!pruner.prune(&schema, object, ValuePath::root(), 0)) {
    return std::unexpected(unreadable(object, pruner.error()));
  }
  return unknown;
}

bool prune_value(const Schema& schema, text::Value& value) {
  std::vector<std::string> unknown;
  return Pruner(unknown).prune(&schema, value, ValuePath::root(), 0) && unknown.empty();
}

}  // namespace basalt::api
