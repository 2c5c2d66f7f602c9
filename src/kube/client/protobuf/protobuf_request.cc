#include "kube/client/protobuf/protobuf_request.h"

#include "kube/api/schema/protobuf.h"
#include "kube/client/protobuf/protobuf_kinds.h"
#include "kube/client/protobuf/protobuf_request_body.h"

namespace basalt::client {

std::string protobuf_accept(const api::Call& call) {
  if (answer_layout(call) == nullptr) return "application/json";
  return std::string(api::kProtobufMediaType) + ",application/json";
}

std::optional<EncodedBody> protobuf_body_of(const api::Call& call) {
  const api::ProtobufMessage* layout = body_layout(call);
  if (layout == nullptr) return std::nullopt;
  auto body = protobuf_request_body(*layout, call.body);
  if (!body) return std::nullopt;
  return EncodedBody{.content_type = std::string(api::kProtobufMediaType), .text = std::move(*body)};
}

}  // namespace basalt::client
