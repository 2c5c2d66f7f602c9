#include "server/rest/amend.h"

#include "server/rest/commit.h"
#include "server/rest/object_life.h"
#include "server/rest/stored_form.h"

namespace basalt::server {

void amend(const ContextPtr& context, const std::function<api::ApiResult<void>(text::Object&)>& edit,
           const std::function<Answer(const store::RecordPtr&)>& finish, Effect effect) {
  const api::Resource& resource = *context->resource;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const store::RecordPtr latest = context->latest();
    if (latest == nullptr) {
      return context->refuse(api::not_found(resource.group, resource.plural, context->call.name));
    }
    text::Value next = shown_copy(resource, *latest);
    if (auto edited = edit(next.get_object()); !edited) return context->refuse(std::move(edited.error()));
    const bool remove = may_vanish(next.get_object());
    const bool same = !remove && effect == Effect::MayBeNone &&
                      same_content(next.get_object(), shown(resource, *latest)->get_object());
    if (same && context->store->get(resource.storage_name(), context->key()) == latest) {
      Answer answer = finish == nullptr ? Answer{} : finish(latest);
      if (finish == nullptr) answer.record = latest;
      return context->done(std::move(answer));
    }
    const Ordered ordered =
        remove ? commit_vanishing(context, context->key(), std::move(next), *shown(resource, *latest),
                                  latest->revision(), finish)
               : commit(context, context->key(), std::move(next), latest->revision(), Fate::Stays, true, finish);
    if (ordered == Ordered::Yes) return;
  }
  context->refuse(store_refusal({.why = store::Refusal::Conflict, .message = ""}, *context));
}

Answer success_answer() {
  text::Object status;
  status["kind"] = "Status";
  status["apiVersion"] = "v1";
  status["metadata"] = text::Object();
  status["status"] = "Success";
  status["code"] = 201;
  Answer answer;
  answer.value = std::make_shared<const text::Value>(std::move(status));
  answer.created = true;
  return answer;
}

}  // namespace basalt::server
