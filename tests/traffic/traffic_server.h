// A whole API server in memory behind its HTTP handler, without a network, with a clock of its own: requests in, parsed
// answers out. The same calls give the same answers in every run.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kube/text/json.h"
#include "server/api_server.h"
#include "server/http/http_handler.h"
#include "server/store/store.h"
#include "tests/golden/fake_exchange.h"

namespace basalt::tests {

struct TrafficRequest {
  std::string method = "GET", target;
  std::string content_type, body;
  std::string accept;  // "": whatever the server likes
};

struct TrafficAnswer {
  unsigned status = 0;
  std::string content_type, text;
  text::Value value;       // of a JSON or YAML body that parses; of a watch: the list of its events
  bool readable = false;   // whether it does
  bool is_stream = false;  // a watch, or another answer that goes on

  [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
  [[nodiscard]] const text::Object& object() const;  // an empty one when the answer is none
};

class TrafficServer {
 public:
  // With Volcano's kinds, the namespaces "default" and "traffic", and nothing else.
  TrafficServer();

  // Waits for nothing: the store is in memory. A stream is read as far as it has come and then hung up.
  TrafficAnswer send(const TrafficRequest& request);
  // Opens a watch at `target`, does `meanwhile`, and answers with what was told until then.
  template <class Meanwhile>
  TrafficAnswer watch(std::string target, std::string accept, const Meanwhile& meanwhile) {
    const auto exchange = begin({.target = std::move(target), .accept = std::move(accept)});
    meanwhile();
    return answer_of(*exchange);
  }

  [[nodiscard]] std::shared_ptr<const api::ApiResourceTable> kinds() const { return api_.kinds(); }

 private:
  std::shared_ptr<FakeExchange> begin(const TrafficRequest& request);
  static TrafficAnswer answer_of(FakeExchange& exchange);

  Instant now_ = Instant::from_unix_seconds(1'800'000'000);
  std::unique_ptr<store::Store> store_;
  server::ApiServer api_;
  server::ServerMetrics metrics_;
  server::HttpHandler handler_;
};

}  // namespace basalt::tests
