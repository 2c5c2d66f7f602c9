#include "lab/life/crashable_client.h"

#include <utility>

#include "kube/api/verbs.h"

namespace basalt::lab {

void CrashableClient::send(api::Call call, std::function<void(client::ReplyOrError)> done) {
  const bool counts = api::is_write(call.verb) && call.resource.plural != "events";
  if (left_ && *left_ == 0 && api::is_write(call.verb)) {
    crashed_ = true;
    return done(std::unexpected(api::unavailable("the process is dead")));
  }
  if (counts) {
    if (left_) --*left_;
    ++writes_;
  }
  if (on_write && api::is_write(call.verb)) on_write(call);
  if (!counts) return server_.send(std::move(call), std::move(done));
  server_.send(std::move(call), [accepted = accepted_, done = std::move(done)](client::ReplyOrError outcome) {
    if (outcome) ++*accepted;
    done(std::move(outcome));
  });
}

std::unique_ptr<client::Watch> CrashableClient::watch(api::Call call, std::function<void(client::WatchEvent)> receive) {
  return server_.watch(std::move(call), std::move(receive));
}

}  // namespace basalt::lab
