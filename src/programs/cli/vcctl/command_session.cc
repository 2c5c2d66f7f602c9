#include "programs/cli/vcctl/command_session.h"

#include <algorithm>
#include <ostream>

#include "kube/api/object_fields.h"

namespace basalt::cli::vcctl {
namespace {

api::Call call_of(api::Verb verb, const VcctlKind& kind, std::string_view namespace_name, std::string_view name) {
  api::Call call{.verb = verb, .resource = kind.resource(), .name = std::string(name)};
  if (kind.namespaced) call.namespace_name = namespace_name;
  return call;
}

Result<client::ObjectPtr> object_of(Result<client::Reply> reply) {
  if (!reply) return std::unexpected(reply.error());
  if (reply->object == nullptr || !reply->object->is_object()) {
    return failure(ErrorCode::Io, "the server answered with something that is no object");
  }
  return std::move(reply->object);
}

Result<void> nothing_of(const Result<client::Reply>& reply) {
  if (!reply) return std::unexpected(reply.error());
  return {};
}

}  // namespace

Error error_of(const api::ApiError& refusal) {
  const ErrorCode code = refusal.code == 404   ? ErrorCode::NotFound
                         : refusal.code == 409 ? ErrorCode::AlreadyExists
                         : refusal.code >= 500 ? ErrorCode::Io
                                               : ErrorCode::Invalid;
  return Error{.code = code, .message = printable(refusal.message.empty() ? refusal.reason : refusal.message)};
}

Result<client::Reply> CommandSession::send(api::Call call) {
  client::ReplyOrError outcome = api.call(std::move(call));
  const auto& warnings = outcome ? outcome->warnings : outcome.error().warnings;
  for (const std::string& warning : warnings) terminal.err << "Warning: " << printable(warning) << '\n';
  if (!outcome) return std::unexpected(error_of(outcome.error()));
  return std::move(*outcome);
}

Result<client::ObjectPtr> CommandSession::get(const VcctlKind& kind, std::string_view namespace_name,
                                              std::string_view name) {
  return object_of(send(call_of(api::Verb::Get, kind, namespace_name, name)));
}

Result<std::string> CommandSession::log(std::string_view namespace_name, std::string_view pod,
                                        api::PodLogOptions options) {
  api::Call call = call_of(api::Verb::Get, kPod, namespace_name, pod);
  call.subresource = "log";
  call.log = std::move(options);
  auto reply = send(std::move(call));
  if (!reply) return std::unexpected(reply.error());
  if (reply->object == nullptr || !reply->object->is_string()) {
    return failure(ErrorCode::Io, "the server answered with something that is no log");
  }
  return std::string(reply->object->get_string());
}

Result<ListResult> CommandSession::list(const VcctlKind& kind, const ListScope& scope) {
  ListResult listed;
  api::Call call = call_of(api::Verb::List, kind, scope.namespace_name, "");
  call.label_selector = scope.label_selector;
  call.field_selector = scope.field_selector;
  call.limit = kListPage;
  for (size_t page = 0; page < kMaxListPages; ++page) {
    auto reply = send(call);
    if (!reply) return std::unexpected(reply.error());
    for (client::ObjectPtr& item : reply->items) {
      if (item != nullptr && item->is_object()) listed.items.push_back(std::move(item));
    }
    listed.resource_version = reply->resource_version;
    call.continue_token = reply->continue_token;
    if (call.continue_token.empty()) break;
  }
  std::stable_sort(listed.items.begin(), listed.items.end(), [](const auto& left, const auto& right) {
    const text::Object &a = left->get_object(), &b = right->get_object();
    return std::pair(api::namespace_of(a), api::name_of(a)) < std::pair(api::namespace_of(b), api::name_of(b));
  });
  return listed;
}

Result<client::ObjectPtr> CommandSession::create(const VcctlKind& kind, std::string_view namespace_name,
                                                 text::Object object) {
  api::Call call = call_of(api::Verb::Create, kind, namespace_name, "");
  call.body = std::move(object);
  return object_of(send(std::move(call)));
}

Result<void> CommandSession::merge_patch(const VcctlKind& kind, std::string_view name, text::Value patch) {
  api::Call call = call_of(api::Verb::Patch, kind, "", name);
  call.patch = api::PatchType::Merge;
  call.body = std::move(patch);
  return nothing_of(send(std::move(call)));
}

Result<void> CommandSession::remove(const VcctlKind& kind, std::string_view namespace_name, std::string_view name) {
  return nothing_of(send(call_of(api::Verb::Delete, kind, namespace_name, name)));
}

void CommandSession::tell(std::string_view line) {
  if (!volcano_output()) terminal.out << printable(line) << '\n';
}

std::string CommandSession::namespace_flag() const {
  if (flags.has("all-namespaces") && flags.on("all-namespaces")) return "";
  return flags.text("namespace");
}

}  // namespace basalt::cli::vcctl
