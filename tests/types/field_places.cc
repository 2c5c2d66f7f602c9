#include "tests/types/field_places.h"

#include <algorithm>

#include "kube/api/schema/formats.h"

namespace basalt::types {
namespace {

using api::Schema;
using api::Shape;

class Walk {
 public:
  std::vector<FieldPlace> found;

  void below(const Schema& type) {
    if (std::ranges::find(above_, &type) != above_.end()) return;
    above_.push_back(&type);
    for (const api::SchemaField& field : type.fields) {
      visit({.kind = FieldStep::Kind::Member, .name = field.name}, *field.type, field.nullable);
    }
    if (type.element != nullptr && type.shape == Shape::List) {
      visit({.kind = FieldStep::Kind::Element, .name = "", .list = &type}, *type.element, type.element_nullable);
    } else if (type.element != nullptr) {
      visit({.kind = FieldStep::Kind::Entry, .name = "anykey"}, *type.element, type.element_nullable);
    }
    above_.pop_back();
  }

 private:
  void visit(FieldStep step, const Schema& type, bool nullable) {
    steps_.push_back(std::move(step));
    found.push_back({.steps = steps_, .type = &type, .nullable = nullable, .path = path()});
    below(type);
    steps_.pop_back();
  }
  [[nodiscard]] std::string path() const {
    std::string text;
    for (const FieldStep& step : steps_) {
      if (step.kind == FieldStep::Kind::Element) {
        text += "[0]";
      } else {
        text += (text.empty() ? "" : ".") + step.name;
      }
    }
    return text;
  }

  std::vector<const Schema*> above_;
  std::vector<FieldStep> steps_;
};

enum class Json : uint8_t { String, Whole, Fraction, Bool, Array, Object };

bool takes(const Schema& type, Json json) {
  switch (type.shape) {
    case Shape::Any:
      return true;
    case Shape::Object:
    case Shape::Map:
      return json == Json::Object;
    case Shape::List:
      return json == Json::Array;
    case Shape::Int32:
    case Shape::Int64:
      return json == Json::Whole;
    case Shape::Number:
      return json == Json::Whole || json == Json::Fraction;
    case Shape::Bool:
      return json == Json::Bool;
    case Shape::Quantity:
      return json == Json::String || json == Json::Whole || json == Json::Fraction;
    case Shape::IntOrString:
      return json == Json::String || json == Json::Whole;
    case Shape::String:
    case Shape::Time:
    case Shape::MicroTime:
    case Shape::Bytes:
      // Kubernetes leaves a list in the place of a string with a format to the format: see check_type.
      return json == Json::String || (json == Json::Array && type.limits && api::is_known_format(type.limits->format));
  }
  return false;
}

text::Value sample(Json json) {
  switch (json) {
    case Json::String:
      return "word";
    case Json::Whole:
      return 7;
    case Json::Fraction:
      return 1.5;
    case Json::Bool:
      return true;
    case Json::Array:
      return text::Array();
    case Json::Object:
      return text::Object();
  }
  return nullptr;
}

text::Value key_sample(const Schema& list, const std::string& key) {
  const api::SchemaField* field = list.element == nullptr ? nullptr : list.element->find(key);
  if (field == nullptr) return "key";
  return takes(*field->type, Json::String) ? sample(Json::String) : sample(Json::Whole);
}

}  // namespace

std::vector<FieldPlace> places_of(const api::Schema& root) {
  Walk walk;
  walk.below(root);
  return std::move(walk.found);
}

std::vector<text::Value> wrong_values(const api::Schema& type) {
  std::vector<text::Value> values;
  for (const Json json : {Json::String, Json::Whole, Json::Fraction, Json::Bool, Json::Array, Json::Object}) {
    if (json == Json::Fraction && !takes(type, Json::Whole)) continue;  // a number is refused already
    if (!takes(type, json)) values.push_back(sample(json));
  }
  if (type.shape == Shape::Int32) values.emplace_back(int64_t{1} << 31);
  if (type.shape == Shape::Int32 || type.shape == Shape::Int64) values.emplace_back(uint64_t{1} << 63U);
  return values;
}

void put(text::Object& object, const FieldPlace& place, const text::Value& value) {
  text::Value* at = nullptr;
  for (const FieldStep& step : place.steps) {
    if (step.kind == FieldStep::Kind::Element) {
      text::Array& list = at->is_array() ? at->get_array() : at->emplace_array();
      if (list.empty()) {
        text::Object keys;
        for (const std::string& key : step.list->list_keys) keys[key] = key_sample(*step.list, key);
        list.emplace_back(std::move(keys));
      }
      at = &list.front();
      continue;
    }
    text::Object& holder = at == nullptr ? object : at->is_object() ? at->get_object() : at->emplace_object();
    at = &holder[step.name];
  }
  *at = value;
}

void erase(text::Object& object, const FieldPlace& place) {
  text::Object* holder = &object;
  text::Value* at = nullptr;
  for (const FieldStep& step : place.steps) {
    if (step.kind == FieldStep::Kind::Element) {
      at = &at->get_array().front();
    } else {
      holder = at == nullptr ? &object : &at->get_object();
      at = holder->if_contains(step.name);
    }
  }
  holder->erase(place.steps.back().name);
}

std::string without_brackets(std::string_view text) {
  std::string out;
  size_t depth = 0;
  for (const char c : text) {
    if (c == ']' && depth > 0) {
      --depth;
    } else if (c == '[') {
      ++depth;
    } else if (depth == 0) {
      out += c;
    }
  }
  return out;
}

}  // namespace basalt::types
