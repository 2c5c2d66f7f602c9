#include "server/http/http_edge.h"

#include <algorithm>
#include <chrono>

#include "kube/api/object_fields.h"
#include "server/http/custom_path.h"
#include "server/http/encode.h"
#include "server/http/exec_stream.h"
#include "server/http/health_page.h"
#include "server/http/impersonation.h"
#include "server/http/long_work.h"
#include "server/http/resource_request.h"
#include "server/http/strict_body.h"
#include "server/http/watch_stream.h"
#include "server/openapi_documents.h"
#include "server/rest/reviews.h"
#include "server/rest/stored_form.h"
#include "server/version.h"

namespace basalt::server {
namespace {

constexpr std::chrono::milliseconds kTick{200};
constexpr int64_t kDefaultWatchSeconds = 1800;
// Of bodies that mean nothing: of a GET, or sent to a path without objects.
constexpr size_t kMaxUnusedBodyBytes = size_t{64} * 1024;
constexpr int kRetrySeconds = 1, kTightSeconds = 10;

std::string joined(const std::vector<std::string>& segments) {
  std::string path;
  for (const std::string& segment : segments) path += (path.empty() ? "" : "/") + segment;
  return path;
}

bool is_builtin_path(const std::vector<std::string>& segments, const api::ResourceTable& kinds) {
  if (segments.empty()) return false;
  if (segments[0] != "apis") return segments[0] == "api" || segments[0] == "version";
  return segments.size() > 1 && std::ranges::any_of(kinds.rows(), [&](const api::Resource& row) {
           return !row.custom && row.group == segments[1];
         });
}

// What answers without credentials.
bool is_public(const Target& target) {
  if (target.segments.empty() || target.segments.size() > 2) return false;
  const std::string& what = target.segments[0];
  if (what == "version") return target.segments.size() == 1;
  return what == "healthz" || what == "livez" || what == "readyz";
}

api::ApiError unreadable_target() {
  return api::bad_request("the URL cannot be read: check its percent escapes; they must be UTF-8");
}

}  // namespace

HttpEdge::HttpEdge(ApiServer& server, Metrics& metrics, EdgeOptions options)
    : server_(server),
      metrics_(metrics),
      options_(std::move(options)),
      records_(metrics_, options_.access_log),
      ticker_(kTick),
      workers_(options_.workers) {
  if (options_.memory != nullptr) ticker_.add(options_.memory);
}

void HttpEdge::reply(const std::shared_ptr<Visit>& visit, net::HttpResponse response) {
  records_.answered(*visit, response.status);
  visit->exchange->reply(std::move(response));
}

void HttpEdge::refuse(const std::shared_ptr<Visit>& visit, const api::ApiError& error) {
  reply(visit, encode(error, visit->form));
}

net::BodyAdmission HttpEdge::admit_body(const net::HttpRequest& head) {
  const auto refusal = [&](const api::ApiError& error) {
    records_.refused(head, static_cast<unsigned>(error.code));
    return net::BodyAdmission{.refusal = encode(error)};
  };
  const auto target = parse_target(head.target);
  if (!target) return refusal(unreadable_target());
  if (is_public(*target)) return {.refusal = std::nullopt, .body_bytes = 0};
  if (!options_.authentication.user_of(head)) return refusal(api::unauthorized());
  const bool used = head.method != "GET" && head.method != "HEAD" && parse_resource_path(target->segments);
  if (!used) return {.refusal = std::nullopt, .body_bytes = kMaxUnusedBodyBytes};
  return {};
}

void HttpEdge::handle(const std::shared_ptr<net::Exchange>& exchange) {
  auto visit = std::make_shared<Visit>();
  visit->exchange = exchange;
  if (!begin(visit)) return;
  const bool is_long =
      may_take_long(visit->request(), visit->target, visit->path, [this](const api::ResourceName& name) -> size_t {
        const auto kinds = server_.kinds();
        const api::Resource* resource = kinds->find(name.group, name.version, name.plural);
        return resource != nullptr ? server_.store().count(resource->storage_name()) : 0;
      });
  if (!is_long) return serve(visit);
  const auto overloaded = [this, visit] {
    refuse(visit, api::too_many_requests("the server has too much to do, please try again later", kRetrySeconds));
  };
  if (!workers_.post({.run = [this, visit] { serve(visit); }, .late = overloaded})) overloaded();
}

// What takes no time: where to, and who asks. False: it is answered.
bool HttpEdge::begin(const std::shared_ptr<Visit>& visit) {
  const net::HttpRequest& request = visit->request();
  auto target = parse_target(request.target);
  if (!target) return refuse(visit, unreadable_target()), false;
  visit->target = std::move(*target);
  visit->path = parse_resource_path(visit->target.segments);
  if (is_public(visit->target)) return answer_public(visit), false;
  auto caller = options_.authentication.user_of(request);
  if (!caller) return refuse(visit, api::unauthorized()), false;
  visit->caller = caller->name;
  auto user = acting_user(*caller, request.headers);
  if (!user) return refuse(visit, user.error()), false;
  visit->user = std::move(*user);
  if (const auto timeout = check_timeout(visit->target); !timeout) return refuse(visit, timeout.error()), false;
  return true;
}

void HttpEdge::serve(const std::shared_ptr<Visit>& visit) {
  if (answer_old_openapi(visit)) return;
  const auto form = negotiate(visit->request().headers.get("Accept"));
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
  return net::plain_text(404, "404 page not found\n");
}

void HttpEdge::answer_public(const std::shared_ptr<Visit>& visit) {
  const std::string& what = visit->target.segments[0];
  if (what == "version") return reply(visit, encode(version_info()));
  reply(visit, health_page(visit->target, {.store = server_.store().health().condition, .stopping = stopping_}));
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
    net::HttpResponse response = net::plain_text(200, metrics_text());
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
  auto& path = visit->path;
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
  if (auto read = read_call(request, visit->target, *resource, *kinds, *call); !read)
    return refuse(visit, read.error());
  auto twice = check_duplicates(request.body, request.headers.get("Content-Type"), *call);
  if (!twice) return refuse(visit, twice.error());
  if (options_.memory != nullptr && options_.memory->is_tight() && may_grow(*call, *resource)) {
    return refuse(visit, api::too_many_requests("memory is tight: only reads and deletes are taken", kTightSeconds));
  }
  visit->count_as(*call);
  records_.begun(*visit);
  if (call->verb == api::Verb::Watch) return open_watch(visit, std::move(*call));
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
  server_.send(visit->user, std::move(*call),
               [this, visit, kinds, resource, wish, twice = std::move(*twice)](Outcome outcome) {
                 if (!outcome) return refuse(visit, outcome.error());
                 outcome->warnings.insert(outcome->warnings.begin(), twice.begin(), twice.end());
                 reply(visit, encode(*resource, *outcome, wish));
               });
}

void HttpEdge::open_watch(const std::shared_ptr<Visit>& visit, api::Call call) {
  const int64_t seconds = call.timeout_seconds > 0 ? call.timeout_seconds : kDefaultWatchSeconds;
  auto watching = server_.open_watch(visit->user, std::move(call));
  if (!watching) return refuse(visit, watching.error());
  const api::Call& labels = visit->labels;
  WatchSeries& series = metrics_.watch_series({.group = labels.resource.group,
                                               .version = labels.resource.version,
                                               .resource = labels.resource.plural,
                                               .scope = scope_of(labels)});
  net::HttpResponse head;
  auto stream = std::make_shared<WatchStream>(
      std::move(*watching), visit->exchange->stream(head), wish_of(visit->form, visit->target, server_.now()), series,
      [this] { return server_.now(); }, seconds, records_.streams(*visit, head.status));
  ticker_.add(stream);
  stream->start(server_.store());
}

void HttpEdge::enter_container(const std::shared_ptr<Visit>& visit, const api::Call& call) {
  visit->count_as(call);
  records_.begun(*visit);
  auto wish = read_exec_wish(server_, call, visit->target);
  if (!wish) return refuse(visit, wish.error());
  auto head = accept_exec(visit->request(), options_.exec);
  if (!head) return refuse(visit, head.error());
  auto record = records_.streams(*visit, head->status);
  start_exec(*visit->exchange, std::move(*head), std::move(*wish), options_.exec, std::move(record));
}

void HttpEdge::open_log(const std::shared_ptr<Visit>& visit, const api::Call& call) {
  auto wish = read_log_wish(server_, options_.log_directory, call, visit->target);
  if (!wish) return refuse(visit, wish.error());
  net::HttpResponse head;
  head.content_type = "text/plain";
  store::Store& store = server_.store();
  const std::string key = call.namespace_name + "/" + call.name;
  const auto ended = [&store, key] {
    const store::RecordPtr record = store.get("pods", key);
    if (record == nullptr) return true;
    const ObjectPtr pod = record->object();
    const std::string_view phase = api::string_at(pod->get_object(), {"status", "phase"});
    return phase == "Succeeded" || phase == "Failed";
  };
  auto stream = std::make_shared<LogStream>(std::move(*wish), visit->exchange->stream(head), ended,
                                            records_.streams(*visit, head.status));
  ticker_.add(stream);
  stream->start();
}

std::string HttpEdge::metrics_text() {
  MetricsSample sample = options_.sample != nullptr ? options_.sample() : MetricsSample{};
  store::Store& store = server_.store();
  sample.store = store.figures();
  sample.store_writable = store.health().condition == store::Health::Condition::Writable;
  sample.revision = store.revision();
  sample.compacted = store.compacted();
  sample.waiting_work = workers_.waiting();
  sample.running_work = workers_.running();
  if (options_.memory != nullptr) {
    sample.memory_limit = options_.memory->limit();
    sample.memory_tight = options_.memory->is_tight();
  }
  for (const api::Resource& resource : server_.kinds()->rows()) {
    if (is_review(resource) || !shown_as_stored(resource)) continue;
    sample.objects.emplace_back(resource.storage_name(), store.count(resource.storage_name()));
  }
  std::string out = metrics_.render(sample);
  if (options_.more_metrics) out += options_.more_metrics();
  return out;
}

}  // namespace basalt::server
