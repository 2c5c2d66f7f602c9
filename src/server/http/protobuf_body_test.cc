#include "server/http/protobuf_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basalt::server {
namespace {

using ::testing::HasSubstr;

// A field of bytes; everything here is shorter than 128 bytes.
std::string bytes(unsigned field, std::string_view value) {
  return std::string{static_cast<char>(field << 3U | 2U), static_cast<char>(value.size())} + std::string(value);
}
std::string sealed(std::string_view version, std::string_view kind, std::string_view message) {
  return std::string("k8s\0", 4) + bytes(1, bytes(1, version) + bytes(2, kind)) + bytes(2, message);
}

struct Place {
  std::string_view group, version, plural, subresource = "";
  api::Verb verb = api::Verb::Create;
};

// The JSON of the body, or code and message of the refusal.
std::string parsed(const Place& place, std::string_view body) {
  std::vector<api::ApiResource> rows = api::builtin_resources();
  rows.push_back(rows.front());
  rows.back().group = "x.io";
  rows.back().plural = "things";
  rows.back().kind = "Thing";
  rows.back().custom = true;
  const api::ApiResourceTable kinds(std::move(rows));
  const api::ApiResource* resource = kinds.find(place.group, place.version, place.plural);
  if (resource == nullptr) return "no such resource";
  api::Call call;
  call.verb = place.verb;
  call.subresource = place.subresource;
  const auto value = parse_protobuf_body(body, call, *resource, kinds);
  return value ? text::to_json(*value) : std::to_string(value.error().code) + " " + value.error().message;
}

constexpr Place kPods{.group = "", .version = "v1", .plural = "pods"};
const std::string kNamed = bytes(1, bytes(1, "a"));

TEST(ProtobufBody, TheContentTypeMayHaveParameters) {
  EXPECT_TRUE(is_protobuf("application/vnd.kubernetes.protobuf"));
  EXPECT_TRUE(is_protobuf("Application/vnd.kubernetes.protobuf; charset=x"));
  EXPECT_FALSE(is_protobuf("application/json"));
}

TEST(ProtobufBody, TheEnvelopeSaysTheKindAndTheCallWhenItDoesNot) {
  EXPECT_EQ(parsed(kPods, sealed("v1", "Pod", kNamed)), R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})");
  EXPECT_EQ(parsed(kPods, sealed("", "", kNamed)), R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})");
  EXPECT_EQ(parsed(kPods, sealed("apps/v1", "Deployment", kNamed)),
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"}})");
}

TEST(ProtobufBody, SubresourcesTakeTheirOwnKinds) {
  Place place = kPods;
  place.subresource = "binding";
  EXPECT_EQ(parsed(place, sealed("v1", "Binding", bytes(2, bytes(3, "n1")))),
            R"({"apiVersion":"v1","kind":"Binding","target":{"name":"n1"}})");
  place.subresource = "eviction";
  EXPECT_EQ(parsed(place, sealed("policy/v1", "Eviction", kNamed)),
            R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"}})");
  place.subresource = "status";
  EXPECT_EQ(parsed(place, sealed("v1", "Pod", kNamed)), R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})");
  place.subresource = "nothing";
  EXPECT_EQ(parsed(place, sealed("x/v1", "Unknown", "")), "null");
  const Place scale{.group = "apps", .version = "v1", .plural = "deployments", .subresource = "scale"};
  EXPECT_EQ(parsed(scale, sealed("autoscaling/v1", "Scale", bytes(2, "\x08\x04"))),
            R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":4}})");
}

TEST(ProtobufBody, DeleteOptionsComeInAnyVersionAndForCustomKindsToo) {
  const std::string options = sealed("apps/v1", "DeleteOptions", std::string_view("\x08\0", 2));
  constexpr std::string_view kWant = R"({"apiVersion":"apps/v1","kind":"DeleteOptions","gracePeriodSeconds":0})";
  Place place = kPods;
  place.verb = api::Verb::Delete;
  EXPECT_EQ(parsed(place, options), kWant);
  EXPECT_EQ(parsed({"x.io", "v1", "things", "", api::Verb::DeleteCollection}, options), kWant);
}

TEST(ProtobufBody, BrokenBytesAndKindsWithoutTheFormAre400) {
  EXPECT_THAT(parsed(kPods, ""), HasSubstr("400 the body cannot be read"));
  EXPECT_THAT(parsed(kPods, "{}"), HasSubstr("400 the body cannot be read"));
  EXPECT_THAT(parsed(kPods, sealed("v1", "Pod", "\xff")), HasSubstr("400 the body cannot be read"));
  EXPECT_THAT(parsed(kPods, sealed("v1", "Unheard", "")), HasSubstr("400 no protobuf form is known"));
  EXPECT_THAT(parsed({"x.io", "v1", "things"}, sealed("x.io/v1", "Thing", "")), HasSubstr("400 no protobuf form"));
}

}  // namespace
}  // namespace basalt::server
