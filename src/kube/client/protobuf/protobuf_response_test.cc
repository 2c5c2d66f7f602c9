#include "kube/client/protobuf/protobuf_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "kube/api/schema/protobuf.h"
#include "kube/client/protobuf/protobuf_kinds.h"
#include "kube/client/protobuf/wire_writer.h"
#include "kube/client/response_decoder.h"
#include "kube/client/watch_event_reader.h"

namespace basalt::client {
namespace {

using ::testing::HasSubstr;

std::string message(const std::function<void(WireWriter&)>& write) {
  WireWriter writer;
  write(writer);
  return writer.take();
}
std::string sealed(std::string_view kind, std::string_view object) {
  return std::string(api::kProtobufMagic) + message([&](WireWriter& envelope) {
           envelope.bytes(1, message([&](WireWriter& type) {
                            type.bytes(1, "v1");
                            type.bytes(2, kind);
                          }));
           envelope.bytes(2, object);
         });
}
// A pod with a name, a version, managedFields, and a field that nobody knows.
std::string pod(std::string_view name) {
  return message([&](WireWriter& pod) {
    pod.bytes(1, message([&](WireWriter& metadata) {
                metadata.bytes(1, name);
                metadata.bytes(6, "7");
                metadata.bytes(17, message([](WireWriter& entry) { entry.bytes(1, "kubectl"); }));
                metadata.bytes(4000, "from the future");
              }));
    pod.bytes(2, message([](WireWriter& spec) { spec.bytes(10, "n1"); }));
  });
}
std::string event(std::string_view type, std::string_view object) {
  return message([&](WireWriter& event) {
    event.bytes(1, type);
    event.bytes(2, message([&](WireWriter& raw) { raw.bytes(1, object); }));
  });
}
std::string status(int code) {
  return sealed("Status", message([&](WireWriter& status) {
                  status.bytes(2, "Failure");
                  status.bytes(3, "too old");
                  status.bytes(4, "Expired");
                  status.number(6, int64_t{code});
                }));
}

api::Call call_for_pods(api::Verb verb) {
  return {.verb = verb, .resource = {.group = "", .version = "v1", .plural = "pods"}};
}
const api::ProtobufMessage& layout() { return *answer_layout(call_for_pods(api::Verb::List)); }

net::HttpResponse answer(unsigned code, std::string body) {
  return {.status = code, .content_type = "application/vnd.kubernetes.protobuf", .body = std::move(body)};
}

constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","resourceVersion":"7"},"spec":{"nodeName":"n1"}})";

TEST(SealedAnswer, AnObjectWithoutManagedFields) {
  const auto outcome =
      outcome_of(call_for_pods(api::Verb::Get), answer(201, sealed("Pod", pod("p"))), {true, &layout()});
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(outcome->created);
  EXPECT_EQ(text::to_json(*outcome->object), kPod);
}

TEST(SealedAnswer, AListOfThem) {
  const std::string two = message([](WireWriter& list) {
    list.bytes(1, message([](WireWriter& metadata) {
                 metadata.bytes(2, "42");
                 metadata.bytes(3, "more");
               }));
    list.bytes(2, pod("p"));
    list.bytes(2, pod("q"));
  });
  const auto outcome =
      outcome_of(call_for_pods(api::Verb::List), answer(200, sealed("PodList", two)), {true, &layout()});
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->resource_version, "42");
  EXPECT_EQ(outcome->continue_token, "more");
  ASSERT_EQ(outcome->items.size(), 2U);
  EXPECT_EQ(text::to_json(*outcome->items[0]), kPod);
  EXPECT_EQ(api::name_of(outcome->items[1]->get_object()), "q");
}

TEST(SealedAnswer, ARefusalIsAStatus) {
  const auto outcome = outcome_of(call_for_pods(api::Verb::Get), answer(410, status(410)), {true, &layout()});
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, 410);
  EXPECT_EQ(outcome.error().reason, "Expired");
  EXPECT_EQ(outcome.error().message, "too old");
  const auto broken = outcome_of(call_for_pods(api::Verb::Get), answer(500, "k8s"), {true, &layout()});
  EXPECT_EQ(broken.error().reason, "InternalError");
}

TEST(SealedAnswer, EventsOfAWatch) {
  const auto read = decode_watch_frame(layout(), event("MODIFIED", sealed("Pod", pod("p"))));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->type, WatchEventType::Modified);
  EXPECT_EQ(text::to_json(*read->object), kPod);
  const auto error = decode_watch_frame(layout(), event("ERROR", status(410)));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->type, WatchEventType::Error);
  EXPECT_EQ(error_of_status(*error->object).code, 410);
}

TEST(SealedAnswer, AnotherKindThanAskedForIsAnError) {
  EXPECT_THAT(decode_protobuf_object(layout(), sealed("Node", pod("p"))).error().message,
              HasSubstr("\"Node\" where a Pod"));
  EXPECT_THAT(decode_protobuf_list(layout(), sealed("Pod", pod("p"))).error().message,
              HasSubstr("where a list of Pod"));
  EXPECT_THAT(outcome_of(call_for_pods(api::Verb::Get), answer(200, sealed("Pod", pod("p"))), {}).error().message,
              HasSubstr("nobody asked"));
  EXPECT_FALSE(decode_watch_frame(layout(), event("CHANGED", sealed("Pod", pod("p")))));
  EXPECT_FALSE(decode_watch_frame(layout(), event("\xff", sealed("Pod", pod("p")))));
}

TEST(SealedAnswer, BytesThatAreCutOrChangedNeverDoHarm) {
  const std::string whole = event("ADDED", sealed("Pod", pod("p")));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_watch_frame(layout(), std::string_view(whole).substr(0, size))) << size;
  }
  size_t readable = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\x7f', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[at] = byte;
      if (const auto read = decode_watch_frame(layout(), changed)) {
        ++readable;
        EXPECT_TRUE(text::parse_json(text::to_json(*read->object)).has_value());
      }
    }
  }
  EXPECT_GT(readable, 0U);
}

TEST(WatchEventReader, TakesTheFormThatTheContentTypeNames) {
  std::string seen;
  const auto take = [&](const WatchEvent& event) {
    seen = text::to_json(*event.object);
    return true;
  };
  WatchEventReader lean({true, &layout()}, 10'000);
  const std::string message = event("ADDED", sealed("Pod", pod("p")));
  const std::string frame = std::string(3, '\0') + static_cast<char>(message.size()) + message;
  ASSERT_LT(message.size(), 256U);
  EXPECT_TRUE(lean.feed("application/vnd.kubernetes.protobuf;stream=watch", frame, take));
  EXPECT_EQ(seen, kPod);
  const std::string line = R"({"type":"ADDED","object":{"kind":"Q","metadata":{"managedFields":[{}],"name":"a"}}})";
  EXPECT_TRUE(lean.feed("application/json", line + "\n", take));
  EXPECT_EQ(seen, R"({"kind":"Q","metadata":{"name":"a"}})");
  WatchEventReader plain({}, 10'000);
  EXPECT_TRUE(plain.feed("application/json", line + "\n", take));
  EXPECT_THAT(seen, HasSubstr("managedFields"));
  EXPECT_FALSE(plain.feed("application/vnd.kubernetes.protobuf;stream=watch", frame, take));
}

}  // namespace
}  // namespace basalt::client
