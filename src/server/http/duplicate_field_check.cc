#include "server/http/duplicate_field_check.h"

#include "kube/api/schema/normalize.h"
#include "kube/text/duplicate_keys.h"
#include "server/http/protobuf_body.h"
#include "server/rest/patch_body.h"

namespace basalt::server {
namespace {

bool is_validated(const api::Call& call) {
  if (call.field_validation == api::FieldValidation::Ignore || !call.unreadable.empty()) return false;
  return call.verb == api::Verb::Create || call.verb == api::Verb::Update || call.verb == api::Verb::Patch;
}

}  // namespace

api::ApiResult<std::vector<std::string>> check_duplicates(std::string_view body, std::string_view content_type,
                                                          const api::Call& call) {
  std::vector<std::string> twice;
  const size_t first = body.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
  if (!is_validated(call) || !json || is_protobuf(content_type)) return twice;
  for (const std::string& path : text::duplicate_keys(body, call.body, api::kMaxUnknownFields)) {
    twice.push_back("duplicate field \"" + path + "\"");
  }
  if (twice.empty() || call.field_validation == api::FieldValidation::Warn) return twice;
  std::string message = "strict decoding error: ";
  for (size_t i = 0; i < twice.size(); ++i) message += (i == 0 ? "" : ", ") + twice[i];
  api::ApiError error = api::bad_request(std::move(message));
  const bool patch = call.verb == api::Verb::Patch && call.patch != api::PatchType::Apply;
  if (patch) return refuse_patch(call.body, error);
  return std::unexpected(std::move(error));
}

}  // namespace basalt::server
