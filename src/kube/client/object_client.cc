#include "kube/client/object_client.h"

#include <future>

namespace basalt::client {

ReplyOrError ObjectClient::call(api::Call call) {
  auto answer = std::make_shared<std::promise<ReplyOrError>>();
  std::future<ReplyOrError> future = answer->get_future();
  send(std::move(call), [answer](ReplyOrError outcome) { answer->set_value(std::move(outcome)); });
  return future.get();
}

}  // namespace basalt::client
