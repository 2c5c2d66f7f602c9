#include "server/rest/commit.h"

#include <array>
#include <span>

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "server/rest/storage_conversion.h"

namespace basalt::server {
namespace {

ApiResponse plain_answer(CallContext& context, const store::RecordPtr& record, bool created) {
  ApiResponse answer;
  answer.record = record;
  answer.created = created;
  answer.warnings = std::move(context.warnings);
  return answer;
}

// What a dry run shows: the object as it would be, at the revision that it has now.
CommitResult answer_dry_run(const ContextPtr& context, text::Value object, store::Revision expected, bool created,
                            const std::function<ApiResponse(const store::RecordPtr&)>& finish) {
  if (expected != 0) api::metadata_of(object.get_object())["resourceVersion"] = std::to_string(expected);
  ApiResponse answer;
  if (finish != nullptr) {
    const EncodedObject encoded = encode_for_store(*context->resource, object.get_object());
    answer = finish(std::make_shared<store::Record>("", expected, false, encoded.bytes, encoded.version_at));
  }
  if (answer.value == nullptr) answer.value = std::make_shared<const text::Value>(std::move(object));
  answer.record = nullptr;
  if (finish == nullptr) answer.created = created;
  answer.warnings = std::move(context->warnings);
  context->done(std::move(answer));
  return CommitResult::Accepted;
}

// An object that is too large already may still be made smaller.
api::ApiResult<void> check_size(const CallContext& context, const std::string& key, size_t bytes, bool is_going) {
  if (bytes <= kMaxObjectBytes + (is_going ? kDeletionBytes : 0)) return {};
  const std::string resource = context.resource->storage_name();
  const store::RecordPtr before = context.store->latest(resource, key);
  if (before != nullptr && bytes < before->bytes().size()) return {};
  return std::unexpected(api::too_large(resource + " \"" + key + "\" would be stored in " + std::to_string(bytes) +
                                        " bytes, and the limit is " + std::to_string(kMaxObjectBytes) +
                                        ": shorten its lists and texts, or split it into several objects"));
}

}  // namespace

api::ApiError modified_since(const CallContext& context) {
  return api::conflict(context.resource->group, context.resource->plural, context.call.name,
                       "the object has been modified; please apply your changes to the latest version and try again");
}

std::string other_uid(std::string_view wished, std::string_view actual) {
  return "Precondition failed: UID in precondition: " + std::string(wished) +
         ", UID in object meta: " + std::string(actual);
}

api::ApiError store_refusal(const store::StoreError& error, const CallContext& context) {
  switch (error.why) {
    case store::StoreErrorCode::Conflict:
      return modified_since(context);
    case store::StoreErrorCode::Expired:
      return api::expired(error.message);
    case store::StoreErrorCode::Future:
      return api::bad_request(error.message);
    case store::StoreErrorCode::Busy:
      return api::too_many_requests(error.message, 1);
    case store::StoreErrorCode::Full:
      return api::insufficient_storage(error.message);
    case store::StoreErrorCode::Broken:
      return api::unavailable(error.message);
  }
  return api::internal_error(error.message);
}

CommitResult commit(const ContextPtr& context, const std::string& key, text::Value object, store::Revision expected,
                    CommitAction action, bool created, std::function<ApiResponse(const store::RecordPtr&)> finish) {
  EncodedObject encoded = encode_for_store(*context->resource, object.get_object());
  const bool is_going = !api::ObjectView(object.get_object()).metadata().deletion_timestamp().empty();
  if (action == CommitAction::Update) {
    if (auto fits = check_size(*context, key, encoded.bytes.size(), is_going); !fits) {
      context->refuse(std::move(fits.error()));
      return CommitResult::Accepted;
    }
  }
  if (context->call.dry_run) return answer_dry_run(context, std::move(object), expected, created, finish);
  std::array<store::StoreWrite, 2> steps;
  steps[0] = {.address = {.resource = context->resource->storage_name(), .key = key},
              .expected = expected,
              .remove = action == CommitAction::Delete,
              .frees_room = is_going,
              .bytes = std::move(encoded.bytes),
              .version_at = encoded.version_at};
  if (action == CommitAction::UpdateThenDelete) {
    steps[1] = steps[0];
    steps[1].remove = true;
  }
  const auto ordered = context->store->write_steps(
      std::span(steps).first(action == CommitAction::UpdateThenDelete ? 2 : 1),
      [context, created, finish = std::move(finish)](store::StoreResult<store::RecordPtr> written) {
        if (written) {
          ApiResponse answer = finish != nullptr ? finish(*written) : plain_answer(*context, *written, created);
          context->done(std::move(answer));
        } else if (written.error().why != store::StoreErrorCode::Conflict) {
          context->refuse(store_refusal(written.error(), *context));
        }
      });
  if (!ordered)
    return ordered.error().why == store::StoreErrorCode::Conflict ? CommitResult::Conflict : CommitResult::Accepted;
  if (shown_as_stored(*context->resource)) {
    api::metadata_of(object.get_object())["resourceVersion"] = std::to_string((*ordered)->revision());
    auto value = std::make_shared<const text::Value>(std::move(object));
    (*ordered)->remember(value);
    context->written = std::move(value);
  }
  return CommitResult::Accepted;
}

CommitResult commit_finalized_deletion(const ContextPtr& context, const std::string& key, text::Value next,
                                       const text::Value& old, store::Revision expected,
                                       std::function<ApiResponse(const store::RecordPtr&)> finish) {
  if (context->call.dry_run) {
    return commit(context, key, std::move(next), expected, CommitAction::Delete, false, std::move(finish));
  }
  EncodedObject encoded = encode_for_store(*context->resource, next.get_object());
  return commit(
      context, key, old, expected, CommitAction::Delete, false,
      [context, expected, encoded = std::move(encoded), finish = std::move(finish)](const store::RecordPtr& gone) {
        const auto last =
            std::make_shared<const store::Record>(gone->key(), expected, true, encoded.bytes, encoded.version_at);
        return finish != nullptr ? finish(last) : plain_answer(*context, last, false);
      });
}

}  // namespace basalt::server
