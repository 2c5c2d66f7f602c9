#include "server/rest/guaranteed_update.h"

#include "server/rest/commit.h"
#include "server/rest/object_metadata.h"
#include "server/rest/storage_conversion.h"

namespace basalt::server {

void guaranteed_update(const ContextPtr& context, const std::function<api::ApiResult<void>(text::Object&)>& edit,
                       const std::function<ApiResponse(const store::RecordPtr&)>& finish, EditEffect effect) {
  const api::ApiResource& resource = *context->resource;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const store::RecordPtr latest = context->latest();
    if (latest == nullptr) {
      return context->refuse(api::not_found(resource.group, resource.plural, context->call.name));
    }
    text::Value next = shown_copy(resource, *latest);
    if (auto edited = edit(next.get_object()); !edited) return context->refuse(std::move(edited.error()));
    const bool remove = is_ready_for_removal(next.get_object());
    const bool same = !remove && effect == EditEffect::MayBeNone &&
                      same_content(next.get_object(), shown(resource, *latest)->get_object());
    if (same && context->store->get(resource.storage_name(), context->key()) == latest) {
      ApiResponse answer = finish == nullptr ? ApiResponse{} : finish(latest);
      if (finish == nullptr) answer.record = latest;
      return context->done(std::move(answer));
    }
    const CommitResult ordered =
        remove
            ? commit_finalized_deletion(context, context->key(), std::move(next), *shown(resource, *latest),
                                        latest->revision(), finish)
            : commit(context, context->key(), std::move(next), latest->revision(), CommitAction::Update, true, finish);
    if (ordered == CommitResult::Accepted) return;
  }
  context->refuse(store_refusal({.why = store::StoreErrorCode::Conflict, .message = ""}, *context));
}

ApiResponse success_response() {
  text::Object status;
  status["kind"] = "Status";
  status["apiVersion"] = "v1";
  status["metadata"] = text::Object();
  status["status"] = "Success";
  status["code"] = 201;
  ApiResponse answer;
  answer.value = std::make_shared<const text::Value>(std::move(status));
  answer.created = true;
  return answer;
}

}  // namespace basalt::server
