// A client that counts the calls that pass, as client-go does: rest_client_requests_total by code and method.
//
// Watches are counted when they are opened. A call without an answer counts with the code that stands for it (503,
// 504). There are as many series as codes and methods were seen, at most kMaxCallSeries.
#pragma once

#include <memory>
#include <string>

#include "kube/client/object_client.h"
#include "kube/text/metric_registry.h"

namespace basalt::daemon {

inline constexpr size_t kMaxCallSeries = 500;

class CountedClient final : public client::ObjectClient {
 public:
  // Requires: `client` outlives it.
  explicit CountedClient(client::ObjectClient& client) : client_(client) {}

  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override;
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override;
  [[nodiscard]] bool streams_lists() const override { return client_.streams_lists(); }

  [[nodiscard]] std::string metrics_text() const;

 private:
  struct Counts {
    text::MetricRegistry page;
    text::Counters& calls = page.counters({"rest_client_requests_total",
                                           "Calls to the API server by code and method.",
                                           {"code", "method"},
                                           kMaxCallSeries});
    void add(int code, api::Verb verb);
  };

  client::ObjectClient& client_;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();  // shared with calls under way
};

}  // namespace basalt::daemon
