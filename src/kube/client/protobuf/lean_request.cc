#include "kube/client/protobuf/lean_request.h"

#include "kube/api/schema/protobuf.h"
#include "kube/client/protobuf/binary_kinds.h"
#include "kube/client/protobuf/sealed_body.h"

namespace basalt::client {

std::string lean_accept(const api::Call& call) {
  if (answer_layout(call) == nullptr) return "application/json";
  return std::string(api::kProtobufMediaType) + ",application/json";
}

std::optional<WrittenBody> lean_body(const api::Call& call) {
  const api::ProtobufMessage* layout = body_layout(call);
  if (layout == nullptr) return std::nullopt;
  auto body = sealed_body(*layout, call.body);
  if (!body) return std::nullopt;
  return WrittenBody{.content_type = std::string(api::kProtobufMediaType), .text = std::move(*body)};
}

}  // namespace basalt::client
