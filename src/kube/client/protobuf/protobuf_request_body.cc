#include "kube/client/protobuf/protobuf_request_body.h"

#include <cstdint>
#include <limits>
#include <string_view>

#include "kube/api/object_fields.h"
#include "kube/api/schema/protobuf.h"
#include "kube/client/protobuf/wire_writer.h"
#include "kube/text/base64.h"
#include "kube/text/rfc3339.h"

namespace basalt::client {
namespace {

using api::ProtobufField;
using api::ProtobufMessage;
using api::Shape;

bool fits_int32(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
}

// Functions answer false when the value has no binary form.
class Encoder {
 public:
  // `outermost`: apiVersion and kind stand in the envelope.
  bool object(const ProtobufMessage& layout, const text::Object& object, bool outermost, WireWriter& out) {
    if (depth_ >= api::kMaxProtobufDepth) return false;
    ++depth_;
    for (const auto& member : object) {
      const std::string_view name = member.key();
      if (outermost && (name == "apiVersion" || name == "kind")) continue;
      if (!field_called(layout, name, member.value(), out)) return false;
    }
    --depth_;
    return true;
  }

 private:
  bool field_called(const ProtobufMessage& layout, std::string_view name, const text::Value& value, WireWriter& out) {
    for (const ProtobufField& field : layout.fields) {
      if (field.field == nullptr) {
        WireWriter inner;  // fields of this object that travel in a message of their own
        if (!field_called(*field.message, name, value, inner)) continue;
        if (!inner.text().empty()) out.bytes(field.number, inner.text());
        return true;
      }
      if (field.field->name == name) return value.is_null() || whole_field(field, value, out);
    }
    return false;
  }

  bool whole_field(const ProtobufField& field, const text::Value& value, WireWriter& out) {
    if (field.packing != api::ProtobufPacking::Plain) return false;
    const api::Schema& type = *field.field->type;
    if (type.shape == Shape::List) {
      if (!value.is_array()) return false;
      for (const text::Value& element : value.get_array()) {
        if (!one(field, field.number, *type.element, element, out)) return false;
      }
      return true;
    }
    if (type.shape != Shape::Map) return one(field, field.number, type, value, out);
    if (!value.is_object()) return false;
    for (const auto& member : value.get_object()) {
      WireWriter entry;
      entry.bytes(1, member.key());
      if (!one(field, 2, *type.element, member.value(), entry)) return false;
      out.bytes(field.number, entry.text());
    }
    return true;
  }

  bool one(const ProtobufField& field, uint32_t number, const api::Schema& type, const text::Value& value,
           WireWriter& out) {
    switch (type.shape) {
      case Shape::Object: {
        WireWriter inner;
        if (!value.is_object() || !object(*field.message, value.get_object(), false, inner)) return false;
        out.bytes(number, inner.text());
        return true;
      }
      case Shape::Bool:
        if (!value.is_bool()) return false;
        out.number(number, static_cast<uint64_t>(value.get_bool()));
        return true;
      case Shape::Int32:
      case Shape::Int64:
        if (!value.is_int64() || (type.shape == Shape::Int32 && !fits_int32(value.get_int64()))) return false;
        out.number(number, value.get_int64());
        return true;
      case Shape::Number:
        if (!value.is_double() && !value.is_int64()) return false;
        out.number(number, value.is_double() ? value.get_double() : static_cast<double>(value.get_int64()));
        return true;
      case Shape::IntOrString:
        return int_or_string(number, value, out);
      default:
        return value.is_string() && from_text(number, type.shape, value.get_string(), out);
    }
  }

  static bool int_or_string(uint32_t number, const text::Value& value, WireWriter& out) {
    WireWriter either;
    if (value.is_string()) {
      either.number(1, uint64_t{1});
      either.bytes(3, value.get_string());
    } else if (value.is_int64() && fits_int32(value.get_int64())) {
      either.number(1, uint64_t{0});
      either.number(2, value.get_int64());
    } else {
      return false;
    }
    out.bytes(number, either.text());
    return true;
  }

  static bool from_text(uint32_t number, Shape shape, std::string_view text, WireWriter& out) {
    WireWriter small;
    switch (shape) {
      case Shape::String:
        out.bytes(number, text);
        return true;
      case Shape::Bytes: {
        const auto bytes = text::decode_base64(text);
        if (bytes) out.bytes(number, *bytes);
        return bytes.has_value();
      }
      case Shape::Quantity:
        small.bytes(1, text);
        out.bytes(number, small.text());
        return true;
      case Shape::Time:
      case Shape::MicroTime: {
        const auto time = text::parse_time(text);
        if (!time || !time->is_set() || time->nanos < 0) return false;
        constexpr int64_t kNanosPerSecond = 1'000'000'000;
        small.number(1, time->nanos / kNanosPerSecond);
        if (shape == Shape::MicroTime) small.number(2, time->nanos % kNanosPerSecond / 1000 * 1000);
        out.bytes(number, small.text());
        return true;
      }
      default:
        return false;  // documents inside documents: nobody of ours writes them
    }
  }

  size_t depth_ = 0;  // a refusal ends the encoding, and need not be counted back
};

}  // namespace

std::optional<std::string> protobuf_message(const ProtobufMessage& layout, const text::Object& object) {
  WireWriter out;
  if (!Encoder().object(layout, object, true, out)) return std::nullopt;
  return out.take();
}

std::optional<std::string> protobuf_request_body(const ProtobufMessage& layout, const text::Value& object) {
  if (!object.is_object()) return std::nullopt;
  const auto message = protobuf_message(layout, object.get_object());
  if (!message) return std::nullopt;
  WireWriter type, envelope;
  type.bytes(1, api::string_at(object.get_object(), "apiVersion"));
  type.bytes(2, api::string_at(object.get_object(), "kind"));
  envelope.bytes(1, type.text());
  envelope.bytes(2, *message);
  return std::string(api::kProtobufMagic) + envelope.take();
}

}  // namespace basalt::client
