#include "tests/traffic/random_object.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace basalt::tests {
namespace {

constexpr int kMaxDepth = 5;  // of what is made up

constexpr std::array<std::string_view, 22> kStrings = {
    "",    "a",       "name-1",  "b.example.test", "10.0.0.1", "/some/path", "Always", "Never",
    "TCP", "ü\u4e2d", "A B",     "true",           "5",        "None",       "-",      "*",
    "In",  "Exists",  "default", "traffic",        "$(A)",     "x\"\\\n",
};
constexpr std::array<std::string_view, 8> kQuantities = {"0", "1", "500m", "1Gi", "3e3", "0.1", "12Ki", "100000000000"};
constexpr std::array<int64_t, 10> kNumbers = {0, 1, -1, 2, 80, 8080, 65536, 1000000, 2147483647, -2147483648};

text::Value random_string(Rng& rng) {
  if (rng.chance(0.02)) return text::Value(std::string(300, 'l'));
  return text::Value(pick(kStrings, rng));
}

text::Value of_another_type(Rng& rng) {
  switch (rng.below(6)) {
    case 0:
      return text::Value("text");
    case 1:
      return text::Value(7);
    case 2:
      return text::Value(true);
    case 3:
      return text::Array{1};
    case 4:
      return text::Object{{"k", "v"}};
    default:
      return text::Value(1.5);
  }
}

text::Value random_fields(const api::Schema& schema, Rng& rng, int depth) {
  text::Object object;
  for (const api::SchemaField& field : schema.fields) {
    if (depth < kMaxDepth && (field.required || rng.chance(0.15))) {
      object[field.name] = random_value(*field.type, rng, depth + 1);
    }
  }
  return object;
}

text::Value random_map(const api::Schema& schema, Rng& rng, int depth) {
  text::Object object;
  for (uint64_t i = rng.below(3); i > 0 && schema.element != nullptr && depth < kMaxDepth; --i) {
    object[pick(kStrings, rng)] = random_value(*schema.element, rng, depth + 1);
  }
  return object;
}

text::Value random_list(const api::Schema& schema, Rng& rng, int depth) {
  text::Array array;
  for (uint64_t i = rng.below(3); i > 0 && schema.element != nullptr && depth < kMaxDepth; --i) {
    array.push_back(random_value(*schema.element, rng, depth + 1));
  }
  return array;
}

text::Value well_typed(const api::Schema& schema, Rng& rng, int depth) {
  if (schema.limits != nullptr && !schema.limits->allowed.empty()) return pick(schema.limits->allowed, rng);
  switch (schema.shape) {
    case api::Shape::Object:
      return random_fields(schema, rng, depth);
    case api::Shape::Map:
      return random_map(schema, rng, depth);
    case api::Shape::List:
      return random_list(schema, rng, depth);
    case api::Shape::String:
      return random_string(rng);
    case api::Shape::Int32:
      return text::Value(pick(kNumbers, rng));
    case api::Shape::Int64:
      return text::Value(rng.chance(0.1) ? std::numeric_limits<int64_t>::max() : pick(kNumbers, rng));
    case api::Shape::Number:
      return text::Value(0.25 * static_cast<double>(pick(kNumbers, rng)));
    case api::Shape::Bool:
      return text::Value(rng.chance(0.5));
    case api::Shape::Quantity:
      return rng.chance(0.2) ? text::Value(3) : text::Value(pick(kQuantities, rng));
    case api::Shape::IntOrString:
      return rng.chance(0.5) ? text::Value(pick(kNumbers, rng)) : text::Value(rng.chance(0.5) ? "25%" : "http");
    case api::Shape::Time:
      return text::Value("2026-01-02T03:04:05Z");
    case api::Shape::MicroTime:
      return text::Value("2026-01-02T03:04:05.000006Z");
    case api::Shape::Bytes:
      return text::Value("aGVsbG8=");
    case api::Shape::Any:
      return of_another_type(rng);
  }
  return nullptr;
}

bool is_identity(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "name" || name == "namespace" || name == "uid" ||
         name == "resourceVersion" || name == "managedFields";
}

// A field of the schema by chance that does not tell objects apart; nullptr: there is none.
const api::SchemaField* any_field(const api::Schema& schema, Rng& rng) {
  if (schema.fields.empty()) return nullptr;
  const api::SchemaField& field = pick(schema.fields, rng);
  return is_identity(field.name) ? nullptr : &field;
}

void decorate_value(text::Value& value, const api::Schema& schema, Rng& rng, int depth);

void decorate_object(text::Object& object, const api::Schema& schema, Rng& rng, int depth) {
  const api::SchemaField* field = any_field(schema, rng);
  if (field == nullptr) return;
  text::Value* there = object.if_contains(field->name);
  if (there == nullptr) {
    object[field->name] = random_value(*field->type, rng, 1);
  } else if (there->is_structured() && rng.chance(0.85)) {
    decorate_value(*there, *field->type, rng, depth + 1);
  } else if (rng.chance(0.2)) {
    object.erase(field->name);
  } else {
    *there = random_value(*field->type, rng, 1);
  }
}

void decorate_value(text::Value& value, const api::Schema& schema, Rng& rng, int depth) {
  if (text::Object* object = value.if_object()) {
    if (schema.shape == api::Shape::Object) return decorate_object(*object, schema, rng, depth);
    value = random_value(schema, rng, 1);
  } else if (text::Array* array = value.if_array(); array != nullptr && schema.element != nullptr && !array->empty()) {
    if (rng.chance(0.2)) {
      array->push_back(text::Value((*array)[rng.below(array->size())]));
    } else {
      decorate_value((*array)[rng.below(array->size())], *schema.element, rng, depth + 1);
    }
  } else {
    value = random_value(schema, rng, 1);
  }
}

// The JSON pointers of all places in `value`.
void collect_places(const text::Value& value, const std::string& at, std::vector<std::string>& out) {
  if (const text::Object* object = value.if_object()) {
    for (const auto& member : *object) {
      if (is_identity(member.key())) continue;
      std::string step(member.key());
      for (size_t slash = step.find('/'); slash != std::string::npos; slash = step.find('/'))
        step.replace(slash, 1, "~1");
      const std::string place = at + "/" + step;
      out.push_back(place);
      collect_places(member.value(), place, out);
    }
  } else if (const text::Array* array = value.if_array()) {
    for (size_t i = 0; i < array->size(); ++i) {
      const std::string place = at + "/" + std::to_string(i);
      out.push_back(place);
      collect_places((*array)[i], place, out);
    }
  }
}

}  // namespace

text::Value random_value(const api::Schema& schema, Rng& rng, int depth) {
  if (rng.chance(0.025)) return rng.chance(0.3) ? text::Value(nullptr) : of_another_type(rng);
  return well_typed(schema, rng, depth);
}

void decorate(text::Object& object, const api::Schema& schema, Rng& rng) { decorate_object(object, schema, rng, 0); }

text::Object random_change(const api::Schema& schema, Rng& rng) {
  text::Object change;
  text::Object* at = &change;
  const api::Schema* type = &schema;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const api::SchemaField* field = any_field(*type, rng);
    if (field == nullptr) return change;
    if (field->type->shape != api::Shape::Object || field->type->fields.empty() || rng.chance(0.1)) {
      (*at)[field->name] = rng.chance(0.15) ? text::Value(nullptr) : random_value(*field->type, rng, 1);
      return change;
    }
    at = &(*at)[field->name].emplace_object();
    type = field->type;
  }
  return change;
}

text::Array random_json_patch(const text::Object& object, const api::Schema& schema, Rng& rng) {
  std::vector<std::string> places;
  collect_places(text::Value(object), "", places);
  const auto place = [&]() -> std::string {
    return places.empty() || rng.chance(0.1) ? "/spec/nowhere/3" : pick(places, rng);
  };
  text::Array patch;
  for (uint64_t i = 1 + rng.below(3); i > 0; --i) {
    static constexpr std::array<std::string_view, 6> kOperations = {"add", "replace", "remove", "test", "copy", "move"};
    text::Object operation{{"op", pick(kOperations, rng)}, {"path", place()}};
    if (rng.chance(0.5)) operation["from"] = place();
    if (rng.chance(0.8)) {
      const api::SchemaField* field = any_field(schema, rng);
      operation["value"] = field == nullptr ? of_another_type(rng) : random_value(*field->type, rng, 2);
    }
    patch.push_back(std::move(operation));
  }
  return patch;
}

}  // namespace basalt::tests
