// The shape of objects: one graph of types for built-in kinds and for kinds defined by a CustomResourceDefinition.
//
// A Schema says what a value looks like, how lists merge, what is filled in when a field is not given, and which values
// are allowed. Everything that looks into objects by type reads this graph: decoding and pruning (normalize.h),
// defaults, validation, strategic merge, server-side apply, OpenAPI and `kubectl explain`. Built-in kinds are written
// in src/kube/api/schema/builtin/*.types (see type_language.h); those of a CRD are compiled from its openAPIV3Schema.
//
// Ownership: a SchemaSet owns its Schemas and never moves them; pointers stay valid as long as the set. A finished set
// is immutable and may be read from any thread. Types may refer to themselves (JSONSchemaProps does).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/text/json.h"

namespace basalt::api {

enum class Shape : uint8_t {
  Any,     // kept as it is: RawExtension, x-kubernetes-preserve-unknown-fields without properties
  Object,  // named fields
  Map,     // any key, one type of value
  List,
  String,
  Int32,
  Int64,
  Number,
  Bool,
  Quantity,  // "500m", 2; kept as written text in canonical form
  IntOrString,
  Time,       // RFC 3339, whole seconds
  MicroTime,  // RFC 3339, six digits
  Bytes,      // base64
};

// How two writers of one list get on (x-kubernetes-list-type). Atomic: the whole list is one value.
enum class ListType : uint8_t { Atomic, Set, Map };

// What a built-in kind does with a value that is empty ("" 0 false [] {}): Go's struct tags decide.
enum class WhenEmpty : uint8_t {
  Keep,   // stays as given (pointers, and everything in a CRD)
  Omit,   // not stored (omitempty)
  Write,  // stored even if not given, as the empty value of its shape (a Go struct field without omitempty): {} for an
          // Object (with the fields that it writes itself), "0" for a Quantity, 0 for an IntOrString, null for a List,
          // Map, Time, MicroTime, Bytes or Any, and "" 0 false. An empty List or Map that was given is null as well.
};

struct Schema;
class Pattern;  // pattern.h

struct SchemaField {
  std::string name;
  const Schema* type = nullptr;
  std::string description;
  bool required = false;
  bool nullable = false;  // null is a value here, not an absence (CRDs only)
  WhenEmpty when_empty = WhenEmpty::Keep;
  std::optional<text::Value> fallback;  // the default, when the field is not given; null is one: it is written as null
  // The default that the field has in a CRD whose schema embeds this type: CRDs carry their own, fewer, defaults.
  std::optional<text::Value> embedded_fallback;
  bool patch_merge = false;        // strategic merge: the list is merged, not replaced
  bool patch_retain_keys = false;  // strategic merge: $retainKeys is honoured
  std::string patch_merge_key;     // "" with patch_merge: a list of plain values, merged as a set
};

// A rule in CEL (x-kubernetes-validations): carried, not evaluated.
struct CelRule {
  std::string rule, message;
};

// Allowed values, beyond the shape. Only CRDs use them; built-in kinds are checked by their rules (rules/).
struct ValueLimits {
  std::vector<text::Value> allowed;  // enum
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false, exclusive_maximum = false;
  std::optional<uint64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
  bool unique_items = false;
  std::string pattern, format;
  // Value validation that adds no structure: each is checked on its own.
  std::vector<const Schema*> all_of, any_of, one_of;
  const Schema* none_of = nullptr;  // not
  std::vector<CelRule> rules;
  std::vector<std::string> required_names;  // required without being a named field here
  const Schema* metadata = nullptr;         // the root of a CRD: what metadata.name and generateName must look like
  std::shared_ptr<const Pattern> matcher;   // `pattern`, compiled once; shared: only so may it stay incomplete here
};

struct Schema {
  std::string name;  // "io.k8s.api.core.v1.PodSpec"; "" for one that only its owner refers to
  std::string description;
  Shape shape = Shape::Any;
  std::vector<SchemaField> fields;              // Object: sorted by name
  const Schema* element = nullptr;              // List, Map
  bool element_nullable = false;                // null is a value among the elements (CRDs only)
  std::optional<text::Value> element_fallback;  // what a null element becomes (CRDs only)
  ListType list_type = ListType::Atomic;
  std::vector<std::string> list_keys;  // ListType::Map: never empty
  bool atomic = false;                 // Object, Map: owned as a whole
  bool preserve_unknown = false;       // Object: fields without a name here are kept
  bool embedded_resource = false;      // has apiVersion, kind and metadata of its own
  std::unique_ptr<ValueLimits> limits;

  [[nodiscard]] const SchemaField* find(std::string_view field) const;  // O(log fields)
};

class SchemaSet {
 public:
  // A new Schema; with a name it can be found again. Requires: the name is not taken.
  Schema& add(std::string name);
  [[nodiscard]] const Schema* find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, Schema*, std::less<>>& by_name() const { return by_name_; }

 private:
  std::deque<Schema> schemas_;
  std::map<std::string, Schema*, std::less<>> by_name_;
};

// The types of all built-in kinds, and of the meta types; parsed once, at the first call. Never fails: a unit test
// proves that the embedded text parses.
[[nodiscard]] const SchemaSet& builtin_schemas();
inline constexpr std::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";  // one of them

}  // namespace basalt::api
