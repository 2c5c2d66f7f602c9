#include "sim/life/mortal_client.h"

#include <utility>

namespace basalt::sim {
namespace {

bool is_write(api::Verb verb) { return verb != api::Verb::Get && verb != api::Verb::List && verb != api::Verb::Watch; }

}  // namespace

void MortalClient::send(api::Call call, std::function<void(client::Outcome)> done) {
  const bool counts = is_write(call.verb) && call.resource.plural != "events";
  if (left_ && *left_ == 0 && is_write(call.verb)) {
    died_ = true;
    return done(std::unexpected(api::unavailable("the process is dead")));
  }
  if (counts) {
    if (left_) --*left_;
    ++writes_;
  }
  if (on_write && is_write(call.verb)) on_write(call);
  if (!counts) return server_.send(std::move(call), std::move(done));
  server_.send(std::move(call), [this, done = std::move(done)](client::Outcome outcome) {
    if (outcome) ++accepted_;
    done(std::move(outcome));
  });
}

std::unique_ptr<client::Watch> MortalClient::watch(api::Call call, std::function<void(client::WatchEvent)> receive) {
  return server_.watch(std::move(call), std::move(receive));
}

}  // namespace basalt::sim
