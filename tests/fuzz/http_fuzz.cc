// Any bytes as a stream of HTTP requests to a whole server in memory: bad messages are refused by the parser,
// everything else gets an answer, and every refusal is a Status.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/net/http_parser.h"
#include "kube/text/json.h"
#include "server/api_server.h"
#include "server/http/http_handler.h"
#include "tests/golden/fake_exchange.h"

namespace {

using namespace basalt;

// One server for all inputs: what one leaves behind, the next one meets. It starts again when it has grown.
class World {
 public:
  World()
      : store_(store::Store::in_memory()),
        api_(*store_, {.clock = [this] { return now_; }, .seed = 1}),
        metrics_(0, "fuzz"),
        edge_(api_, metrics_, {.authentication = server::Authentication({{.token = "t", .user = {.name = "fuzz"}}})}) {
    text::Value space = *text::parse_json(R"({"metadata":{"name":"a"}})");
    api_.send(
        {.name = "fuzz"},
        {.verb = api::Verb::Create, .resource = {.group = "", .version = "v1", .plural = "namespaces"}, .body = space},
        [](const server::ApiOutcome&) {});
  }

  void visit(net::HttpRequest request) {
    now_ = now_ + Duration::seconds(1);
    request.headers.list.emplace_back("Authorization", "Bearer t");
    const auto exchange = std::make_shared<tests::FakeExchange>(std::move(request));
    edge_.handle(exchange);
    const net::HttpResponse& answer = exchange->answer();
    check(answer.status >= 200 && answer.status < 600, "every request is answered");
    if (answer.status < 400 || exchange->is_stream() || answer.content_type != "application/json") return;
    const auto status = text::parse_json(answer.body);
    check(status.has_value() && status->is_object(), "a refusal is JSON");
    check(status->get_object().contains("kind") && status->get_object().at("kind") == "Status",
          "a refusal is a Status");
  }

  [[nodiscard]] bool is_full() const { return store_->figures().object_bytes > size_t{8} * 1024 * 1024; }

 private:
  Instant now_ = Instant::from_unix_seconds(1'800'000'000);
  std::unique_ptr<store::Store> store_;
  server::ApiServer api_;
  server::ServerMetrics metrics_;
  server::HttpHandler edge_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::unique_ptr<World> world = std::make_unique<World>();
  if (world->is_full()) world = std::make_unique<World>();
  std::string_view rest{reinterpret_cast<const char*>(data), size};
  while (!rest.empty()) {
    net::RequestParser parser(size_t{64} * 1024, size_t{1024} * 1024);
    net::ParseResult parsed;
    do {
      parsed = parser.feed(rest);
      check(parsed.taken <= rest.size(), "a parser takes what it is given");
      rest.remove_prefix(parsed.taken);
    } while (parsed.step == net::ParseStep::More && parsed.taken > 0 && !rest.empty());
    if (parsed.step != net::ParseStep::Done) return 0;
    world->visit(std::move(parser.message()));
  }
  return 0;
}
