// A client that writes only while a condition holds: a replica that has lost the lease, or does not know that it still
// has it, must not write any more. Reads and watches pass.
//
// A write that is held off is answered 503 kReasonNotReached: it certainly did not happen. What has passed may still
// wait for its turn in the client behind this: HttpsObjectClientOptions::may_send is the same check, right before
// the request is sent.
#pragma once

#include <functional>

#include "kube/client/object_client.h"

namespace basalt::lease {

class FencedClient final : public client::ObjectClient {
 public:
  // Requires: `client` outlives it. `may_write` is asked for each write, from any thread.
  FencedClient(client::ObjectClient& client, std::function<bool()> may_write)
      : client_(client), may_write_(std::move(may_write)) {}

  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override;
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override;
  [[nodiscard]] bool streams_lists() const override { return client_.streams_lists(); }

 private:
  client::ObjectClient& client_;
  const std::function<bool()> may_write_;
};

}  // namespace basalt::lease
