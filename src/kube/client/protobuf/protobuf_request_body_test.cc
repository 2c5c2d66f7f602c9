// What is written is read back by kube/api/schema/protobuf.h, which has tests of its own with bytes made by hand.
#include "kube/client/protobuf/protobuf_request_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/api/schema/protobuf.h"
#include "kube/client/protobuf/protobuf_kinds.h"

namespace basalt::client {
namespace {

const api::ProtobufMessage& layout_of(std::string_view type) {
  const api::ProtobufMessage* layout = api::builtin_protobuf().find("io.k8s.api." + std::string(type));
  EXPECT_NE(layout, nullptr) << type;
  return *layout;
}

text::Value json(std::string_view text) {
  auto value = text::parse_json(text);
  EXPECT_TRUE(value.has_value()) << text;
  return std::move(*value);
}

// What comes back of an object, or why nothing does.
std::string back(std::string_view type, std::string_view object) {
  const auto message = protobuf_message(layout_of(type), json(object).get_object());
  if (!message) return "no binary form";
  const auto read = api::decode_protobuf(layout_of(type), *message);
  return read ? text::to_json(*read) : read.error().message;
}

TEST(SealedBody, ABindingByteForByte) {
  const auto body = protobuf_request_body(layout_of("core.v1.Binding"), json(R"({"apiVersion":"v1","kind":"Binding",
      "metadata":{"name":"p","namespace":"n","uid":"u"},"target":{"kind":"Node","name":"a"}})"));
  ASSERT_TRUE(body.has_value());
  const std::string expected(
      "k8s\0\x0a\x0d\x0a\x02v1\x12\x07"
      "Binding\x12\x16\x0a\x09\x0a\x01p\x1a\x01n*\x01u\x12\x09\x0a\x04Node\x1a\x01"
      "a",
      43);
  EXPECT_EQ(*body, expected);
}

TEST(SealedBody, EveryShapeComesBack) {
  const std::string pod =
      R"({"metadata":{"name":"p","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"a":"b","empty":""}},)"
      R"("spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"}}],"containers":[{"name":"c","command":["sh",""],)"
      R"("resources":{"limits":{"cpu":"500m"}},"livenessProbe":{"httpGet":{"path":"/","port":"http"}}},)"
      R"({"name":"d","livenessProbe":{"httpGet":{"port":-5}}}],"terminationGracePeriodSeconds":0,)"
      R"("securityContext":{"supplementalGroups":[0,9223372036854775807]},"priority":-7},)"
      R"("status":{"phase":"Pending"}})";
  EXPECT_EQ(back("core.v1.Pod", pod), pod);
  const std::string secret = R"({"metadata":{},"data":{"k":"AP8=","none":""}})";
  EXPECT_EQ(back("core.v1.Secret", secret), secret);
  const std::string lease = R"({"metadata":{},"spec":{"renewTime":"2026-01-02T03:04:05.000600Z"}})";
  EXPECT_EQ(back("coordination.v1.Lease", lease), lease);
}

TEST(SealedBody, NullsAndWhatIsEmptyAreLeftOut) {
  EXPECT_EQ(back("core.v1.Pod", R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{},"name":null},
      "spec":{"containers":[],"nodeSelector":null}})"),
            R"({"metadata":{},"spec":{}})");
}

TEST(SealedBody, WhatTheFormCannotSayExactlyHasNone) {
  for (const char* object :
       {R"({"metadata":{"nmae":"p"}})", R"({"metadata":{"name":5}})", R"({"metadata":[]})",
        R"({"metadata":{"creationTimestamp":"yesterday"}})", R"({"metadata":{"labels":{"a":null}}})",
        R"({"metadata":{"generation":1.5}})", R"({"spec":{"priority":2147483648}})", R"({"spec":{"containers":{}}})",
        R"({"spec":{"containers":[null]}})", R"({"spec":{"hostNetwork":"true"}})", R"({"spec":{"overhead":{"cpu":1}}})",
        R"({"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}})",
        R"({"metadata":{"managedFields":[{"fieldsV1":{"f:a":{}}}]}})"}) {
    EXPECT_EQ(back("core.v1.Pod", object), "no binary form") << object;
  }
  EXPECT_EQ(back("core.v1.Secret", R"({"data":{"k":"?"}})"), "no binary form");
  EXPECT_FALSE(protobuf_request_body(layout_of("core.v1.Pod"), text::Value("text")));
}

TEST(SealedBody, ABodyThatIsNestedTooDeepHasNone) {
  const std::string_view type = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
  const api::ProtobufMessage* layout = api::builtin_protobuf().find(type);
  ASSERT_NE(layout, nullptr);
  text::Value deep = text::Object{{"type", "object"}};
  for (size_t i = 0; i < 2 * api::kMaxProtobufDepth; ++i) deep = text::Object{{"not", std::move(deep)}};
  EXPECT_FALSE(protobuf_message(*layout, deep.get_object()));
}

TEST(BinaryKinds, EveryRowHasALayoutForBothWays) {
  for (const ProtobufKind& row : protobuf_kinds()) {
    api::Call call{.verb = api::Verb::Create};
    call.resource = {
        .group = std::string(row.group), .version = std::string(row.version), .plural = std::string(row.plural)};
    const api::ProtobufMessage* read = answer_layout(call);
    const api::ProtobufMessage* write = body_layout(call);
    ASSERT_NE(read, nullptr) << row.type;
    ASSERT_NE(write, nullptr) << row.type;
    EXPECT_EQ(read->name, row.type);
    EXPECT_FALSE(write->fields.empty());
  }
}

TEST(BinaryKinds, WhatIsNoObjectOfTheKindIsJson) {
  api::Call call{.verb = api::Verb::Create, .resource = {.group = "", .version = "v1", .plural = "pods"}};
  call.subresource = "binding";
  EXPECT_EQ(body_layout(call)->name, "io.k8s.api.core.v1.Binding");
  EXPECT_NE(answer_layout(call), nullptr);
  call.subresource = "log";
  EXPECT_EQ(body_layout(call), nullptr);
  EXPECT_EQ(answer_layout(call), nullptr);
  call.subresource = "";
  call.verb = api::Verb::Patch;
  EXPECT_EQ(body_layout(call), nullptr);
  EXPECT_NE(answer_layout(call), nullptr);
  call.verb = api::Verb::DeleteCollection;
  EXPECT_EQ(answer_layout(call), nullptr);
  call = {.verb = api::Verb::List,
          .resource = {.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"}};
  EXPECT_EQ(answer_layout(call), nullptr);
  call.resource = {.group = "", .version = "v2", .plural = "pods"};
  EXPECT_EQ(answer_layout(call), nullptr);
}

}  // namespace
}  // namespace basalt::client
