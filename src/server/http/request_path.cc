#include "server/http/request_path.h"

#include <charconv>

#include "kube/api/object_fields.h"
#include "kube/api/selector_text.h"
#include "kube/text/utf8.h"

namespace basalt::server {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (!text::is_utf8(out)) return std::nullopt;
  return out;
}

std::optional<Query> parse_query(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value = equals == std::string_view::npos ? std::string() : percent_decode(pair.substr(equals + 1), true);
    if (!name || !value) return std::nullopt;
    query.emplace_back(std::move(*name), std::move(*value));
  }
  return query;
}

api::ApiResult<int64_t> number(const RequestTarget& target, std::string_view name) {
  const std::string_view text = target.option(name);
  if (text.empty()) return 0;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return std::unexpected(api::bad_request(std::string(name) + ": \"" + std::string(text) + "\" is not an integer"));
}

api::ApiResult<void> read_write_options(const RequestTarget& target, api::Call& call, api::Causes& causes) {
  for (const auto& [name, value] : target.query) {
    if (name != "dryRun" || value.empty()) continue;
    if (value == "All") {
      call.dry_run = true;
    } else {
      causes.not_supported("dryRun", text::Value(value), {"All"});
    }
  }
  call.field_manager = target.option("fieldManager");
  if (call.verb == api::Verb::Patch && call.patch == api::PatchType::Apply && call.field_manager.empty()) {
    causes.required("fieldManager", "is required for apply patch");
  }
  if (call.field_manager.size() > 128) causes.too_long("fieldManager", 128);
  const std::string_view validation = target.option("fieldValidation");
  if (validation == "Strict") {
    call.field_validation = api::FieldValidation::Strict;
  } else if (validation == "Ignore") {
    call.field_validation = api::FieldValidation::Ignore;
  } else if (!validation.empty() && validation != "Warn") {
    causes.not_supported("fieldValidation", text::Value(validation), {"", "Ignore", "Warn", "Strict"});
  }
  if (target.has("force")) {
    if (call.verb == api::Verb::Patch && call.patch != api::PatchType::Apply) {
      causes.forbidden("force", "may not be specified for non-apply patch");
    }
    call.force = target.truth("force");
  }
  return {};
}

// DeleteOptions may stand in the query, in the body, or in both.
api::ApiResult<void> read_delete_options(const RequestTarget& target, api::Call& call) {
  const bool any =
      target.has("gracePeriodSeconds") || target.has("propagationPolicy") || target.has("orphanDependents");
  if (!any) return {};
  if (!call.body.is_object()) call.body = text::Object();
  text::Object& options = call.body.get_object();
  if (target.has("gracePeriodSeconds")) {
    auto grace = number(target, "gracePeriodSeconds");
    if (!grace) return std::unexpected(std::move(grace.error()));
    options["gracePeriodSeconds"] = *grace;
  }
  if (target.has("propagationPolicy")) options["propagationPolicy"] = target.option("propagationPolicy");
  if (target.has("orphanDependents")) options["orphanDependents"] = target.truth("orphanDependents");
  return {};
}

api::ApiResult<void> read_list_options(const RequestTarget& target, api::Call& call, api::Causes& causes) {
  call.label_selector = target.option("labelSelector");
  call.field_selector = target.option("fieldSelector");
  // Selectors that cannot be read are refused before any option that does not fit.
  if (auto labels = api::LabelQuery::parse(call.label_selector); !labels) {
    return std::unexpected(api::bad_request(labels.error().message));
  }
  if (auto fields = api::FieldQuery::parse(call.field_selector); !fields) {
    return std::unexpected(api::bad_request(fields.error().message));
  }
  call.continue_token = target.option("continue");
  call.resource_version = target.option("resourceVersion");
  const std::string_view match = target.option("resourceVersionMatch");
  if (match == "NotOlderThan") {
    call.version_match = api::ResourceVersionMatch::NotOlderThan;
  } else if (match == "Exact") {
    call.version_match = api::ResourceVersionMatch::Exact;
  } else if (!match.empty()) {
    if (call.resource_version.empty()) {
      causes.forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!call.continue_token.empty()) {
      causes.forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
    }
    causes.not_supported("resourceVersionMatch", text::Value(match), {"Exact", "NotOlderThan", ""});
  }
  auto limit = number(target, "limit");
  if (!limit) return std::unexpected(std::move(limit.error()));
  call.limit = *limit;
  auto seconds = number(target, "timeoutSeconds");
  if (!seconds) return std::unexpected(std::move(seconds.error()));
  call.timeout_seconds = *seconds;
  call.bookmarks = target.truth("allowWatchBookmarks");
  if (target.has("sendInitialEvents")) call.send_initial_events = target.truth("sendInitialEvents");
  return {};
}

}  // namespace

std::string_view RequestTarget::option(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return {};
}

bool RequestTarget::has(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return true;
  }
  return false;
}

bool RequestTarget::truth(std::string_view name, bool absent) const {
  if (!has(name)) return absent;
  std::string text(option(name));
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text != "0" && text != "false";
}

std::optional<RequestTarget> parse_target(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  RequestTarget parsed;
  const size_t question = target.find('?');
  std::string_view path = target.substr(0, question);
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    if (segment.empty()) continue;
    auto decoded = percent_decode(segment, false);
    if (!decoded || parsed.segments.size() == kMaxPathSegments) return std::nullopt;
    parsed.segments.push_back(std::move(*decoded));
  }
  if (question != std::string_view::npos) {
    auto query = parse_query(target.substr(question + 1));
    if (!query) return std::nullopt;
    parsed.query = std::move(*query);
  }
  return parsed;
}

std::optional<ResourcePath> parse_resource_path(const std::vector<std::string>& segments) {
  const bool core = !segments.empty() && segments[0] == "api";
  if (segments.empty() || (!core && segments[0] != "apis")) return std::nullopt;
  const size_t start = core ? 2 : 3;
  if (segments.size() <= start) return std::nullopt;
  ResourcePath path;
  api::Call& call = path.call;
  call.resource.group = core ? "" : segments[1];
  call.resource.version = segments[start - 1];
  const auto at = [&](size_t i) { return start + i < segments.size() ? segments[start + i] : std::string(); };
  const size_t count = segments.size() - start;
  // "namespaces/x" is an object, "namespaces/x/status" a part of it, "namespaces/x/<plural>" a collection in it.
  const bool of_namespace = core && count <= 3 && (at(2) == "status" || at(2) == "finalize");
  if (at(0) == "namespaces" && count >= 3 && !of_namespace) {
    path.longer = count > 5;
    call.namespace_name = at(1);
    call.resource.plural = at(2);
    call.name = at(3);
    call.subresource = at(4);
    return path;
  }
  path.longer = count > 3;
  call.resource.plural = at(0);
  call.name = at(1);
  call.subresource = at(2);
  return path;
}

api::ApiResult<void> read_options(const RequestTarget& target, api::Call& call) {
  api::Causes causes;
  std::string kind = "ListOptions";
  switch (call.verb) {
    case api::Verb::Get:
      call.resource_version = target.option("resourceVersion");
      return {};
    case api::Verb::DeleteCollection:
      if (auto read = read_list_options(target, call, causes); !read) return read;
      [[fallthrough]];
    case api::Verb::Delete:
      if (auto read = read_delete_options(target, call); !read) return read;
      kind = "DeleteOptions";
      if (auto read = read_write_options(target, call, causes); !read) return read;
      break;
    case api::Verb::List:
    case api::Verb::Watch:
      if (auto read = read_list_options(target, call, causes); !read) return read;
      break;
    default:
      kind = call.verb == api::Verb::Create   ? "CreateOptions"
             : call.verb == api::Verb::Update ? "UpdateOptions"
                                              : "PatchOptions";
      if (auto read = read_write_options(target, call, causes); !read) return read;
  }
  if (causes.empty()) return {};
  return std::unexpected(api::invalid_object("meta.k8s.io", kind, "", causes.take()));
}

}  // namespace basalt::server
