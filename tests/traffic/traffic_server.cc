#include "tests/traffic/traffic_server.h"

#include <gtest/gtest.h>

#include "kube/text/yaml.h"
#include "server/bootstrap.h"
#include "server/in_process_client.h"

namespace basalt::tests {
namespace {

// One JSON value per line, as a watch tells its events.
bool read_lines(std::string_view lines, text::Array& events) {
  while (!lines.empty()) {
    const size_t end = lines.find('\n');
    if (end == std::string_view::npos) return false;
    auto event = text::parse_json(lines.substr(0, end));
    if (!event) return false;
    events.push_back(std::move(*event));
    lines.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

const text::Object& TrafficAnswer::object() const {
  static const text::Object kNone;
  return value.is_object() ? value.get_object() : kNone;
}

TrafficServer::TrafficServer()
    : store_(store::Store::in_memory()),
      api_(*store_, {.clock = [this] { return now_; }, .seed = 7}),
      metrics_(0, "test"),
      handler_(api_, metrics_,
               {.authentication = server::Authentication({{.token = "t", .user = {.name = "tester"}}})}) {
  server::InProcessClient client(api_, {.name = "system:basalt"}, "basalt");
  EXPECT_TRUE(server::bootstrap(client));
  const TrafficAnswer made = send({.method = "POST",
                                   .target = "/api/v1/namespaces",
                                   .body = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"traffic"}})"});
  EXPECT_EQ(made.status, 201U) << made.text;
}

TrafficAnswer TrafficServer::send(const TrafficRequest& request) { return answer_of(*begin(request)); }

std::shared_ptr<FakeExchange> TrafficServer::begin(const TrafficRequest& request) {
  now_ = now_ + Duration::millis(37);
  net::HttpRequest sent{.method = request.method, .target = request.target, .body = request.body};
  sent.headers.list = {{"Authorization", "Bearer t"}, {"User-Agent", "traffic/1.0"}};
  if (!request.content_type.empty()) sent.headers.list.emplace_back("Content-Type", request.content_type);
  if (!request.accept.empty()) sent.headers.list.emplace_back("Accept", request.accept);
  auto exchange = std::make_shared<FakeExchange>(std::move(sent));
  handler_.handle(exchange);
  return exchange;
}

TrafficAnswer TrafficServer::answer_of(FakeExchange& exchange) {
  const net::HttpResponse& response = exchange.answer();
  TrafficAnswer answer{.status = response.status, .content_type = response.content_type, .text = response.body};
  if (exchange.is_stream()) {
    answer.is_stream = true;
    answer.text = exchange.stream_text();
    exchange.hang_up();
    answer.readable = read_lines(answer.text, answer.value.emplace_array());
  } else if (answer.content_type.starts_with("application/yaml")) {
    auto document = text::parse_yaml(answer.text);
    answer.readable = document.has_value();
    if (document) answer.value = std::move(document->value);
  } else {
    auto value = text::parse_json(answer.text);
    answer.readable = value.has_value();
    if (value) answer.value = std::move(*value);
  }
  return answer;
}

}  // namespace basalt::tests
