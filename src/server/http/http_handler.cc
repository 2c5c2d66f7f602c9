#include "server/http/http_handler.h"

#include <algorithm>
#include <chrono>

#include "kube/api/object_fields.h"
#include "kube/api/views/pod_view.h"
#include "server/http/duplicate_field_check.h"
#include "server/http/exec_stream.h"
#include "server/http/health_page.h"
#include "server/http/impersonation.h"
#include "server/http/resource_request.h"
#include "server/http/response_encoding.h"
#include "server/http/route_checks.h"
#include "server/http/slow_requests.h"
#include "server/http/watch_stream.h"
#include "server/kubernetes_version.h"
#include "server/openapi_documents.h"
#include "server/rest/access_reviews.h"
#include "server/rest/storage_conversion.h"

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

bool is_builtin_path(const std::vector<std::string>& segments, const api::ApiResourceTable& kinds) {
  if (segments.empty()) return false;
  if (segments[0] != "apis") return segments[0] == "api" || segments[0] == "version";
  return segments.size() > 1 && std::ranges::any_of(kinds.rows(), [&](const api::ApiResource& row) {
           return !row.custom && row.group == segments[1];
         });
}

// What answers without credentials.
bool is_public(const RequestTarget& target) {
  if (target.segments.empty() || target.segments.size() > 2) return false;
  const std::string& what = target.segments[0];
  if (what == "version") return target.segments.size() == 1;
  return what == "healthz" || what == "livez" || what == "readyz";
}

api::ApiError unreadable_target() {
  return api::bad_request("the URL cannot be read: check its percent escapes; they must be UTF-8");
}

}  // namespace

HttpHandler::HttpHandler(ApiServer& server, ServerMetrics& metrics, HttpHandlerOptions options)
    : server_(server),
      metrics_(metrics),
      options_(std::move(options)),
      records_(metrics_, options_.access_log),
      ticker_(kTick),
      workers_(options_.workers) {
  if (options_.memory != nullptr) ticker_.add(options_.memory);
}

void HttpHandler::reply(const std::shared_ptr<RequestContext>& context, net::HttpResponse response) {
  records_.answered(*context, response.status);
  context->exchange->reply(std::move(response));
}

void HttpHandler::refuse(const std::shared_ptr<RequestContext>& context, const api::ApiError& error) {
  reply(context, encode(error, context->form));
}

net::BodyAdmission HttpHandler::admit_body(const net::HttpRequest& head) {
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

void HttpHandler::handle(const std::shared_ptr<net::HttpExchange>& exchange) {
  auto context = std::make_shared<RequestContext>();
  context->exchange = exchange;
  if (!begin(context)) return;
  const bool is_long = may_take_long(
      context->request(), context->target, context->path, [this](const api::GroupVersionResource& name) -> size_t {
        const auto kinds = server_.kinds();
        const api::ApiResource* resource = kinds->find(name.group, name.version, name.plural);
        return resource != nullptr ? server_.store().count(resource->storage_name()) : 0;
      });
  if (!is_long) return serve(context);
  const auto overloaded = [this, context] {
    refuse(context, api::too_many_requests("the server has too much to do, please try again later", kRetrySeconds));
  };
  if (!workers_.post({.run = [this, context] { serve(context); }, .late = overloaded})) overloaded();
}

// What takes no time: where to, and who asks. False: it is answered.
bool HttpHandler::begin(const std::shared_ptr<RequestContext>& context) {
  const net::HttpRequest& request = context->request();
  auto target = parse_target(request.target);
  if (!target) return refuse(context, unreadable_target()), false;
  context->target = std::move(*target);
  context->path = parse_resource_path(context->target.segments);
  if (is_public(context->target)) return answer_public(context), false;
  auto caller = options_.authentication.user_of(request);
  if (!caller) return refuse(context, api::unauthorized()), false;
  context->caller = caller->name;
  auto user = acting_user(*caller, request.headers);
  if (!user) return refuse(context, user.error()), false;
  context->user = std::move(*user);
  if (const auto timeout = check_timeout(context->target); !timeout) return refuse(context, timeout.error()), false;
  return true;
}

void HttpHandler::serve(const std::shared_ptr<RequestContext>& context) {
  if (answer_old_openapi(context)) return;
  const auto form = negotiate(context->request().headers.get("Accept"));
  if (const auto refusal = refuse_form(*context, form.has_value())) return reply(context, encode(*refusal));
  context->form = *form;
  if (answer_documents(context)) return;
  answer_resource(context);
}

// Built-in kinds refuse a media type in another place than a form of JSON; custom kinds refuse both in one.
std::optional<api::ApiError> HttpHandler::refuse_form(const RequestContext& context, bool known) const {
  const std::string_view accept = context.request().headers.get("Accept");
  const bool builtin = is_builtin_path(context.target.segments, *server_.kinds());
  const bool listed = !builtin || names_media_type(accept);
  if (known && listed) return std::nullopt;
  api::ApiError error = api::not_acceptable("application/json, application/yaml");
  error.empty_details = !listed;
  return error;
}

// What lies below the paths of built-in groups is refused with a Status, everything else in plain text.
net::HttpResponse HttpHandler::no_such_path(const std::shared_ptr<RequestContext>& context) {
  if (is_builtin_path(context->target.segments, *server_.kinds())) return encode(api::no_such_path());
  return net::plain_text(404, "404 page not found\n");
}

void HttpHandler::answer_public(const std::shared_ptr<RequestContext>& context) {
  const std::string& what = context->target.segments[0];
  if (what == "version") return reply(context, encode(version_info()));
  reply(context, health_page(context->target, {.store = server_.store().health().condition, .stopping = stopping_}));
}

// The older OpenAPI document has a binary form of its own, which kubectl asks for.
bool HttpHandler::answer_old_openapi(const std::shared_ptr<RequestContext>& context) {
  if (joined(context->target.segments) != "openapi/v2" || context->request().method != "GET") return false;
  net::HttpResponse response = encode(openapi_v2());
  if (context->request().headers.get("Accept").find("proto-openapi") != std::string_view::npos) {
    response.content_type = kOpenApiV2Protobuf;
    response.body = openapi_v2_protobuf();
  }
  reply(context, std::move(response));
  return true;
}

bool HttpHandler::answer_documents(const std::shared_ptr<RequestContext>& context) {
  const std::string& method = context->request().method;
  if (method != "GET" && method != "HEAD") return false;
  const std::string path = joined(context->target.segments);
  if (path == "metrics") {
    net::HttpResponse response = net::plain_text(200, metrics_text());
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    reply(context, std::move(response));
    return true;
  }
  const bool aggregated = context->form == ResponseForm::AggregatedDiscovery && (path == "api" || path == "apis");
  auto body = documents_.find(server_.kinds(), path, aggregated);
  if (!body) return false;
  net::HttpResponse response;
  if (aggregated) response.content_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  response.body = std::move(*body);
  reply(context, std::move(response));
  return true;
}

void HttpHandler::answer_resource(const std::shared_ptr<RequestContext>& context) {
  const net::HttpRequest& request = context->request();
  auto& path = context->path;
  const auto kinds = server_.kinds();
  const api::ApiResource* resource =
      path ? kinds->find(path->call.resource.group, path->call.resource.version, path->call.resource.plural) : nullptr;
  if (resource == nullptr || (path->longer && !resource->custom)) return reply(context, no_such_path(context));
  api::Call* call = &path->call;
  if (resource->custom) {
    if (const auto refusal = refuse_custom_route(request.method, *resource, *call)) {
      return reply(context, refusal->subject.kind_or_plural.empty() && refusal->code == 404 ? no_such_path(context)
                                                                                            : encode(*refusal));
    }
  }
  if (!resource->custom) {
    if (const auto refusal = refuse_subresource_method(request.method, *resource, *call))
      return refuse(context, *refusal);
    if (call->subresource == "exec") return open_exec(context, *call);
  }
  if (auto read = read_call(request, context->target, *resource, *kinds, *call); !read)
    return refuse(context, read.error());
  auto twice = check_duplicates(request.body, request.headers.get("Content-Type"), *call);
  if (!twice) return refuse(context, twice.error());
  if (options_.memory != nullptr && options_.memory->is_tight() && may_grow(*call, *resource)) {
    return refuse(context, api::too_many_requests("memory is tight: only reads and deletes are taken", kTightSeconds));
  }
  context->count_as(*call);
  records_.begun(*context);
  if (call->verb == api::Verb::Watch) return open_watch(context, std::move(*call));
  if (call->subresource == "log" && resource->plural == "pods" && resource->group.empty()) {
    return open_log(context, *call);
  }
  if (is_review(*resource)) {
    const ApiOutcome outcome = answer_review(*resource, *call, context->user);
    if (!outcome) return refuse(context, outcome.error());
    return reply(context, encode(*resource, *outcome, {}));
  }
  const EncodingOptions options = encoding_options_of(context->form, context->target, server_.now());
  if (!options.valid) {
    return refuse(context, api::bad_request("includeObject must be 'Metadata', 'Object', 'None', or empty"));
  }
  server_.send(context->user, std::move(*call),
               [this, context, kinds, resource, options, twice = std::move(*twice)](ApiOutcome outcome) {
                 if (!outcome) return refuse(context, outcome.error());
                 outcome->warnings.insert(outcome->warnings.begin(), twice.begin(), twice.end());
                 reply(context, encode(*resource, *outcome, options));
               });
}

void HttpHandler::open_watch(const std::shared_ptr<RequestContext>& context, api::Call call) {
  const int64_t seconds = call.timeout_seconds > 0 ? call.timeout_seconds : kDefaultWatchSeconds;
  auto cursor = server_.open_watch(context->user, std::move(call));
  if (!cursor) return refuse(context, cursor.error());
  const api::Call& labels = context->labels;
  const WatchSeries series = metrics_.watch_series({.group = labels.resource.group,
                                                    .version = labels.resource.version,
                                                    .resource = labels.resource.plural,
                                                    .scope = scope_of(labels)});
  net::HttpResponse head;
  auto stream = std::make_shared<WatchStream>(
      std::move(*cursor), context->exchange->stream(head),
      encoding_options_of(context->form, context->target, server_.now()), series, [this] { return server_.now(); },
      seconds, records_.streams(*context, head.status));
  ticker_.add(stream);
  stream->start(server_.store());
}

void HttpHandler::open_exec(const std::shared_ptr<RequestContext>& context, const api::Call& call) {
  context->count_as(call);
  records_.begun(*context);
  auto options = read_exec_options(server_, call, context->target);
  if (!options) return refuse(context, options.error());
  auto head = accept_exec(context->request(), options_.exec);
  if (!head) return refuse(context, head.error());
  auto record = records_.streams(*context, head->status);
  start_exec(*context->exchange, std::move(*head), std::move(*options), options_.exec, std::move(record));
}

void HttpHandler::open_log(const std::shared_ptr<RequestContext>& context, const api::Call& call) {
  auto options = read_log_options(server_, options_.log_directories, call, context->target);
  if (!options) return refuse(context, options.error());
  net::HttpResponse head;
  head.content_type = "text/plain";
  store::Store& store = server_.store();
  const std::string key = call.namespace_name + "/" + call.name;
  const auto ended = [&store, key] {
    const store::RecordPtr record = store.get("pods", key);
    if (record == nullptr) return true;
    const ObjectPtr pod = record->object();
    const std::string_view phase = api::PodView(*pod).status().phase();
    return phase == "Succeeded" || phase == "Failed";
  };
  auto stream = std::make_shared<LogStream>(std::move(*options), context->exchange->stream(head), ended,
                                            records_.streams(*context, head.status));
  ticker_.add(stream);
  stream->start();
}

std::string HttpHandler::metrics_text() {
  MetricsSample sample = options_.sample != nullptr ? options_.sample() : MetricsSample{};
  store::Store& store = server_.store();
  sample.store = store.figures();
  sample.store_writable = store.health().condition == store::StoreHealth::Condition::Writable;
  sample.revision = store.revision();
  sample.compacted = store.compacted();
  sample.waiting_work = workers_.waiting();
  sample.running_work = workers_.running();
  if (options_.memory != nullptr) {
    sample.memory_limit = options_.memory->limit();
    sample.memory_tight = options_.memory->is_tight();
  }
  for (const api::ApiResource& resource : server_.kinds()->rows()) {
    if (is_review(resource) || !shown_as_stored(resource)) continue;
    sample.objects.emplace_back(resource.storage_name(), store.count(resource.storage_name()));
  }
  std::string out = metrics_.render(sample);
  if (options_.more_metrics) out += options_.more_metrics();
  return out;
}

}  // namespace basalt::server
