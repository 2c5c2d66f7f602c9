// Where the fields of the built-in kinds stand in Kubernetes' binary form: protobuf names them by number.
//
// A layout is the graph of messages beside the graph of schemas, read from builtin/protobuf.numbers. Three things make
// messages differ from the JSON form that schemas describe:
//   1. Some fields of one object travel in a message of their own (a Volume's source); here such a message has
//      ProtobufField::field == nullptr, and its fields belong to the object around it.
//   2. apiVersion and kind of the object are in the envelope, not in the message.
//   3. A few values that are `any` in the schemas are messages with alternatives (ProtobufPacking).
//
// Ownership: a layout owns its messages, never moves them, and refers to the SchemaSet, which must outlive it. It is
// immutable and may be read from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kube/api/schema/schema.h"

namespace basalt::api {

inline constexpr uint32_t kMaxProtobufNumber = (1U << 29U) - 1;  // protobuf's own bound

// Plain: as the schema says. The others: a schema, or a list of schemas, a bool, a list of strings instead.
enum class ProtobufPacking : uint8_t { Plain, SchemaOrArray, SchemaOrBool, SchemaOrStrings };

struct ProtobufMessage;

struct ProtobufField {
  uint32_t number = 0;
  ProtobufPacking packing = ProtobufPacking::Plain;
  const SchemaField* field = nullptr;        // null: `message` carries further fields of this object
  const ProtobufMessage* message = nullptr;  // of an Object, also as element of lists and maps; else null
};

struct ProtobufMessage {
  std::string name;                   // "io.k8s.api.core.v1.PodSpec"; for messages about it
  std::vector<ProtobufField> fields;  // sorted by number, each number once

  // Cost: O(numbers missing below), for the field stands where its number says, or before.
  [[nodiscard]] const ProtobufField* find(uint64_t number) const {
    size_t at = number < fields.size() ? static_cast<size_t>(number) : fields.size();
    while (at > 0 && fields[at - 1].number > number) --at;
    return at > 0 && fields[at - 1].number == number ? &fields[at - 1] : nullptr;
  }
};

class ProtobufLayout {
 public:
  // One type a line: "NAME field=2 inner=3.1 either=4/or-bool other=5/NAME", '#' starts a comment line. Types and
  // fields that the schemas lack are passed over. Cost: O(text · log types).
  [[nodiscard]] static Result<ProtobufLayout> read(const SchemaSet& schemas, std::string_view numbers);

  // nullptr: none, as for types of CRDs.
  [[nodiscard]] const ProtobufMessage* find(std::string_view type) const;

 private:
  Result<void> add_type(const SchemaSet& schemas, std::string_view line);
  Result<void> add_field(const Schema& schema, ProtobufMessage& message, std::string_view word);
  ProtobufMessage& message_of(std::string_view type);
  ProtobufMessage& inner_message(ProtobufMessage& outer, uint32_t number);
  Result<void> finish();

  std::deque<ProtobufMessage> messages_;
  std::map<std::string, ProtobufMessage*, std::less<>> by_name_;
  std::map<std::pair<const ProtobufMessage*, uint32_t>, ProtobufMessage*> inner_;
};

// The layout of builtin_schemas(); read once, at the first call. Never fails: a unit test proves that the text is
// right.
[[nodiscard]] const ProtobufLayout& builtin_protobuf();

// The embedded text (generated from builtin/ by cmake/embed.cmake).
[[nodiscard]] std::string_view builtin_protobuf_numbers();

}  // namespace basalt::api
