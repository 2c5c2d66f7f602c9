#include "server/http/request_context.h"

#include "kube/api/verbs.h"

namespace basalt::server {
namespace {

using Clock = std::chrono::steady_clock;

std::string_view metric_verb(const api::Call& call) {
  if (call.subresource == "exec") return "CONNECT";
  const bool applies = call.verb == api::Verb::Patch && call.patch == api::PatchType::Apply;
  return applies ? "APPLY" : api::metric_word(call.verb);
}

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

void count(ServerMetrics& metrics, const api::Call& call, unsigned status, double seconds) {
  metrics.request_done({.verb = metric_verb(call),
                        .group = call.resource.group,
                        .version = call.resource.version,
                        .resource = call.resource.plural,
                        .subresource = call.subresource,
                        .scope = scope_of(call),
                        .dry_run = call.dry_run},
                       status, seconds);
}

}  // namespace

std::string_view scope_of(const api::Call& call) {
  if (!call.name.empty()) return "resource";
  return call.namespace_name.empty() ? "cluster" : "namespace";
}

void RequestContext::count_as(const api::Call& call) {
  is_call = true;
  mutating = api::is_write(call.verb);
  labels.verb = call.verb;
  labels.patch = call.patch;
  labels.resource = call.resource;
  labels.namespace_name = call.namespace_name;
  labels.name = call.name;
  labels.subresource = call.subresource;
  labels.dry_run = call.dry_run;
}

void RequestRecorder::answered(const RequestContext& context, unsigned status) {
  const double seconds = seconds_since(context.began);
  if (context.is_call) {
    metrics_.in_flight(context.mutating, -1);
    count(metrics_, context.labels, status, seconds);
  }
  if (!log_) return;
  const net::HttpRequest& request = context.request();
  log_({.method = request.method,
        .target = request.target,
        .user = context.caller,
        .agent = request.headers.get("User-Agent"),
        .peer = request.peer.address,
        .acting_as = context.user.name == context.caller ? std::string_view() : context.user.name,
        .status = status,
        .seconds = seconds});
}

void RequestRecorder::refused(const net::HttpRequest& head, unsigned status) {
  if (!log_) return;
  log_({.method = head.method,
        .target = head.target,
        .user = "",
        .agent = head.headers.get("User-Agent"),
        .peer = head.peer.address,
        .acting_as = "",
        .status = status});
}

// Keeps copies: the exchange must not live as long as the stream, for it holds the request's body.
class RequestRecorder::OpenStream {
 public:
  OpenStream(ServerMetrics& metrics, AccessLog log, const RequestContext& context, unsigned status)
      : metrics_(metrics),
        log_(std::move(log)),
        began_(context.began),
        method_(context.request().method),
        target_(context.request().target),
        caller_(context.caller),
        acting_as_(context.user.name == context.caller ? "" : context.user.name),
        agent_(context.request().headers.get("User-Agent")),
        peer_(context.request().peer.address),
        labels_(context.labels),
        status_(status) {
    metrics_.in_flight(context.mutating, -1);
    metrics_.long_running(labels_.subresource, 1);
    tell(AccessPhase::Begins);
  }
  OpenStream(const OpenStream&) = delete;
  OpenStream& operator=(const OpenStream&) = delete;
  ~OpenStream() {
    metrics_.long_running(labels_.subresource, -1);
    count(metrics_, labels_, status_, seconds_since(began_));
    tell(AccessPhase::Ended);
  }

 private:
  void tell(AccessPhase phase) const {
    if (!log_) return;
    log_({.method = method_,
          .target = target_,
          .user = caller_,
          .agent = agent_,
          .peer = peer_,
          .acting_as = acting_as_,
          .status = status_,
          .seconds = seconds_since(began_),
          .phase = phase});
  }

  ServerMetrics& metrics_;
  const AccessLog log_;
  const Clock::time_point began_;
  const std::string method_, target_, caller_, acting_as_, agent_, peer_;
  const api::Call labels_;
  const unsigned status_;
};

std::shared_ptr<void> RequestRecorder::streams(const RequestContext& context, unsigned status) {
  return std::make_shared<OpenStream>(metrics_, log_, context, status);
}

}  // namespace basalt::server
