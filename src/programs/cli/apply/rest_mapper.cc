#include "programs/cli/apply/rest_mapper.h"

#include <fmt/format.h>

#include "kube/api/views/definition_view.h"
#include "kube/text/document_path.h"
#include "programs/cli/vcctl/command_session.h"

namespace basalt::cli::apply {
namespace {

constexpr vcctl::VcctlKind kDefinition{.group = "apiextensions.k8s.io",
                                       .version = "v1",
                                       .plural = "customresourcedefinitions",
                                       .singular = "customresourcedefinition",
                                       .kind = "CustomResourceDefinition",
                                       .namespaced = false};

}  // namespace

RestMapper::RestMapper(client::ObjectClient& client) : client_(client) {
  for (api::ApiResource& row : api::builtin_resources()) {
    known_.try_emplace({row.api_version(), row.kind},
                       RestMapping{.resource = {.group = row.group, .version = row.version, .plural = row.plural},
                                   .namespaced = row.namespaced});
  }
}

Result<RestMapping> RestMapper::find(const std::string& api_version, const std::string& kind) {
  const std::pair key(api_version, kind);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (auto asked = ask_server(); !asked) return std::unexpected(asked.error());
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  return failure(ErrorCode::NotFound, fmt::format("the server has no kind {} of {}; apply its definition first",
                                                  text::in_quotes(kind), text::in_quotes(api_version)));
}

Result<void> RestMapper::ask_server() {
  api::Call call{.verb = api::Verb::List, .resource = kDefinition.resource(), .limit = vcctl::kListPage};
  for (size_t page = 0; page < vcctl::kMaxListPages; ++page) {
    const auto listed = client_.call(call);
    if (!listed) return std::unexpected(vcctl::error_of(listed.error()));
    for (const client::ObjectPtr& item : listed->items) {
      if (item != nullptr && item->is_object()) learn(item->get_object());
    }
    call.continue_token = listed->continue_token;
    if (call.continue_token.empty()) break;
  }
  return {};
}

void RestMapper::learn(const text::Object& definition) {
  const api::CustomResourceDefinitionSpecView spec = api::CustomResourceDefinitionView(definition).spec();
  RestMapping target{.namespaced = spec.scope() == "Namespaced"};
  target.resource.group = spec.group();
  target.resource.plural = spec.names().plural();
  const std::string kind(spec.names().kind());
  for (const api::CustomResourceDefinitionVersionView version : spec.versions()) {
    target.resource.version = version.name();
    known_.insert_or_assign({target.resource.group + "/" + target.resource.version, kind}, target);
  }
}

}  // namespace basalt::cli::apply
