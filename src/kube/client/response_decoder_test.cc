#include "kube/client/response_decoder.h"

#include <gmock/gmock.h>

#include "kube/client/watch_line_splitter.h"

namespace basalt::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

net::HttpResponse json(unsigned status, std::string body) { return {.status = status, .body = std::move(body)}; }

TEST(Answer, AStatusBecomesAnErrorWithEverythingInIt) {
  const auto outcome = outcome_of(
      {}, json(422, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Invalid",)"
                    R"("details":{"name":"x","group":"g","kind":"Job","retryAfterSeconds":3,"causes":[)"
                    R"({"reason":"FieldValueInvalid","message":"bad","field":"spec.a"},7]},"code":422})"));
  ASSERT_FALSE(outcome);
  const api::ApiError& error = outcome.error();
  EXPECT_EQ(error.code, 422);
  EXPECT_EQ(error.reason, "Invalid");
  EXPECT_EQ(error.message, "no");
  EXPECT_EQ(error.subject.group + "/" + error.subject.kind_or_plural + "/" + error.subject.name, "g/Job/x");
  EXPECT_EQ(error.retry_after_seconds, 3);
  ASSERT_EQ(error.causes.size(), 1U);
  EXPECT_EQ(error.causes[0].field, "spec.a");
  EXPECT_EQ(error_of_status(error.to_status()).to_status(), error.to_status());
}

TEST(Answer, RefusalsThatAreNoStatusKeepTheirCode) {
  net::HttpResponse response{.status = 503, .content_type = "text/plain", .body = "over\x1b loaded\n"};
  response.headers.list = {{"Retry-After", "7"}};
  const api::ApiError error = refusal_of(response);
  EXPECT_EQ(error.code, 503);
  EXPECT_EQ(error.reason, "ServiceUnavailable");
  EXPECT_EQ(error.retry_after_seconds, 7);
  EXPECT_EQ(error.message, "the server answered with status 503: over  loaded");
  EXPECT_EQ(refusal_of({.status = 404, .body = "[1"}).reason, "NotFound");
  EXPECT_EQ(refusal_of({.status = 418, .body = "\xFF\xFE"}).message, "the server answered with status 418");
  EXPECT_LT(refusal_of({.status = 500, .body = std::string(100'000, 'x')}).message.size(), 2 * kMaxShownBody);
  EXPECT_LT(refusal_of({.status = 500, .body = "x" + std::string(100'000, '\xC3')}).message.size(), 2 * kMaxShownBody);
}

TEST(Answer, ItemsOfAListHaveTheirKind) {
  const api::Call list{.verb = api::Verb::List};
  const auto outcome = outcome_of(
      list, json(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"12","continue":"c"},)"
                      R"("items":[{"metadata":{"name":"a"}},{"kind":"Other","metadata":{"name":"b"}}]})"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->resource_version + outcome->continue_token, "12c");
  ASSERT_EQ(outcome->items.size(), 2U);
  EXPECT_EQ(text::to_json(*outcome->items[0]), R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})");
  EXPECT_EQ(text::to_json(*outcome->items[1]), R"({"kind":"Other","metadata":{"name":"b"}})");
  EXPECT_TRUE(outcome_of(list, json(200, R"({"kind":"PodList","items":null})"))->items.empty());
  for (const char* body : {"", "[]", "{\"items\":5}", "nonsense"}) {
    EXPECT_FALSE(outcome_of(list, json(200, body))) << body;
  }
}

TEST(Answer, ObjectsLogsAndWarnings) {
  net::HttpResponse created = json(201, R"({"kind":"Pod"})");
  created.headers.list = {{"warning", R"(299 - "first \"one\"", 299 - "second" "Thu, 01 Jan 1970 00:00:00 GMT")"},
                          {"Warning", R"(199 - "not ours")"},
                          {"Warning", "299 - \"open"},
                          {"Other", "299 - \"x\""}};
  const auto outcome = outcome_of({.verb = api::Verb::Create}, created);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->created);
  EXPECT_THAT(outcome->warnings, ElementsAre("first \"one\"", "second"));
  const auto log = outcome_of({}, {.status = 200, .content_type = "text/plain", .body = "5"});
  ASSERT_TRUE(log);
  EXPECT_EQ(*log->object, text::Value("5"));
  EXPECT_FALSE(outcome_of({}, json(200, "{\"kind\":")));
}

TEST(Answer, EventsOfAWatch) {
  const auto event = parse_event(R"({"type":"MODIFIED","object":{"kind":"Pod"}})");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, WatchEventType::Modified);
  EXPECT_EQ(text::to_json(*event->object), R"({"kind":"Pod"})");
  for (const char* line :
       {"", "[]", "{}", R"({"type":"ADDED"})", R"({"type":"NEW","object":{}})", R"({"type":"ADDED","object":5})"}) {
    EXPECT_FALSE(parse_event(line)) << line;
  }
}

TEST(WatchLineSplitter, AreCutWhereverThePiecesEnd) {
  const std::string text = "one\n\r\ntwo\nthree\nrest";
  for (size_t step = 1; step <= text.size(); ++step) {
    WatchLineSplitter lines(5);
    std::vector<std::string> got;
    for (size_t at = 0; at < text.size(); at += step) {
      EXPECT_TRUE(lines.feed(std::string_view(text).substr(at, step), [&](std::string_view line) -> Result<bool> {
        got.emplace_back(line);
        return true;
      }));
    }
    EXPECT_THAT(got, ElementsAre("one", "two", "three")) << step;
  }
}

TEST(WatchLineSplitter, ALineBeyondTheLimitIsAnError) {
  WatchLineSplitter lines(4);
  const auto take = [](std::string_view) -> Result<bool> { return true; };
  EXPECT_TRUE(lines.feed("abcd", take));
  EXPECT_FALSE(lines.feed("e", take));
}

}  // namespace
}  // namespace basalt::client
