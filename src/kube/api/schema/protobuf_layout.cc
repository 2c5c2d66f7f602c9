#include "kube/api/schema/protobuf_layout.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/check.h"

namespace basalt::api {
namespace {

constexpr std::string_view kSchemaType = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

// Splits off what stands before `separator`; all of it when there is none.
std::string_view cut(std::string_view& text, char separator) {
  const std::string_view head = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), head.size() + 1));
  return head;
}

std::optional<uint32_t> number_in(std::string_view text) {
  uint32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number == 0 || number > kMaxProtobufNumber) return std::nullopt;
  return number;
}

ProtobufPacking packing_in(std::string_view word) {
  if (word == "or-array") return ProtobufPacking::SchemaOrArray;
  if (word == "or-bool") return ProtobufPacking::SchemaOrBool;
  if (word == "or-strings") return ProtobufPacking::SchemaOrStrings;
  return ProtobufPacking::Plain;
}

const Schema& innermost(const Schema& schema) {
  const Schema* inner = &schema;
  while (inner->element != nullptr) inner = inner->element;
  return *inner;
}

}  // namespace

ProtobufMessage& ProtobufLayout::message_of(std::string_view type) {
  const auto at = by_name_.find(type);
  if (at != by_name_.end()) return *at->second;
  ProtobufMessage& message = messages_.emplace_back(ProtobufMessage{.name = std::string(type), .fields = {}});
  by_name_.emplace(message.name, &message);
  return message;
}

ProtobufMessage& ProtobufLayout::inner_message(ProtobufMessage& outer, uint32_t number) {
  ProtobufMessage*& known = inner_[{&outer, number}];
  if (known == nullptr) {
    known = &messages_.emplace_back(ProtobufMessage{.name = outer.name, .fields = {}});
    outer.fields.push_back({.number = number, .message = known});
  }
  return *known;
}

Result<void> ProtobufLayout::add_field(const Schema& schema, ProtobufMessage& message, std::string_view word) {
  const std::string whole(word);
  const std::string_view name = cut(word, '=');
  std::string_view numbers = cut(word, '/');
  const std::string_view form = word;
  const bool inner = numbers.contains('.');
  const auto outer_number = inner ? number_in(cut(numbers, '.')) : std::nullopt;
  const auto number = number_in(numbers);
  if (name.empty() || !number || (inner && !outer_number)) return invalid("\"" + whole + "\" is not field=number");
  const SchemaField* field = schema.find(name);
  if (field == nullptr) return {};
  ProtobufMessage& into = inner ? inner_message(message, *outer_number) : message;
  ProtobufField made{.number = *number, .packing = packing_in(form), .field = field};
  const Schema& type = innermost(*field->type);
  if (made.packing != ProtobufPacking::Plain) {
    made.message = &message_of(kSchemaType);
  } else if (type.shape == Shape::Object) {
    const std::string_view named = form.empty() ? std::string_view(type.name) : form;
    if (named.empty()) return invalid("\"" + whole + "\": say whose numbers its type has, as in field=1/NAME");
    made.message = &message_of(named);
  }
  into.fields.push_back(made);
  return {};
}

Result<void> ProtobufLayout::add_type(const SchemaSet& schemas, std::string_view line) {
  const std::string_view name = cut(line, ' ');
  const Schema* schema = schemas.find(name);
  if (schema == nullptr) return {};
  ProtobufMessage& message = message_of(name);
  if (!message.fields.empty()) return invalid(std::string(name) + " has two lines");
  while (!line.empty()) {
    if (auto added = add_field(*schema, message, cut(line, ' ')); !added) {
      return std::unexpected(added.error().within(name));
    }
  }
  return {};
}

Result<void> ProtobufLayout::finish() {
  for (ProtobufMessage& message : messages_) {
    std::ranges::sort(message.fields, {}, &ProtobufField::number);
    const auto twice = std::ranges::adjacent_find(message.fields, {}, &ProtobufField::number);
    if (twice != message.fields.end()) {
      return invalid(message.name + " has the number " + std::to_string(twice->number) + " twice");
    }
  }
  return {};
}

Result<ProtobufLayout> ProtobufLayout::read(const SchemaSet& schemas, std::string_view numbers) {
  ProtobufLayout layout;
  // Every object has a message, if only an empty one: others may refer to it.
  for (const auto& [name, schema] : schemas.by_name()) {
    if (schema->shape == Shape::Object) (void)layout.message_of(name);
  }
  while (!numbers.empty()) {
    const std::string_view line = cut(numbers, '\n');
    if (line.empty() || line.front() == '#') continue;
    if (auto added = layout.add_type(schemas, line); !added) return std::unexpected(added.error());
  }
  if (auto finished = layout.finish(); !finished) return std::unexpected(finished.error());
  return layout;
}

const ProtobufMessage* ProtobufLayout::find(std::string_view type) const {
  const auto at = by_name_.find(type);
  return at == by_name_.end() ? nullptr : at->second;
}

const ProtobufLayout& builtin_protobuf() {
  static const ProtobufLayout layout = [] {
    auto read = ProtobufLayout::read(builtin_schemas(), builtin_protobuf_numbers());
    check(read.has_value(), read ? "" : read.error().message);
    return std::move(*read);
  }();
  return layout;
}

}  // namespace basalt::api
