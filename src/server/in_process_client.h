// The API for parts of the same process: same rules, same semantics, no HTTP and no serialisation. Objects
// that come back are the server's own values, shared and immutable.
#pragma once

#include <memory>

#include "kube/client/object_client.h"
#include "server/api_server.h"

namespace basalt::server {

class InProcessClient : public client::ObjectClient {
 public:
  // Requires: `server` outlives the client. `user`: who it acts as; `manager`: its name in managedFields.
  InProcessClient(ApiServer& server, api::UserInfo user, std::string manager)
      : server_(server), user_(std::move(user)), manager_(std::move(manager)) {}

  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override;
  // `receive` runs on the store's committing thread (or inside watch() for the present state): it must be short, and
  // must not wait for a write.
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override;

 private:
  ApiServer& server_;
  api::UserInfo user_;
  std::string manager_;
};

}  // namespace basalt::server
