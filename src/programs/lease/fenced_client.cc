#include "programs/lease/fenced_client.h"

#include <utility>

#include "kube/api/verbs.h"
#include "kube/client/https_object_client.h"

namespace basalt::lease {

void FencedClient::send(api::Call call, std::function<void(client::ReplyOrError)> done) {
  if (api::is_write(call.verb) && !may_write_()) {
    done(std::unexpected(api::ApiError{.code = 503,
                                       .reason = std::string(client::kReasonNotReached),
                                       .message = "not sent: this replica does not hold the lease (any more)"}));
    return;
  }
  client_.send(std::move(call), std::move(done));
}

std::unique_ptr<client::Watch> FencedClient::watch(api::Call call, std::function<void(client::WatchEvent)> receive) {
  return client_.watch(std::move(call), std::move(receive));
}

}  // namespace basalt::lease
