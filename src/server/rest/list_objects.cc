#include "server/rest/list_objects.h"

#include <algorithm>
#include <charconv>

#include "server/rest/continue_token.h"
#include "server/rest/selection.h"

namespace basalt::server {
namespace {

// How many objects are looked at in one go when a selector thins out a page.
constexpr size_t kMinScan = 500;

// At which revision the list is taken; 0: now. Checks that it can be.
api::ApiResult<store::Revision> wished_revision(const CallContext& context) {
  const api::Call& call = context.call;
  auto given = parse_revision(call.resource_version);
  if (!given) return given;
  if (*given > context.store->revision()) {
    return std::unexpected(api::too_large_resource_version(*given, context.store->revision()));
  }
  const bool exact = call.version_match == api::ResourceVersionMatch::Exact ||
                     (call.version_match == api::ResourceVersionMatch::Unset && call.limit > 0 && *given != 0);
  return exact ? *given : 0;
}

struct Start {
  store::Revision at = 0;
  std::string after;
};

api::ApiResult<Start> start_of(const CallContext& context) {
  if (context.call.continue_token.empty()) {
    auto at = wished_revision(context);
    if (!at) return std::unexpected(std::move(at.error()));
    return Start{.at = *at, .after = ""};
  }
  const auto token = ContinueToken::parse(context.call.continue_token);
  if (!token) return std::unexpected(api::bad_request("continue key is not valid: " + token.error().message));
  return Start{.at = token->revision, .after = token->after};
}

api::ApiError expired_page() {
  return api::expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new "
      "list without the continue parameter.");
}

// Fills the listing with what matches, up to the limit.
api::ApiResult<ListResponse> take(const CallContext& context, const Selection& selection, Start start, size_t limit) {
  const api::ApiResource& resource = *context.resource;
  const std::string name = resource.storage_name();
  ListResponse listing;
  listing.revision = start.at;
  const bool scan = !selection.by_key_only();
  for (;;) {
    const size_t want = limit == 0 ? 0 : scan ? std::max(limit, kMinScan) : limit;
    auto page = context.store->list(
        {.resource = name, .prefix = selection.prefix(), .after = start.after, .at = listing.revision, .limit = want});
    if (!page) {
      const bool old = page.error().why == store::StoreErrorCode::Expired && !context.call.continue_token.empty();
      return std::unexpected(old ? expired_page() : store_refusal(page.error(), context));
    }
    listing.revision = page->revision;
    for (size_t i = 0; i < page->records.size(); ++i) {
      const store::RecordPtr& record = page->records[i];
      if (scan && !selection.matches(resource, *record)) continue;
      listing.records.push_back(record);
      const bool more = i + 1 < page->records.size() || page->more;
      if (limit == 0 || listing.records.size() < limit || !more) continue;
      listing.continue_token = ContinueToken{.revision = page->revision, .after = record->key()}.text();
      if (!scan) listing.remaining = page->remaining;
      return listing;
    }
    if (!page->more) return listing;
    start.after = page->records.back()->key();
  }
}

}  // namespace

api::ApiResult<store::Revision> parse_revision(const std::string& text) {
  if (text.empty()) return store::Revision{0};
  store::Revision revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error == std::errc() && end == text.data() + text.size()) return revision;
  api::Causes causes;
  causes.invalid("resourceVersion", text::Value(text), "must be a number, as it came from the server");
  return std::unexpected(api::bad_request("Invalid value: \"" + text + "\": resourceVersion must be a number"));
}

api::ApiResult<void> check_list_options(const api::Call& call) {
  api::Causes causes;
  const bool watch = call.verb == api::Verb::Watch;
  const bool matched = call.version_match != api::ResourceVersionMatch::Unset;
  if (matched && watch && !call.send_initial_events) {
    causes.forbidden("resourceVersionMatch",
                     "resourceVersionMatch is forbidden for watch unless sendInitialEvents is set");
  }
  if (matched && !watch && call.resource_version.empty()) {
    causes.forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (matched && !call.continue_token.empty()) {
    causes.forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
  }
  if (call.version_match == api::ResourceVersionMatch::Exact && call.resource_version == "0") {
    causes.forbidden("resourceVersionMatch", "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"");
  }
  if (call.send_initial_events) {
    if (!watch) {
      causes.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
    } else if (call.version_match != api::ResourceVersionMatch::NotOlderThan) {
      causes.forbidden("resourceVersionMatch",
                       "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
      if (matched) causes.not_supported("resourceVersionMatch", text::Value("Exact"), {"NotOlderThan"});
    }
  }
  if (!causes.empty()) return std::unexpected(api::invalid_object("meta.k8s.io", "ListOptions", "", causes.take()));
  if (!call.continue_token.empty() && !call.resource_version.empty() && call.resource_version != "0") {
    return std::unexpected(api::bad_request("specifying resource version is not allowed when using continue"));
  }
  return {};
}

api::ApiResult<ListResponse> list_matching(const CallContext& context) {
  auto selection = Selection::parse(*context.resource, context.call);
  if (!selection) return std::unexpected(std::move(selection.error()));
  return take(context, *selection, {}, 0);
}

void list(const ContextPtr& context) {
  if (auto fine = check_list_options(context->call); !fine) return context->refuse(std::move(fine.error()));
  auto selection = Selection::parse(*context->resource, context->call);
  if (!selection) return context->refuse(std::move(selection.error()));
  auto start = start_of(*context);
  if (!start) return context->refuse(std::move(start.error()));
  const size_t limit = context->call.limit > 0 ? static_cast<size_t>(context->call.limit) : 0;
  ApiResponse answer;
  if (!selection->only_key().empty() && start->at == 0) {
    ListResponse one;
    one.revision = context->store->revision();
    const store::RecordPtr record = context->store->get(context->resource->storage_name(), selection->only_key());
    if (record != nullptr && selection->matches(*context->resource, *record)) one.records.push_back(record);
    answer.list = std::move(one);
    return context->done(std::move(answer));
  }
  auto listing = take(*context, *selection, std::move(*start), limit);
  if (!listing) return context->refuse(std::move(listing.error()));
  answer.list = std::move(*listing);
  context->done(std::move(answer));
}

}  // namespace basalt::server
