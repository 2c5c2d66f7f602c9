#include "kube/client/object_client.h"

#include <future>

namespace basalt::client {

Outcome ObjectClient::call(api::Call call) {
  auto answer = std::make_shared<std::promise<Outcome>>();
  std::future<Outcome> future = answer->get_future();
  send(std::move(call), [answer](Outcome outcome) { answer->set_value(std::move(outcome)); });
  return future.get();
}

}  // namespace basalt::client
