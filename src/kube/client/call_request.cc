#include "kube/client/call_request.h"

#include <string_view>

#include "kube/api/object_fields.h"
#include "kube/api/verbs.h"
#include "kube/client/percent_encoding.h"
#include "kube/text/document_path.h"

namespace basalt::client {
namespace {

using api::Verb;

struct QueryText {
  std::string text;  // "?a=b&c=d"

  void add(std::string_view name, std::string_view value) {
    text += text.empty() ? '?' : '&';
    text += name;
    text += '=';
    append_percent_encoded(text, value);
  }
  void add_given(std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, value);
  }
};

std::string_view patch_media_type(api::PatchType type) {
  switch (type) {
    case api::PatchType::Json:
      return "application/json-patch+json";
    case api::PatchType::Merge:
      return "application/merge-patch+json";
    case api::PatchType::Strategic:
      return "application/strategic-merge-patch+json";
    case api::PatchType::Apply:
      return "application/apply-patch+yaml";  // JSON is YAML
  }
  return "";
}

bool on_one_object(const api::Call& call) {
  switch (call.verb) {
    case Verb::Get:
    case Verb::Update:
    case Verb::Patch:
    case Verb::Delete:
      return true;
    case Verb::Create:
      return !call.subresource.empty();  // pods/x/binding; otherwise the body has the name
    default:
      return false;
  }
}

Result<void> check_segment(std::string_view what, std::string_view text) {
  if (text == "." || text == ".." || text.find('/') != std::string_view::npos ||
      text.find('%') != std::string_view::npos) {
    return invalid(std::string(what) + " " + text::in_quotes(text) +
                   R"( may not be "." or "..", nor contain "/" or "%")");
  }
  return {};
}

Result<std::string> path_of(const api::Call& call) {
  const api::GroupVersionResource& resource = call.resource;
  if (resource.version.empty() || resource.plural.empty()) return invalid("a call names no resource or no version");
  const bool one = on_one_object(call);
  if (one && call.name.empty()) return invalid("resource name may not be empty");
  std::string path = resource.group.empty() ? "/api" : "/apis";
  Result<void> verdict;
  const auto add = [&](std::string_view what, std::string_view segment) {
    if (segment.empty() || !verdict) return;
    verdict = check_segment(what, segment);
    path += '/';
    append_percent_encoded(path, segment);
  };
  add("group", resource.group);
  add("version", resource.version);
  if (!call.namespace_name.empty()) {
    add("resource", "namespaces");
    add("namespace", call.namespace_name);
  }
  add("resource", resource.plural);
  if (one) {
    add("name", call.name);
    add("subresource", call.subresource);
  }
  if (!verdict) return std::unexpected(verdict.error());
  return path;
}

// "metadata.name=x", its value escaped as selectors are.
std::string name_selector(const api::Call& call) {
  std::string selector = "metadata.name=";
  for (const char c : call.name) {
    if (c == '\\' || c == ',' || c == '=') selector += '\\';
    selector += c;
  }
  return call.field_selector.empty() ? selector : selector + "," + call.field_selector;
}

void add_list_options(QueryText& query, const api::Call& call) {
  query.add_given("labelSelector", call.label_selector);
  const bool named = call.verb == Verb::Watch && !call.name.empty();
  query.add_given("fieldSelector", named ? name_selector(call) : call.field_selector);
  query.add_given("resourceVersion", call.resource_version);
  if (call.version_match != api::ResourceVersionMatch::Unset) {
    query.add("resourceVersionMatch",
              call.version_match == api::ResourceVersionMatch::Exact ? "Exact" : "NotOlderThan");
  }
  query.add_given("continue", call.continue_token);
  if (call.limit != 0) query.add("limit", std::to_string(call.limit));
  if (call.timeout_seconds != 0) query.add("timeoutSeconds", std::to_string(call.timeout_seconds));
  if (call.bookmarks) query.add("allowWatchBookmarks", "true");
  if (call.send_initial_events) query.add("sendInitialEvents", *call.send_initial_events ? "true" : "false");
}

void add_log_options(QueryText& query, const api::PodLogOptions& options) {
  query.add_given("container", options.container);
  query.add_given("sinceTime", options.since_time);
  if (options.timestamps) query.add("timestamps", "true");
  if (options.previous) query.add("previous", "true");
}

void add_write_options(QueryText& query, const api::Call& call) {
  if (call.dry_run) query.add("dryRun", "All");
  query.add_given("fieldManager", call.field_manager);
  if (call.field_validation != api::FieldValidation::Warn) {  // Warn is every server's default
    query.add("fieldValidation", call.field_validation == api::FieldValidation::Strict ? "Strict" : "Ignore");
  }
  if (call.force && call.verb == Verb::Patch && call.patch == api::PatchType::Apply) query.add("force", "true");
}

std::string delete_body(const api::Call& call) {
  text::Object options;
  options["kind"] = "DeleteOptions";
  options["apiVersion"] = "v1";
  for (const auto& member : call.body.get_object()) options[member.key()] = member.value();
  if (call.dry_run) options["dryRun"] = text::Array{"All"};
  return text::to_json(options);
}

}  // namespace

Result<CallRequest> request_of(const api::Call& call, std::optional<EncodedBody> written) {
  auto path = path_of(call);
  if (!path) return std::unexpected(path.error());
  CallRequest request{.method = std::string(api::http_method(call.verb)), .target = std::move(*path)};
  QueryText query;
  switch (call.verb) {
    case Verb::Get:
      query.add_given("resourceVersion", call.resource_version);
      if (call.log) add_log_options(query, *call.log);
      break;
    case Verb::Watch:
      query.add("watch", "true");
      [[fallthrough]];
    case Verb::List:
      add_list_options(query, call);
      break;
    case Verb::DeleteCollection:
      add_list_options(query, call);
      [[fallthrough]];
    case Verb::Delete:
      if (call.body.is_object()) {
        request.content_type = "application/json";
        request.body = delete_body(call);
      } else if (call.dry_run) {
        query.add("dryRun", "All");
      }
      break;
    case Verb::Create:
    case Verb::Update:
    case Verb::Patch:
      add_write_options(query, call);
      if (written) {
        request.content_type = std::move(written->content_type);
        request.body = std::move(written->text);
        break;
      }
      request.content_type = call.verb == Verb::Patch ? patch_media_type(call.patch) : "application/json";
      request.body = text::to_json(call.body);
      break;
  }
  request.target += query.text;
  return request;
}

}  // namespace basalt::client
