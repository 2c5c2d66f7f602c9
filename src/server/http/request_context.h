// One request on its way through the handler, and what is told about it: metrics and the access log.
//
// A request that is answered whole is told once. One that opens a stream (a watch, a log, a command in a container) is
// told when it begins and when it has ended: it may run for hours, and whoever looks must see it meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/api/call.h"
#include "kube/net/http.h"
#include "server/http/media_types.h"
#include "server/http/request_path.h"
#include "server/server_metrics.h"

namespace basalt::server {

enum class AccessPhase : uint8_t { Whole, Begins, Ended };

// One line of the access log. Texts are as the client sent them: whoever writes them down escapes them.
struct AccessLogEntry {
  std::string_view method, target, user, agent, peer;
  std::string_view acting_as;  // "": as the user
  unsigned status = 0;
  double seconds = 0;
  AccessPhase phase = AccessPhase::Whole;
};
using AccessLog = std::function<void(const AccessLogEntry&)>;

struct RequestContext {
  std::shared_ptr<net::HttpExchange> exchange;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  RequestTarget target;
  std::optional<ResourcePath> path;  // of the target, if it is one of a resource
  std::string caller;                // who asks; "": nobody knows
  api::UserInfo user;                // whom it acts as
  ResponseForm form = ResponseForm::Plain;
  bool is_call = false;  // it is counted by verb and resource, and as under way
  bool mutating = false;
  api::Call labels;  // verb, resource, place: what metrics say about it; no body

  [[nodiscard]] const net::HttpRequest& request() const { return exchange->request(); }
  // Takes over what metrics say about it, and counts it as a call.
  void count_as(const api::Call& call);
};

// "resource": one object; "namespace", "cluster": a collection.
[[nodiscard]] std::string_view scope_of(const api::Call& call);

class RequestRecorder {
 public:
  // `log` may be null. Requires: `metrics` outlives it and every stream.
  RequestRecorder(ServerMetrics& metrics, AccessLog log) : metrics_(metrics), log_(std::move(log)) {}

  // Before its answer: a call is under way from here.
  void begun(const RequestContext& context) { metrics_.in_flight(context.mutating, 1); }
  void answered(const RequestContext& context, unsigned status);
  // Refused by its header alone.
  void refused(const net::HttpRequest& head, unsigned status);
  // It goes on as a stream, which has ended when what is returned is gone; that may be after this object.
  [[nodiscard]] std::shared_ptr<void> streams(const RequestContext& context, unsigned status);

 private:
  class OpenStream;

  ServerMetrics& metrics_;
  const AccessLog log_;
};

}  // namespace basalt::server
