// HTTP in, HTTP out: routes a request to discovery, health, metrics, logs, exec or the API server, and encodes the
// response.
//
// Order: who calls (401, before a body is read), as whom (403), what is asked (404, 405, 406, 415), then the call
// itself. Every refusal is a metav1.Status. Slow requests (slow_requests.h) go to a pool of workers; when its queue is
// full, and for writes while memory is tight (memory_guard.h), the response is 429.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/api/exec.h"
#include "kube/net/http.h"
#include "kube/net/server.h"
#include "server/api_server.h"
#include "server/http/authentication.h"
#include "server/http/document_cache.h"
#include "server/http/log_stream.h"
#include "server/http/request_context.h"
#include "server/http/worker_pool.h"
#include "server/memory_guard.h"
#include "server/server_metrics.h"
#include "server/ticker.h"

namespace basalt::server {

struct HttpHandlerOptions {
  Authentication authentication{{}};
  std::vector<std::string> log_directories;   // of container logs (log_stream.h); empty: there are none
  AccessLog access_log;                       // null: none
  std::function<MetricsSample()> sample;      // what the transport adds to the metrics; null: only the store's figures
  std::function<std::string()> more_metrics;  // further families, of others in this process; null: none
  api::ExecRunner exec;                       // commands inside containers; null: nothing runs here
  unsigned workers = 0;                       // threads for what may take long; 0: the network's do it
  std::shared_ptr<MemoryGuard> memory;        // shared with the API server's owner; null: memory never ends
};

class HttpHandler {
 public:
  HttpHandler(ApiServer& server, ServerMetrics& metrics, HttpHandlerOptions options);

  // The handler for net::Server. Requires: the handler outlives the server that calls it.
  void handle(const std::shared_ptr<net::HttpExchange>& exchange);
  // The body gate for the same server.
  [[nodiscard]] net::BodyAdmission admit_body(const net::HttpRequest& head);
  // Waits for the workers; they take nothing more. To be called before what they use is destroyed.
  void stop_workers() { workers_.stop(); }
  // After this /readyz fails, so that nobody sends new work to a server that stops.
  void begin_shutdown() { stopping_ = true; }

 private:
  bool begin(const std::shared_ptr<RequestContext>& context);
  void serve(const std::shared_ptr<RequestContext>& context);
  // Why nothing that the client accepts can be sent; `known`: its form was recognized.
  [[nodiscard]] std::optional<api::ApiError> refuse_form(const RequestContext& context, bool known) const;
  [[nodiscard]] net::HttpResponse no_such_path(const std::shared_ptr<RequestContext>& context);
  void answer_public(const std::shared_ptr<RequestContext>& context);
  bool answer_old_openapi(const std::shared_ptr<RequestContext>& context);
  bool answer_documents(const std::shared_ptr<RequestContext>& context);
  void answer_resource(const std::shared_ptr<RequestContext>& context);
  void open_watch(const std::shared_ptr<RequestContext>& context, api::Call call);
  void open_exec(const std::shared_ptr<RequestContext>& context, const api::Call& call);
  void open_log(const std::shared_ptr<RequestContext>& context, const api::Call& call);
  void reply(const std::shared_ptr<RequestContext>& context, net::HttpResponse response);
  void refuse(const std::shared_ptr<RequestContext>& context,
              const api::ApiError& error);  // in the form that was asked for
  std::string metrics_text();

  ApiServer& server_;
  ServerMetrics& metrics_;
  HttpHandlerOptions options_;
  RequestRecorder records_;
  DocumentCache documents_;
  std::atomic<bool> stopping_ = false;
  Ticker ticker_;
  WorkerPool workers_;  // last: its threads use all of the above
};

}  // namespace basalt::server
