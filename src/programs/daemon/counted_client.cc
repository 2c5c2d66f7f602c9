#include "programs/daemon/counted_client.h"

#include <string_view>

#include "kube/api/verbs.h"
#include "kube/text/prometheus.h"

namespace basalt::daemon {
namespace {

// The method, but lists and watches told apart.
std::string_view word_for(api::Verb verb) {
  return api::metric_word(verb == api::Verb::DeleteCollection ? api::Verb::Delete : verb);
}

}  // namespace

void CountedClient::Counts::add(int code, api::Verb verb) {
  const std::scoped_lock lock(mutex);
  const auto at = calls.find({code, verb});
  if (at != calls.end()) {
    ++at->second;
  } else if (calls.size() < kMaxCallSeries) {
    calls[{code, verb}] = 1;
  }
}

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

std::string CountedClient::metrics_text() const {
  constexpr std::string_view kName = "rest_client_requests_total";
  std::map<std::pair<int, std::string_view>, uint64_t> sums;  // two verbs may have one method
  {
    const std::scoped_lock lock(counts_->mutex);
    for (const auto& [which, count] : counts_->calls) sums[{which.first, word_for(which.second)}] += count;
  }
  std::string out;
  text::append_family(out, kName, "counter", "Calls to the API server by code and method.");
  for (const auto& [which, count] : sums) {
    std::string labels = text::one_label("code", std::to_string(which.first));
    text::append_label(labels, "method", which.second);
    text::append_series(out, kName, labels, static_cast<double>(count));
  }
  return out;
}

}  // namespace basalt::daemon
