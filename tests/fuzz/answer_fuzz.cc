// Any bytes as an answer in Kubernetes' binary form, and as a watch that comes in pieces: always a value or an error.
// What is read can be printed, and what of it can be written again can be read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/api/schema/protobuf.h"
#include "kube/client/protobuf/protobuf_kinds.h"
#include "kube/client/protobuf/protobuf_request_body.h"
#include "kube/client/protobuf/protobuf_response.h"
#include "kube/client/watch_event_reader.h"
#include "kube/text/json.h"

namespace {

using namespace basalt;

constexpr size_t kMaxEvent = 1 << 16;

void use(const api::Call& call, const text::Value& value) {
  basalt::check(text::parse_json(text::to_json(value)).has_value(), "what was read is good JSON");
  const api::ProtobufMessage* layout = client::body_layout(call);
  const auto body = client::protobuf_request_body(*layout, value);
  if (body && value.get_object().at("kind") != "Status") {
    basalt::check(client::decode_protobuf_object(*layout, *body).has_value(), "what was written can be read");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t piece = data[0] + size_t{1};
  const auto kinds = client::protobuf_kinds();
  const client::ProtobufKind& kind = kinds[data[1] % kinds.size()];
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
  const api::Call call{
      .verb = api::Verb::Create,
      .resource = {
          .group = std::string(kind.group), .version = std::string(kind.version), .plural = std::string(kind.plural)}};
  const api::ProtobufMessage* layout = client::answer_layout(call);
  if (const auto value = client::decode_protobuf_object(*layout, bytes)) use(call, *value);
  if (const auto list = client::decode_protobuf_list(*layout, bytes)) {
    for (const client::ObjectPtr& item : list->items) use(call, *item);
  }
  client::WatchEventReader reader({.lean = true, .layout = layout}, kMaxEvent);
  for (size_t at = 0; at < bytes.size(); at += piece) {
    const std::string_view part = bytes.substr(at, piece);
    const auto fed = reader.feed(api::kProtobufMediaType, part, [&](const client::WatchEvent& event) {
      use(call, *event.object);
      return true;
    });
    if (!fed) break;
  }
  return 0;
}
