// No write makes an object larger than the store is meant for, whatever way it takes; and what is too large can still
// be made smaller and deleted.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/text/text_test_values.h"
#include "server/api_server.h"
#include "server/in_process_client.h"
#include "server/rest/commit.h"

namespace basalt::server {
namespace {

constexpr size_t kLong = kMaxObjectBytes + 1;

using text::json;

class ObjectSize : public ::testing::Test {
 protected:
  ObjectSize() {
    EXPECT_EQ(create("namespaces", "", json(R"({"metadata":{"name":"a"}})")), 0);
    api::Call define{
        .verb = api::Verb::Create,
        .resource = {.group = "apiextensions.k8s.io", .version = "v1", .plural = "customresourcedefinitions"},
        .body = json(R"({"metadata":{"name":"bags.x.io"},"spec":{"group":"x.io","scope":"Namespaced",
          "names":{"plural":"bags","singular":"bag","kind":"Bag","listKind":"BagList"},"versions":[{"name":"v1",
          "served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object",
          "properties":{"spec":{"type":"object","properties":{"text":{"type":"string"},"filled":{"type":"array",
          "items":{"type":"object","properties":{"d":{"type":"string","default":"0123456789012345678901234567890"}}}}}},
          "status":{"type":"object","properties":{"text":{"type":"string"}}}}}}}]}})")};
    EXPECT_EQ(answer(std::move(define)), 0);
    EXPECT_EQ(answer(bag_call(api::Verb::Create, "", bag("small", 10))), 0);
  }

  static text::Value bag(std::string_view name, size_t length) {
    return text::Object{{"apiVersion", "x.io/v1"},
                        {"kind", "Bag"},
                        {"metadata", text::Object{{"name", name}}},
                        {"spec", text::Object{{"text", std::string(length, 'x')}}}};
  }

  static api::Call bag_call(api::Verb verb, std::string name, text::Value body) {
    return {.verb = verb,
            .resource = {.group = "x.io", .version = "v1", .plural = "bags"},
            .namespace_name = "a",
            .name = std::move(name),
            .body = std::move(body)};
  }

  // A PUT of a custom kind says which version it was made from.
  api::Call update_call(std::string name, text::Value body) {
    const store::RecordPtr latest = store_->latest("bags.x.io", "a/" + name);
    api::metadata_of(body.get_object())["resourceVersion"] = std::to_string(latest->revision());
    return bag_call(api::Verb::Update, std::move(name), std::move(body));
  }

  static api::Call patch_call(api::PatchType type, text::Value body) {
    api::Call call = bag_call(api::Verb::Patch, "small", std::move(body));
    call.patch = type;
    call.field_manager = "m";
    call.force = type == api::PatchType::Apply;
    return call;
  }

  // 0: done; otherwise the code of the refusal. What is refused as too large says what to do.
  int answer(api::Call call) {
    const auto outcome = client_.call(std::move(call));
    if (outcome) return 0;
    if (outcome.error().code == 413) {
      EXPECT_NE(outcome.error().message.find(": shorten its lists"), std::string::npos) << outcome.error().message;
    }
    return outcome.error().code;
  }
  int create(std::string plural, std::string ns, text::Value body) {
    return answer({.verb = api::Verb::Create,
                   .resource = {.group = "", .version = "v1", .plural = std::move(plural)},
                   .namespace_name = std::move(ns),
                   .body = std::move(body)});
  }
  size_t stored_bytes(std::string_view name) {
    const store::RecordPtr record = store_->latest("bags.x.io", "a/" + std::string(name));
    return record == nullptr ? 0 : record->bytes().size();
  }

  std::unique_ptr<store::Store> store_ = store::Store::in_memory();
  ApiServer server_{*store_, {.clock = [] { return Instant::from_unix_seconds(1'800'000'000); }, .seed = 1}};
  InProcessClient client_{server_, {.name = "tester"}, "test"};
};

TEST_F(ObjectSize, IsBoundedOnEveryWayIn) {
  const text::Value long_text(std::string(kLong, 'x'));
  EXPECT_EQ(answer(bag_call(api::Verb::Create, "", bag("large", kLong))), 413);
  EXPECT_EQ(answer(update_call("small", bag("small", kLong))), 413);
  EXPECT_EQ(answer(patch_call(api::PatchType::Merge, text::Object{{"spec", text::Object{{"text", long_text}}}})), 413);
  EXPECT_EQ(answer(patch_call(api::PatchType::Json,
                              text::Array{text::Object{{"op", "add"}, {"path", "/spec/text"}, {"value", long_text}}})),
            413);
  EXPECT_EQ(answer(patch_call(api::PatchType::Apply, bag("small", kLong))), 413);
  api::Call created_by_apply = patch_call(api::PatchType::Apply, bag("other", kLong));
  created_by_apply.name = "other";
  EXPECT_EQ(answer(std::move(created_by_apply)), 413);
  text::Value with_status = bag("small", 10);
  with_status.get_object()["status"] = text::Object{{"text", long_text}};
  api::Call status = update_call("small", with_status);
  status.subresource = "status";
  EXPECT_EQ(answer(std::move(status)), 413);
  api::Call dry = bag_call(api::Verb::Create, "", bag("large", kLong));
  dry.dry_run = true;
  EXPECT_EQ(answer(std::move(dry)), 413);
  // Defaults: 50,000 times 3 bytes become 2 MB.
  text::Value filled = bag("filled", 10);
  filled.get_object()["spec"].get_object()["filled"] = text::Array(50'000, text::Object());
  EXPECT_EQ(answer(bag_call(api::Verb::Create, "", std::move(filled))), 413);
  EXPECT_EQ(stored_bytes("large"), 0U);
  EXPECT_LT(stored_bytes("small"), 1'000U);
}

TEST_F(ObjectSize, TwoHalvesThatFitAloneDoNotFitTogether) {
  const std::string half(kMaxObjectBytes / 2, 'x');
  EXPECT_EQ(answer(update_call("small", bag("small", half.size()))), 0);
  api::Call status = patch_call(api::PatchType::Merge, text::Object{{"status", text::Object{{"text", half}}}});
  status.subresource = "status";
  EXPECT_EQ(answer(std::move(status)), 413);
}

TEST_F(ObjectSize, ABuiltInKindIsBoundedToo) {
  const text::Value pod(text::Object{
      {"metadata", text::Object{{"name", "p"}}},
      {"spec", text::Object{{"containers",
                             text::Array{text::Object{
                                 {"name", "c"}, {"image", "i"}, {"args", text::Array{std::string(kLong, 'x')}}}}}}}});
  EXPECT_EQ(create("pods", "a", pod), 413);
}

TEST_F(ObjectSize, WhatIsAtTheLimitCanBeDeleted) {
  text::Value full = bag("full", 10);
  full.get_object()["metadata"].get_object()["finalizers"] = text::Array{"x.io/hold"};
  ASSERT_EQ(answer(bag_call(api::Verb::Create, "", full)), 0);
  const size_t rest = kMaxObjectBytes - stored_bytes("full");
  full.get_object()["spec"].get_object()["text"] = std::string(10 + rest - 50, 'x');
  ASSERT_EQ(answer(update_call("full", full)), 0);
  ASSERT_GT(stored_bytes("full"), kMaxObjectBytes - 100);
  EXPECT_EQ(answer(bag_call(api::Verb::Delete, "full", nullptr)), 0);
  EXPECT_GT(stored_bytes("full"), kMaxObjectBytes - 100);  // marked, and held by its finalizer
  api::Call released = patch_call(api::PatchType::Merge, json(R"({"metadata":{"finalizers":null}})"));
  released.name = "full";
  EXPECT_EQ(answer(std::move(released)), 0);
  EXPECT_EQ(stored_bytes("full"), 0U);
}

TEST_F(ObjectSize, WhatIsTooLargeAlreadyMayBecomeSmaller) {
  const store::RecordPtr small = store_->latest("bags.x.io", "a/small");
  text::Value large = small->copy_object();
  large.get_object()["spec"].get_object()["text"] = std::string(2 * kMaxObjectBytes, 'x');
  api::metadata_of(large.get_object()).erase("resourceVersion");
  std::string bytes = text::to_json(large);  // as an earlier version would have stored it
  const size_t version_at = bytes.find("\"metadata\":{") + std::string_view("\"metadata\":{").size();
  ASSERT_TRUE(store_->write({.address = {.resource = "bags.x.io", .key = "a/small"},
                             .expected = small->revision(),
                             .bytes = std::move(bytes),
                             .version_at = static_cast<uint32_t>(version_at)},
                            [](const store::StoreResult<store::RecordPtr>&) {}));
  EXPECT_EQ(answer(patch_call(api::PatchType::Merge, json(R"({"metadata":{"labels":{"a":"b"}}})"))), 413);
  const text::Value shorter(std::string(kMaxObjectBytes + 1'000, 'x'));
  EXPECT_EQ(answer(patch_call(api::PatchType::Merge, text::Object{{"spec", text::Object{{"text", shorter}}}})), 0);
  EXPECT_EQ(answer(bag_call(api::Verb::Delete, "small", nullptr)), 0);
  EXPECT_EQ(stored_bytes("small"), 0U);
}

}  // namespace
}  // namespace basalt::server
