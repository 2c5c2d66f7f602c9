#include "tests/schedule/faulty_client.h"

#include <utility>

namespace basalt {

void FaultyClient::send(api::Call call, std::function<void(client::ReplyOrError)> done) {
  using api::Verb;
  const bool reads = call.verb == Verb::Get || call.verb == Verb::List;
  const bool counts = !reads && call.resource.plural != "events";
  if (died_ || (counts && left_ == 0)) {
    died_ = true;
    return done(std::unexpected(api::unavailable("this process is dead")));
  }
  const Fault fault = judge && call.verb != Verb::List ? judge(call) : Fault::None;
  if (fault == Fault::Refuse) return done(std::unexpected(api::forbidden("", call.resource.plural, call.name, "no")));
  if (fault == Fault::LoseCall) return done(std::unexpected(api::unavailable("the call was lost")));
  if (counts) {
    --left_;
    ++writes_;
  }
  if (!reads && on_write) on_write(call);
  if (fault == Fault::None) return server_.send(std::move(call), std::move(done));
  server_.send(std::move(call), [done = std::move(done)](const client::ReplyOrError& /*outcome*/) {
    done(std::unexpected(api::unavailable("the answer was lost")));
  });
}

std::unique_ptr<client::Watch> FaultyClient::watch(api::Call call, std::function<void(client::WatchEvent)> receive) {
  auto line = std::make_shared<Line>(Line{.plural = call.resource.plural, .receive = std::move(receive)});
  lines_.push_back(line);
  return server_.watch(std::move(call), [this, line](client::WatchEvent event) {
    if (!deaf && !died_) line->receive(std::move(event));
  });
}

void FaultyClient::break_watches(const std::string& plural) {
  const auto status = std::make_shared<const text::Value>(api::expired("too old").to_status());
  for (const auto& line : std::vector(lines_)) {
    if (line->plural == plural) line->receive({.type = client::WatchEventType::Error, .object = status});
  }
}

}  // namespace basalt
