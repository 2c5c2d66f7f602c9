// API golden tests: requests and the whole answers, as text, through the HTTP handler on an in-memory store with a
// clock and a seed of its own, so that uids, times and revisions are the same in every run.
//
// A file is a story on a fresh server:
//   # comment
//   > POST /api/v1/namespaces/default/pods
//   > Content-Type: application/merge-patch+json      (headers, optional)
//   > {"metadata": …}                                  (body, optional: from the first line that begins with { or [)
//   < 201
//   < {…}                                              (pretty JSON; a watch: one line of JSON per event)
// BASALT_UPDATE_GOLDEN=1 rewrites what is expected; the diff is the review.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kube/text/json.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/http/http_handler.h"
#include "server/in_process_client.h"
#include "tests/golden/fake_exchange.h"

namespace basalt {
namespace {

namespace fs = std::filesystem;

struct Step {
  std::vector<std::string> lines;  // comments and the request, as written
  net::HttpRequest request;
  std::string expected;  // of the "< " lines, without the mark
};

void read_request(const std::vector<std::string>& written, net::HttpRequest& request) {
  const size_t blank = written.front().find(' ');
  request.method = written.front().substr(0, blank);
  request.target = written.front().substr(blank + 1);
  size_t at = 1;
  for (; at < written.size() && written[at].front() != '{' && written[at].front() != '['; ++at) {
    const size_t colon = written[at].find(": ");
    request.headers.list.emplace_back(written[at].substr(0, colon), written[at].substr(colon + 2));
  }
  for (; at < written.size(); ++at) request.body += written[at] + "\n";
}

std::vector<Step> read_story(const fs::path& file) {
  std::vector<Step> steps;
  std::vector<std::string> request;
  bool answering = true;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("< ")) {
      if (steps.empty()) continue;
      steps.back().expected += line.substr(2) + "\n";
      answering = true;
      continue;
    }
    if (line.empty()) {
      answering = true;  // a blank line ends a step, also one without an answer yet
      continue;
    }
    if (answering) {
      steps.emplace_back();
      request.clear();
      answering = false;
    }
    steps.back().lines.push_back(line);
    if (!line.starts_with("> ")) continue;
    request.push_back(line.substr(2));
    steps.back().request = {};
    read_request(request, steps.back().request);
  }
  return steps;
}

// The whole server, with time that passes one second per request.
class Story {
 public:
  Story()
      : store_(store::Store::in_memory()),
        api_(*store_, {.clock = [this] { return now_; }, .seed = 7}),
        metrics_(0, "test"),
        handler_(api_, metrics_,
                 {.authentication = server::Authentication({{.token = "t", .user = {.name = "tester"}}})}) {
    server::InProcessClient client(api_, {.name = "system:basalt"}, "basalt");
    EXPECT_TRUE(server::bootstrap(client));
  }

  std::string answer(net::HttpRequest request) {
    now_ = now_ + Duration::seconds(1);
    if (request.headers.get("Authorization").empty()) request.headers.list.emplace_back("Authorization", "Bearer t");
    if (request.headers.get("User-Agent").empty()) request.headers.list.emplace_back("User-Agent", "golden/1.0");
    const auto exchange = std::make_shared<tests::FakeExchange>(std::move(request));
    handler_.handle(exchange);
    std::string text = std::to_string(exchange->answer().status) + "\n";
    for (const auto& [name, value] : exchange->answer().headers.list) text += name + ": " + value + "\n";
    if (exchange->is_stream()) return text + exchange->stream_text();
    const auto json = text::parse_json(exchange->answer().body);
    return text + (json ? text::to_pretty_json(*json) + "\n" : exchange->answer().body + "\n");
  }

 private:
  Instant now_ = Instant::from_unix_seconds(1'800'000'000);
  std::unique_ptr<store::Store> store_;
  server::ApiServer api_;
  server::ServerMetrics metrics_;
  server::HttpHandler handler_;
};

std::string marked(const std::string& text) {
  std::string out, line;
  std::istringstream in(text);
  while (std::getline(in, line)) out += "< " + line + "\n";
  return out;
}

class Golden : public testing::TestWithParam<fs::path> {};

TEST_P(Golden, AnswersAreAsWritten) {
  const bool update = std::getenv("BASALT_UPDATE_GOLDEN") != nullptr;
  Story story;
  std::string rewritten;
  for (const Step& step : read_story(GetParam())) {
    const std::string got = story.answer(step.request);
    for (const std::string& line : step.lines) rewritten += line + "\n";
    rewritten += marked(got) + "\n";
    if (!update) {
      EXPECT_EQ(got, step.expected) << step.request.method << " " << step.request.target;
    }
  }
  if (update) std::ofstream(GetParam()) << rewritten;
}

std::vector<fs::path> stories() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator("tests/golden")) {
    if (entry.path().extension() == ".golden") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

INSTANTIATE_TEST_SUITE_P(Api, Golden, testing::ValuesIn(stories()),
                         [](const auto& story) { return story.param.stem().string(); });

TEST(GoldenFiles, AreThere) { EXPECT_GE(stories().size(), 8U); }

}  // namespace
}  // namespace basalt
