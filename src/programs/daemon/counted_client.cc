#include "programs/daemon/counted_client.h"

#include <string_view>

#include "kube/api/verbs.h"

namespace basalt::daemon {
namespace {

// The method, but lists and watches told apart.
std::string_view word_for(api::Verb verb) {
  return api::metric_word(verb == api::Verb::DeleteCollection ? api::Verb::Delete : verb);
}

}  // namespace

void CountedClient::Counts::add(int code, api::Verb verb) { calls.at({std::to_string(code), word_for(verb)}).add(); }

void CountedClient::send(api::Call call, std::function<void(client::ReplyOrError)> done) {
  const api::Verb verb = call.verb;
  client_.send(std::move(call), [counts = counts_, verb, done = std::move(done)](client::ReplyOrError outcome) {
    counts->add(outcome ? (outcome->created ? 201 : 200) : static_cast<int>(outcome.error().code), verb);
    done(std::move(outcome));
  });
}

std::unique_ptr<client::Watch> CountedClient::watch(api::Call call, std::function<void(client::WatchEvent)> receive) {
  counts_->add(200, api::Verb::Watch);
  return client_.watch(std::move(call), std::move(receive));
}

std::string CountedClient::metrics_text() const { return counts_->page.text(); }

}  // namespace basalt::daemon
