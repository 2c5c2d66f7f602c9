#include "kube/api/schema/protobuf.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/instant.h"
#include "kube/api/schema/protobuf_wire.h"
#include "kube/text/base64.h"
#include "kube/text/rfc3339.h"
#include "kube/text/utf8.h"

namespace basalt::api {
namespace {

std::unexpected<Error> broken(std::string_view what) {
  return invalid("the protobuf form of " + std::string(what) + " is broken");
}

// The fields of the small messages that are one value in JSON.
struct SmallMessage {
  static constexpr size_t kFields = 4;
  uint64_t scalars[kFields] = {};
  std::string_view texts[kFields];
};

bool read_small(std::string_view bytes, SmallMessage& out) {
  WireReader reader(bytes);
  WireField field;
  while (!reader.at_end()) {
    if (!reader.next(field)) return false;
    if (field.number >= SmallMessage::kFields) continue;
    if (field.wire == WireType::Bytes) {
      out.texts[field.number] = field.bytes;
    } else {
      out.scalars[field.number] = field.scalar;
    }
  }
  return true;
}

Result<text::Value> text_value(std::string_view bytes) {
  if (!text::is_utf8(bytes)) return invalid("a string is not valid UTF-8");
  return text::Value(bytes);
}

Result<text::Value> decode_time(const Schema& type, std::string_view bytes) {
  if (bytes.empty()) return text::Value();
  SmallMessage time;
  if (!read_small(bytes, time)) return broken("a time");
  const auto seconds = static_cast<int64_t>(time.scalars[1]);
  const auto nanos = static_cast<int64_t>(static_cast<int32_t>(time.scalars[2]));
  constexpr int64_t kZeroTime = -62'135'596'800;  // the first second of the year 1
  // What an Instant can hold, in whole years.
  constexpr int64_t kFirst = -9'214'560'000, kEnd = 9'214'646'400;
  if (seconds == kZeroTime) return text::Value();
  if (seconds < kFirst || seconds >= kEnd) return invalid("a time is not between the years 1678 and 2261");
  const bool micro = type.shape == Shape::MicroTime;
  const Instant at = Instant::from_unix_seconds(seconds) + Duration{micro ? nanos : 0};
  if (!at.is_set()) return text::Value(micro ? "1970-01-01T00:00:00.000000Z" : "1970-01-01T00:00:00Z");
  return text::Value(micro ? text::format_micro_time(at) : text::format_time(at));
}

// A document inside: RawExtension, FieldsV1 and JSON alike.
Result<text::Value> decode_raw(std::string_view bytes) {
  SmallMessage raw;
  if (!read_small(bytes, raw)) return broken("an embedded document");
  if (raw.texts[1].empty()) return text::Value();
  return text::parse_json(raw.texts[1]);
}

Result<text::Value> decode_int_or_string(std::string_view bytes) {
  SmallMessage either;
  if (!read_small(bytes, either)) return broken("a number or string");
  if (either.scalars[1] == 1) return text_value(either.texts[3]);
  return text::Value(static_cast<int64_t>(static_cast<int32_t>(either.scalars[2])));
}

// What protobuf means by a value that is not there.
text::Value absent(const Schema& type) {
  switch (type.shape) {
    case Shape::String:
    case Shape::Bytes:
      return text::Value("");
    case Shape::Int32:
    case Shape::Int64:
    case Shape::IntOrString:
      return text::Value(0);
    case Shape::Number:
      return text::Value(0.0);
    case Shape::Bool:
      return text::Value(false);
    case Shape::Quantity:
      return text::Value("0");
    case Shape::Object:
    case Shape::Map:
      return text::Value(text::Object());
    case Shape::List:
      return text::Value(text::Array());
    default:
      return {};
  }
}

bool is_empty(const text::Value& value) {
  if (value.is_string()) return value.get_string().empty();
  if (value.is_int64()) return value.get_int64() == 0;
  if (value.is_bool()) return !value.get_bool();
  if (value.is_double()) return value.get_double() == 0;
  return value.is_null();
}

// Most fields of most objects are an empty string, 0 or false on the wire: seen here, they cost nothing.
bool is_left_out(const ProtobufField& into, const WireField& wire) {
  if (into.field->when_empty != WhenEmpty::Omit) return false;
  const Shape shape = into.field->type->shape;
  if (wire.wire == WireType::Bytes) return shape == Shape::String && wire.bytes.empty();
  const bool whole = shape == Shape::Bool || shape == Shape::Int32 || shape == Shape::Int64;
  return whole && wire.wire == WireType::Varint && wire.scalar == 0;
}

// How many further fields with this number follow at once, as those of lists and maps do.
size_t run_of(WireReader reader, uint64_t number) {
  WireField wire;
  size_t run = 0;
  while (!reader.at_end() && reader.next(wire) && wire.number == number) ++run;
  return run;
}

class Decoder {
 public:
  // The fields of the message behind what `object` has already.
  Result<void> read_into(const ProtobufMessage& layout, std::string_view bytes, text::Object& object) {
    if (depth_ >= kMaxProtobufDepth) {
      return invalid("the protobuf form is nested deeper than " + std::to_string(kMaxProtobufDepth) + " levels");
    }
    ++depth_;
    WireReader reader(bytes);
    WireField wire;
    while (!reader.at_end()) {
      if (!reader.next(wire)) return broken(layout.name);
      const ProtobufField* into = layout.find(wire.number);
      if (into == nullptr) continue;
      if (auto taken = take(*into, wire, reader, object); !taken) {
        return into->field == nullptr ? taken : std::unexpected(taken.error().within(into->field->name));
      }
    }
    --depth_;
    return {};
  }

 private:
  Result<void> take(const ProtobufField& into, const WireField& wire, const WireReader& rest, text::Object& object) {
    if (into.field == nullptr) {
      if (wire.wire != WireType::Bytes) return broken("a part of the object");
      return read_into(*into.message, wire.bytes, object);
    }
    const Schema& type = *into.field->type;
    if (type.shape == Shape::Map) return take_entry(into, wire, rest, object);
    if (type.shape == Shape::List) return take_element(into, wire, rest, object);
    if (is_left_out(into, wire)) {
      object.erase(into.field->name);  // of a field that comes twice the last one counts
      return {};
    }
    text::Value& place = object[into.field->name];
    if (auto done = put(into, type, wire, place); !done) return done;
    if (into.field->when_empty == WhenEmpty::Omit && is_empty(place)) object.erase(into.field->name);
    return {};
  }

  Result<void> take_entry(const ProtobufField& into, const WireField& entry, const WireReader& rest,
                          text::Object& object) {
    if (entry.wire != WireType::Bytes) return broken("a map");
    const Schema& type = *into.field->type->element;
    WireReader reader(entry.bytes);
    WireField wire;
    std::string_view key = "";  // protobuf leaves an empty one out; the JSON library copies from where it points
    std::optional<WireField> value;
    while (!reader.at_end()) {
      if (!reader.next(wire)) return broken("a map");
      if (wire.number == 1 && wire.wire == WireType::Bytes) key = wire.bytes;
      if (wire.number == 2) value = wire;
    }
    if (!text::is_utf8(key)) return invalid("a key is not valid UTF-8");
    text::Value& map = object[into.field->name];
    if (!map.is_object()) map.emplace_object().reserve(1 + run_of(rest, entry.number));
    text::Value& place = map.get_object()[key];
    if (value) return put(into, type, *value, place);
    place = absent(type);
    return {};
  }

  Result<void> take_element(const ProtobufField& into, const WireField& wire, const WireReader& rest,
                            text::Object& object) {
    const Schema& type = *into.field->type->element;
    text::Value& place = object[into.field->name];
    if (!place.is_array()) place.emplace_array().reserve(1 + run_of(rest, wire.number));
    text::Array& list = place.get_array();
    const bool packed = wire.wire == WireType::Bytes && (type.shape == Shape::Int32 || type.shape == Shape::Int64);
    if (!packed) return put(into, type, wire, list.emplace_back(nullptr));
    WireReader reader(wire.bytes);
    WireField number{.number = wire.number};
    while (!reader.at_end()) {
      if (!reader.varint(number.scalar)) return broken("a list of numbers");
      auto value = scalar(type, number);
      if (!value) return std::unexpected(std::move(value.error()));
      list.push_back(std::move(*value));
    }
    return {};
  }

  // One value into its place. What objects are mostly made of is made there; the rest is moved.
  Result<void> put(const ProtobufField& into, const Schema& type, const WireField& wire, text::Value& place) {
    const bool plain = wire.wire == WireType::Bytes && into.packing == ProtobufPacking::Plain;
    if (plain && type.shape == Shape::String) return put_text(wire.bytes, place);
    if (plain && type.shape == Shape::Object) return read_into(*into.message, wire.bytes, place.emplace_object());
    if (plain && type.shape == Shape::Quantity) {
      SmallMessage quantity;
      if (!read_small(wire.bytes, quantity)) return broken("a quantity");
      return put_text(quantity.texts[1], place);
    }
    auto value = one(into, type, wire);
    if (!value) return std::unexpected(std::move(value.error()));
    place = std::move(*value);
    return {};
  }

  static Result<void> put_text(std::string_view bytes, text::Value& place) {
    if (!text::is_utf8(bytes)) return invalid("a string is not valid UTF-8");
    place.emplace_string().assign(bytes);
    return {};
  }

  Result<text::Value> one(const ProtobufField& into, const Schema& type, const WireField& wire) {
    if (wire.wire != WireType::Bytes) return scalar(type, wire);
    if (into.packing != ProtobufPacking::Plain) return schema_or(into, wire.bytes);
    switch (type.shape) {
      case Shape::Bytes:
        return text::Value(text::encode_base64(wire.bytes));
      case Shape::IntOrString:
        return decode_int_or_string(wire.bytes);
      case Shape::Time:
      case Shape::MicroTime:
        return decode_time(type, wire.bytes);
      case Shape::Any:
        return decode_raw(wire.bytes);
      case Shape::List:  // as value of a map
        return strings(1, wire.bytes);
      default:
        return broken("a value");
    }
  }

  static Result<text::Value> scalar(const Schema& type, const WireField& wire) {
    const bool varint = wire.wire == WireType::Varint;
    if (type.shape == Shape::Bool && varint) return text::Value(wire.scalar != 0);
    if (type.shape == Shape::Int64 && varint) return text::Value(static_cast<int64_t>(wire.scalar));
    if (type.shape == Shape::Int32 && varint) {
      return text::Value(static_cast<int64_t>(static_cast<int32_t>(wire.scalar)));
    }
    if (type.shape == Shape::Number && wire.wire == WireType::Fixed64) {
      const auto number = std::bit_cast<double>(wire.scalar);
      if (std::isfinite(number)) return text::Value(number);
      return invalid("a number is not finite");
    }
    return broken("a value");
  }

  // The strings that a message has under one number.
  static Result<text::Value> strings(uint64_t number, std::string_view bytes) {
    text::Array list;
    WireReader reader(bytes);
    WireField wire;
    while (!reader.at_end()) {
      if (!reader.next(wire)) return broken("a list of strings");
      if (wire.number != number || wire.wire != WireType::Bytes) continue;
      auto value = text_value(wire.bytes);
      if (!value) return value;
      list.push_back(std::move(*value));
    }
    return text::Value(std::move(list));
  }

  // The messages of JSON Schema with alternatives: the schema's number is 1 (2 beside a bool), the other's the other.
  Result<text::Value> schema_or(const ProtobufField& into, std::string_view bytes) {
    const bool flag = into.packing == ProtobufPacking::SchemaOrBool;
    if (into.packing == ProtobufPacking::SchemaOrStrings) {
      auto listed = strings(2, bytes);
      if (!listed || !listed->get_array().empty()) return listed;
    }
    text::Value schema, other;
    WireReader reader(bytes);
    WireField wire;
    if (flag) other = false;
    while (!reader.at_end()) {
      if (!reader.next(wire)) return broken("a schema");
      if (flag && wire.number == 1) other = wire.scalar != 0;
      const bool is_schema = wire.number == (flag ? 2U : 1U);
      const bool is_listed = wire.number == 2 && into.packing == ProtobufPacking::SchemaOrArray;
      if (!is_schema && !is_listed) continue;
      if (wire.wire != WireType::Bytes) return broken("a schema");
      if (is_listed && !other.is_array()) other.emplace_array();
      text::Value& place = is_schema ? schema : other.get_array().emplace_back(nullptr);
      if (auto read = read_into(*into.message, wire.bytes, place.emplace_object()); !read) {
        return std::unexpected(std::move(read.error()));
      }
    }
    return flag ? (schema.is_null() ? std::move(other) : std::move(schema))
                : (other.is_null() ? std::move(schema) : std::move(other));
  }

  size_t depth_ = 0;  // an error ends the decoding, and need not be counted back
};

}  // namespace

Result<ProtobufEnvelope> open_envelope(std::string_view bytes) {
  if (!bytes.starts_with(kProtobufMagic)) return invalid("the body does not begin as Kubernetes' protobuf form does");
  if (bytes.size() == kProtobufMagic.size()) return invalid("the body is empty");
  SmallMessage unknown, type;
  if (!read_small(bytes.substr(kProtobufMagic.size()), unknown)) return broken("the envelope");
  if (!read_small(unknown.texts[1], type)) return broken("the envelope");
  if (!text::is_utf8(type.texts[1]) || !text::is_utf8(type.texts[2])) return broken("the envelope");
  return ProtobufEnvelope{
      .api_version = std::string(type.texts[1]), .kind = std::string(type.texts[2]), .message = unknown.texts[2]};
}

Result<text::Value> decode_protobuf(const ProtobufMessage& layout, std::string_view message) {
  text::Value made(boost::json::object_kind);
  if (auto read = decode_protobuf_into(layout, message, made.get_object()); !read) {
    return std::unexpected(std::move(read.error()));
  }
  return made;
}

Result<void> decode_protobuf_into(const ProtobufMessage& layout, std::string_view message, text::Object& object) {
  return Decoder().read_into(layout, message, object);
}

}  // namespace basalt::api
