#include "programs/daemon/counted_client.h"

#include <gtest/gtest.h>

namespace basalt::daemon {
namespace {

// Answers everything at once.
class Answering final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    if (call.verb == api::Verb::Create) return done(client::Reply{.created = true});
    if (call.verb == api::Verb::Get) return done(std::unexpected(api::ApiError{.code = 404}));
    done(client::Reply{});
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call, std::function<void(client::WatchEvent)>) override {
    return nullptr;
  }
};

TEST(CountedClient, CountsByCodeAndMethod) {
  Answering answering;
  CountedClient client(answering);
  int answers = 0;
  for (const api::Verb verb : {api::Verb::Create, api::Verb::Get, api::Verb::Delete, api::Verb::DeleteCollection}) {
    client.send({.verb = verb}, [&](const client::ReplyOrError&) { ++answers; });
  }
  EXPECT_EQ(client.watch({.verb = api::Verb::Watch}, {}), nullptr);
  EXPECT_EQ(answers, 4);
  EXPECT_EQ(client.metrics_text(),
            "# HELP rest_client_requests_total Calls to the API server by code and method.\n"
            "# TYPE rest_client_requests_total counter\n"
            "rest_client_requests_total{code=\"200\",method=\"DELETE\"} 2\n"
            "rest_client_requests_total{code=\"200\",method=\"WATCH\"} 1\n"
            "rest_client_requests_total{code=\"201\",method=\"POST\"} 1\n"
            "rest_client_requests_total{code=\"404\",method=\"GET\"} 1\n");
}

}  // namespace
}  // namespace basalt::daemon
