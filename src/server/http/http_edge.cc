#include "server/http/http_edge.h"

#include <algorithm>
#include <chrono>

#include "api/object_fields.h"
#include "api/verbs.h"
#include "server/http/custom_path.h"
#include "server/http/encode.h"
#include "server/http/exec_stream.h"
#include "server/http/protobuf_body.h"
#include "server/http/watch_stream.h"
#include "server/openapi_documents.h"
#include "server/rest/reviews.h"
#include "server/rest/stored_form.h"
#include "server/version.h"

namespace basalt::server {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{200};
constexpr int64_t kDefaultWatchSeconds = 1800;
constexpr size_t kMaxManagerLength = 128;

// The program that a user agent names: "kubectl/v1.36 (linux…)" → "kubectl".
std::string manager_of(std::string_view agent) {
  std::string manager(agent.substr(0, agent.find('/')));
  if (manager.size() > kMaxManagerLength) manager.resize(kMaxManagerLength);
  for (char& c : manager) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
  }
  return manager;
}

std::optional<api::Verb> verb_of(std::string_view method, const api::Call& call, const Target& target) {
  const bool collection = call.name.empty();
  if (method == "GET" || method == "HEAD") {
    const std::string_view watch = target.option("watch");
    const bool watches = target.has("watch") && watch != "false" && watch != "0";
    if (watches && call.subresource.empty()) return api::Verb::Watch;
    return collection ? api::Verb::List : api::Verb::Get;
  }
  if (method == "POST")
    return collection || !call.subresource.empty() ? std::optional(api::Verb::Create) : std::nullopt;
  if (method == "PUT") return collection ? std::nullopt : std::optional(api::Verb::Update);
  if (method == "PATCH") return collection ? std::nullopt : std::optional(api::Verb::Patch);
  if (method == "DELETE") return collection ? api::Verb::DeleteCollection : api::Verb::Delete;
  return std::nullopt;
}

std::string_view metric_verb(const api::Call& call) {
  const bool applies = call.verb == api::Verb::Patch && call.patch == api::PatchType::Apply;
  return applies ? "APPLY" : api::metric_word(call.verb);
}

std::string_view scope_of(const api::Call& call) {
  if (!call.name.empty()) return "resource";
  return call.namespace_name.empty() ? "cluster" : "namespace";
}

net::HttpResponse plain_text(unsigned status, std::string body) {
  net::HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(body);
  return response;
}

std::string joined(const std::vector<std::string>& segments) {
  std::string path;
  for (const std::string& segment : segments) path += (path.empty() ? "" : "/") + segment;
  return path;
}

api::ApiError unknown_patch_type(bool custom) {
  api::ApiError error = api::unsupported_media_type(
      "application/json-patch+json, application/merge-patch+json, "
      "application/strategic-merge-patch+json, application/apply-patch+yaml");
  error.empty_details = !custom;
  return error;
}

bool is_builtin_path(const std::vector<std::string>& segments, const api::ResourceTable& kinds) {
  if (segments.empty()) return false;
  if (segments[0] != "apis") return segments[0] == "api" || segments[0] == "version";
  return segments.size() > 1 && std::ranges::any_of(kinds.rows(), [&](const api::Resource& row) {
           return !row.custom && row.group == segments[1];
         });
}

void drop_delete_options(Target& target) {
  std::erase_if(target.query, [](const auto& option) {
    return option.first == "gracePeriodSeconds" || option.first == "propagationPolicy" ||
           option.first == "orphanDependents" || option.first == "dryRun";
  });
}

// Reads the body, when the verb has one, into the call.
api::ApiResult<void> read_body(const net::HttpRequest& request, const api::Resource& resource,
                               const api::ResourceTable& kinds, api::Call& call) {
  const std::string_view type = request.headers.get("Content-Type");
  const bool removal = call.verb == api::Verb::Delete || call.verb == api::Verb::DeleteCollection;
  if (call.verb == api::Verb::Get || call.verb == api::Verb::List || call.verb == api::Verb::Watch) return {};
  if (removal && request.body.empty()) return {};
  const bool binary = call.verb != api::Verb::Patch && is_protobuf(type);
  if (call.verb != api::Verb::Patch && !binary && !is_body_type(type)) return std::unexpected(unknown_body_type());
  auto body = binary ? parse_protobuf_body(request.body, call, resource, kinds) : parse_body(request.body, type);
  if (!body && call.verb == api::Verb::Patch && call.patch != api::PatchType::Apply && body.error().code == 400) {
    call.unreadable = body.error().message;
    return {};
  }
  if (!body) return std::unexpected(std::move(body.error()));
  call.body = std::move(*body);
  return {};
}

}  // namespace

struct HttpEdge::Visit {
  std::shared_ptr<net::Exchange> exchange;
  SteadyClock::time_point began = SteadyClock::now();
  Target target;
  api::User user;
  Form form = Form::Plain;
  bool is_call = false, mutating = false;
  api::Call labels;  // verb, resource, place: what metrics and logs say about it; no body

  [[nodiscard]] const net::HttpRequest& request() const { return exchange->request(); }
};

HttpEdge::HttpEdge(ApiServer& server, Metrics& metrics, EdgeOptions options)
    : server_(server), metrics_(metrics), options_(std::move(options)), ticker_(kTick) {}

void HttpEdge::reply(const std::shared_ptr<Visit>& visit, net::HttpResponse response) {
  const double seconds = std::chrono::duration<double>(SteadyClock::now() - visit->began).count();
  const api::Call& call = visit->labels;
  if (visit->is_call) {
    metrics_.in_flight(visit->mutating, -1);
    metrics_.request_done({.verb = metric_verb(call),
                           .group = call.resource.group,
                           .version = call.resource.version,
                           .resource = call.resource.plural,
                           .subresource = call.subresource,
                           .scope = scope_of(call),
                           .dry_run = call.dry_run},
                          response.status, seconds);
  }
  if (options_.access_log != nullptr) {
    options_.access_log({.method = visit->request().method,
                         .target = visit->request().target,
                         .user = visit->user.name,
                         .agent = visit->request().headers.get("User-Agent"),
                         .peer = visit->request().peer.address,
                         .status = response.status,
                         .seconds = seconds});
  }
  visit->exchange->reply(std::move(response));
}

void HttpEdge::refuse(const std::shared_ptr<Visit>& visit, const api::ApiError& error) {
  reply(visit, encode(error, visit->form));
}

void HttpEdge::handle(const std::shared_ptr<net::Exchange>& exchange) {
  auto visit = std::make_shared<Visit>();
  visit->exchange = exchange;
  const net::HttpRequest& request = exchange->request();
  auto target = parse_target(request.target);
  if (!target) {
    return reply(visit,
                 encode(api::bad_request("the URL cannot be read: check its percent escapes; they must be UTF-8")));
  }
  visit->target = std::move(*target);
  if (answer_public(visit)) return;
  auto user = options_.authentication.user_of(request);
  if (!user) return reply(visit, encode(api::unauthorized()));
  visit->user = std::move(*user);
  if (answer_old_openapi(visit)) return;
  const auto form = negotiate(request.headers.get("Accept"));
  if (const auto refusal = refuse_form(*visit, form.has_value())) return reply(visit, encode(*refusal));
  visit->form = *form;
  if (answer_documents(visit)) return;
  answer_resource(visit);
}

// Built-in kinds refuse a media type in another place than a form of JSON; custom kinds refuse both in one.
std::optional<api::ApiError> HttpEdge::refuse_form(const Visit& visit, bool known) const {
  const std::string_view accept = visit.request().headers.get("Accept");
  const bool builtin = is_builtin_path(visit.target.segments, *server_.kinds());
  const bool listed = !builtin || names_media_type(accept);
  if (known && listed) return std::nullopt;
  api::ApiError error = api::not_acceptable("application/json, application/yaml");
  error.empty_details = !listed;
  return error;
}

// What lies below the paths of built-in groups is refused with a Status, everything else in plain text.
net::HttpResponse HttpEdge::no_such_path(const std::shared_ptr<Visit>& visit) {
  if (is_builtin_path(visit->target.segments, *server_.kinds())) return encode(api::no_such_path());
  return plain_text(404, "404 page not found\n");
}

bool HttpEdge::answer_public(const std::shared_ptr<Visit>& visit) {
  const std::vector<std::string>& segments = visit->target.segments;
  if (segments.empty() || segments.size() > 2) return false;
  const std::string& what = segments[0];
  if (what == "healthz" || what == "livez" || what == "readyz") {
    const bool stopping = what == "readyz" && stopping_;
    reply(visit, stopping ? plain_text(503, "shutting down") : plain_text(200, "ok"));
    return true;
  }
  if (what == "version" && segments.size() == 1) {
    reply(visit, encode(version_info()));
    return true;
  }
  return false;
}

// The older OpenAPI document has a binary form of its own, which kubectl asks for.
bool HttpEdge::answer_old_openapi(const std::shared_ptr<Visit>& visit) {
  if (joined(visit->target.segments) != "openapi/v2" || visit->request().method != "GET") return false;
  net::HttpResponse response = encode(openapi_v2());
  if (visit->request().headers.get("Accept").find("proto-openapi") != std::string_view::npos) {
    response.content_type = kOpenApiV2Protobuf;
    response.body = openapi_v2_protobuf();
  }
  reply(visit, std::move(response));
  return true;
}

bool HttpEdge::answer_documents(const std::shared_ptr<Visit>& visit) {
  const std::string& method = visit->request().method;
  if (method != "GET" && method != "HEAD") return false;
  const std::string path = joined(visit->target.segments);
  if (path == "metrics") {
    net::HttpResponse response = plain_text(200, metrics_text());
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    reply(visit, std::move(response));
    return true;
  }
  const bool aggregated = visit->form == Form::AggregatedDiscovery && (path == "api" || path == "apis");
  auto body = documents_.find(server_.kinds(), path, aggregated);
  if (!body) return false;
  net::HttpResponse response;
  if (aggregated) response.content_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  response.body = std::move(*body);
  reply(visit, std::move(response));
  return true;
}

void HttpEdge::answer_resource(const std::shared_ptr<Visit>& visit) {
  const net::HttpRequest& request = visit->request();
  auto path = parse_resource_path(visit->target.segments);
  const auto kinds = server_.kinds();
  const api::Resource* resource =
      path ? kinds->find(path->call.resource.group, path->call.resource.version, path->call.resource.plural) : nullptr;
  if (resource == nullptr || (path->longer && !resource->custom)) return reply(visit, no_such_path(visit));
  api::Call* call = &path->call;
  if (resource->custom) {
    if (const auto refusal = refuse_custom(request.method, *resource, *call)) {
      return reply(visit, refusal->subject.kind_or_plural.empty() && refusal->code == 404 ? no_such_path(visit)
                                                                                          : encode(*refusal));
    }
  }
  if (!resource->custom) {
    if (const auto refusal = refuse_part(request.method, *resource, *call)) return refuse(visit, *refusal);
    if (call->subresource == "exec") return enter_container(visit, *call);
  }
  const auto verb = verb_of(request.method, *call, visit->target);
  if (!verb) return refuse(visit, api::method_not_allowed(request.method));
  call->verb = *verb;
  visit->mutating = *verb != api::Verb::Get && *verb != api::Verb::List && *verb != api::Verb::Watch;
  if (*verb == api::Verb::Patch) {
    const auto patch = patch_type(request.headers.get("Content-Type"));
    if (!patch) return refuse(visit, unknown_patch_type(resource->custom));
    call->patch = *patch;
    if (resource->custom && *patch == api::PatchType::Strategic) {
      return refuse(visit, api::unsupported_media_type("application/json-patch+json, application/merge-patch+json, "
                                                       "application/apply-patch+yaml"));
    }
  }
  // A body of DeleteOptions speaks for itself; the query counts only without one.
  const bool removal = *verb == api::Verb::Delete || *verb == api::Verb::DeleteCollection;
  if (removal && !request.body.empty()) drop_delete_options(visit->target);
  const std::string_view type = request.headers.get("Content-Type");
  if (*verb == api::Verb::Create && !is_body_type(type) && !is_protobuf(type))
    return refuse(visit, unknown_body_type());
  if (auto read = read_options(visit->target, *call); !read) return refuse(visit, read.error());
  if (auto read = read_body(request, *resource, *kinds, *call); !read) return refuse(visit, read.error());
  if (call->field_manager.empty() && call->patch != api::PatchType::Apply) {
    call->field_manager = manager_of(request.headers.get("User-Agent"));
  }
  visit->is_call = true;
  visit->labels.verb = call->verb;
  visit->labels.patch = call->patch;
  visit->labels.resource = call->resource;
  visit->labels.namespace_name = call->namespace_name;
  visit->labels.name = call->name;
  visit->labels.subresource = call->subresource;
  visit->labels.dry_run = call->dry_run;
  metrics_.in_flight(visit->mutating, 1);
  if (*verb == api::Verb::Watch) return open_watch(visit, std::move(*call));
  if (call->subresource == "log" && resource->plural == "pods" && resource->group.empty()) {
    return open_log(visit, *call);
  }
  if (is_review(*resource)) {
    const Outcome outcome = answer_review(*resource, *call, visit->user);
    if (!outcome) return refuse(visit, outcome.error());
    return reply(visit, encode(*resource, *outcome, {}));
  }
  const Wish wish = wish_of(visit->form, visit->target, server_.now());
  if (!wish.valid) {
    return refuse(visit, api::bad_request("includeObject must be 'Metadata', 'Object', 'None', or empty"));
  }
  server_.send(visit->user, std::move(*call), [this, visit, kinds, resource, wish](const Outcome& outcome) {
    if (!outcome) return refuse(visit, outcome.error());
    reply(visit, encode(*resource, *outcome, wish));
  });
}

void HttpEdge::open_watch(const std::shared_ptr<Visit>& visit, api::Call call) {
  const api::Call labels = visit->labels;
  const int64_t seconds = call.timeout_seconds > 0 ? call.timeout_seconds : kDefaultWatchSeconds;
  auto watching = server_.open_watch(visit->user, std::move(call));
  if (!watching) return refuse(visit, watching.error());
  metrics_.in_flight(visit->mutating, -1);
  WatchSeries& series = metrics_.watch_series({.group = labels.resource.group,
                                               .version = labels.resource.version,
                                               .resource = labels.resource.plural,
                                               .scope = scope_of(labels)});
  net::HttpResponse head;
  auto stream = std::make_shared<WatchStream>(
      std::move(*watching), visit->exchange->stream(head), wish_of(visit->form, visit->target, server_.now()), series,
      [this] { return server_.now(); }, seconds);
  ticker_.add(stream);
  stream->start(server_.store());
}

void HttpEdge::enter_container(const std::shared_ptr<Visit>& visit, const api::Call& call) {
  auto wish = read_exec_wish(server_, call, visit->target);
  if (!wish) return refuse(visit, wish.error());
  const auto opened = open_exec(*visit->exchange, std::move(*wish), options_.exec);
  if (!opened) refuse(visit, opened.error());
}

void HttpEdge::open_log(const std::shared_ptr<Visit>& visit, const api::Call& call) {
  auto wish = read_log_wish(server_, options_.log_directory, call, visit->target);
  if (!wish) return refuse(visit, wish.error());
  metrics_.in_flight(visit->mutating, -1);
  net::HttpResponse head;
  head.content_type = "text/plain";
  store::Store& store = server_.store();
  const std::string key = call.namespace_name + "/" + call.name;
  auto stream = std::make_shared<LogStream>(std::move(*wish), visit->exchange->stream(head), [&store, key] {
    const store::RecordPtr record = store.get("pods", key);
    if (record == nullptr) return true;
    const ObjectPtr pod = record->object();
    const std::string_view phase = api::string_at(pod->get_object(), {"status", "phase"});
    return phase == "Succeeded" || phase == "Failed";
  });
  ticker_.add(stream);
  stream->start();
}

std::string HttpEdge::metrics_text() {
  MetricsSample sample = options_.sample != nullptr ? options_.sample() : MetricsSample{};
  store::Store& store = server_.store();
  sample.store = store.figures();
  sample.revision = store.revision();
  sample.compacted = store.compacted();
  for (const api::Resource& resource : server_.kinds()->rows()) {
    if (is_review(resource) || !shown_as_stored(resource)) continue;
    sample.objects.emplace_back(resource.storage_name(), store.count(resource.storage_name()));
  }
  std::string out = metrics_.render(sample);
  if (options_.more_metrics) out += options_.more_metrics();
  return out;
}

}  // namespace basalt::server
