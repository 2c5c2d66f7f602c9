#include "kube/client/protobuf/protobuf_response.h"

#include "kube/api/schema/protobuf.h"
#include "kube/api/schema/protobuf_wire.h"
#include "kube/client/protobuf/protobuf_kinds.h"
#include "kube/client/watch_event_type.h"
#include "kube/text/document_path.h"
#include "kube/text/utf8.h"

namespace basalt::client {
namespace {

std::unexpected<Error> broken(std::string_view what) {
  return invalid("the protobuf form of " + std::string(what) + " is broken");
}

// "Pod" of "io.k8s.api.core.v1.Pod".
std::string_view kind_of(const api::ProtobufMessage& layout) {
  const std::string_view name = layout.name;
  return name.substr(name.rfind('.') + 1);
}

// An object with apiVersion and kind in front.
Result<text::Value> whole_object(const api::ProtobufMessage& layout, std::string_view api_version,
                                 std::string_view kind, std::string_view message) {
  text::Object object;
  object.reserve(5);  // with metadata, spec and status
  object["apiVersion"] = api_version;
  object["kind"] = kind;
  if (auto read = api::decode_protobuf_into(layout, message, object); !read) {
    return std::unexpected(read.error().within(kind));
  }
  return text::Value(std::move(object));
}

Result<void> read_list_metadata(std::string_view bytes, Reply& reply) {
  api::WireReader reader(bytes);
  api::WireField field;
  while (!reader.at_end()) {
    if (!reader.next(field)) return broken("a list's metadata");
    if (field.wire != api::WireType::Bytes) continue;
    if (field.number == 2) reply.resource_version = field.bytes;
    if (field.number == 3) reply.continue_token = field.bytes;
  }
  if (!text::is_utf8(reply.resource_version) || !text::is_utf8(reply.continue_token)) {
    return broken("a list's metadata");
  }
  return {};
}

// The bytes under number 1 of a message: a RawExtension's document.
Result<std::string_view> first_bytes(std::string_view message) {
  api::WireReader reader(message);
  api::WireField field;
  std::string_view found;
  while (!reader.at_end()) {
    if (!reader.next(field)) return broken("a watch event");
    if (field.number == 1 && field.wire == api::WireType::Bytes) found = field.bytes;
  }
  return found;
}

}  // namespace

bool is_protobuf(std::string_view content_type) { return content_type.starts_with(api::kProtobufMediaType); }

Result<text::Value> decode_protobuf_object(const api::ProtobufMessage& layout, std::string_view bytes) {
  auto envelope = api::open_envelope(bytes);
  if (!envelope) return std::unexpected(std::move(envelope.error()));
  const bool is_status = envelope->kind == "Status" && envelope->api_version == "v1";
  if (!is_status && envelope->kind != kind_of(layout)) {
    return invalid("the server sent a " + text::in_quotes(envelope->kind) + " where a " + std::string(kind_of(layout)) +
                   " was expected");
  }
  return whole_object(is_status ? status_layout() : layout, envelope->api_version, envelope->kind, envelope->message);
}

Result<Reply> decode_protobuf_list(const api::ProtobufMessage& layout, std::string_view bytes) {
  auto envelope = api::open_envelope(bytes);
  if (!envelope) return std::unexpected(std::move(envelope.error()));
  const std::string_view kind = kind_of(layout);
  if (envelope->kind != std::string(kind) + "List") {
    return invalid("the server sent a " + text::in_quotes(envelope->kind) + " where a list of " + std::string(kind) +
                   " was expected");
  }
  Reply reply;
  api::WireReader reader(envelope->message);
  api::WireField field;
  while (!reader.at_end()) {
    if (!reader.next(field)) return broken(envelope->kind);
    if (field.wire != api::WireType::Bytes) continue;
    if (field.number == 1) {
      if (auto read = read_list_metadata(field.bytes, reply); !read) return std::unexpected(std::move(read.error()));
    } else if (field.number == 2) {
      auto item = whole_object(layout, envelope->api_version, kind, field.bytes);
      if (!item) return std::unexpected(std::move(item.error()));
      reply.items.push_back(std::make_shared<const text::Value>(std::move(*item)));
    }
  }
  return reply;
}

Result<WatchEvent> decode_watch_frame(const api::ProtobufMessage& layout, std::string_view frame) {
  api::WireReader reader(frame);
  api::WireField field;
  std::string_view type, extension;
  while (!reader.at_end()) {
    if (!reader.next(field)) return broken("a watch event");
    if (field.wire != api::WireType::Bytes) continue;
    if (field.number == 1) type = field.bytes;
    if (field.number == 2) extension = field.bytes;
  }
  const auto read = parse_watch_event_type(type);
  if (!read) return std::unexpected(read.error());
  const auto sealed = first_bytes(extension);
  if (!sealed) return std::unexpected(sealed.error());
  auto object = decode_protobuf_object(layout, *sealed);
  if (!object) return std::unexpected(object.error().within("watch event"));
  return WatchEvent{.type = *read, .object = std::make_shared<const text::Value>(std::move(*object))};
}

}  // namespace basalt::client
