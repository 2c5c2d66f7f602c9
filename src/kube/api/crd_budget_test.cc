// Definitions and objects that are small as text and large as work: each is refused by a bound that names its place, or
// costs no more than its text.
#include "kube/api/crd_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/api/api_test_values.h"
#include "kube/api/custom_resource_definition.h"
#include "kube/api/schema/pattern.h"

namespace basalt::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

text::Value version_of(const std::string& schema, const std::string& name = "v1") {
  return text::parse_json(R"({"name":")" + name + R"(","served":true,"storage":true,"schema":{"openAPIV3Schema":)" +
                          schema + "}}")
      .value();
}

text::Object definition(text::Array versions) {
  text::Object crd = text::parse_json(R"({"metadata":{"name":"bs.x.io"},"spec":{"group":"x.io","scope":"Namespaced",
      "names":{"plural":"bs","singular":"b","kind":"B","listKind":"BList"}},"status":{"storedVersions":["v1"]}})")
                         .value()
                         .get_object();
  crd["spec"].get_object()["versions"] = std::move(versions);
  return crd;
}

// "": it is fine; otherwise the first complaint.
std::string complaint(text::Array versions) {
  Causes causes;
  validate_crd(definition(std::move(versions)), causes);
  return causes.empty() ? "" : causes.list().front().field + ": " + causes.list().front().message;
}
std::string complaint(const std::string& schema) { return complaint(text::Array{version_of(schema)}); }

std::string with_patterns(size_t count, const std::function<std::string(size_t)>& pattern) {
  std::string schema = R"({"type":"object","properties":{)";
  for (size_t i = 0; i < count; ++i) {
    schema += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + R"(":{"type":"string","pattern":")" + pattern(i) + "\"}";
  }
  return schema + "}}";
}

TEST(CrdBudget, BoundsSchemas) {
  const auto wide = [](size_t nodes) {
    return R"({"type":"object","properties":{"a":{"type":"string","allOf":[)" + repeated("{},", nodes) + "{}]}}}";
  };
  EXPECT_EQ(complaint(wide(20'000)), "");
  EXPECT_EQ(
      complaint(wide(kMaxSchemaNodes)),
      "spec.versions[0].schema.openAPIV3Schema.properties[a].allOf[99998]: Forbidden: the schemas of all versions "
      "together may have at most 100000 nodes: use x-kubernetes-preserve-unknown-fields for parts of it");
  // All versions together.
  text::Array versions;
  for (size_t i = 0; i < 11; ++i) versions.push_back(version_of(wide(10'000), "v" + std::to_string(i)));
  EXPECT_THAT(complaint(std::move(versions)), StartsWith("spec.versions[9].schema.openAPIV3Schema"));
}

TEST(CrdBudget, BoundsVersionsAndColumns) {
  text::Array versions;
  for (size_t i = 0; i <= kMaxDefinitionVersions; ++i) versions.push_back(version_of(R"({"type":"object"})"));
  EXPECT_EQ(complaint(std::move(versions)), "spec.versions: Too many: 51: must have at most 50 items");
  text::Value version = version_of(R"({"type":"object"})");
  const text::Value column = text::parse_json(R"({"name":"a","type":"string","jsonPath":".a"})").value();
  version.get_object()["additionalPrinterColumns"] = text::Array(kMaxPrinterColumns, column);
  EXPECT_EQ(complaint(text::Array{version}), "");
  version.get_object()["additionalPrinterColumns"].get_array().push_back(column);
  EXPECT_EQ(complaint(text::Array{version}),
            "spec.versions[0].additionalPrinterColumns: Too many: 101: must have at most 100 items");
}

TEST(CrdBudget, BoundsPatterns) {
  const auto plain = [](size_t i) { return "^[a-z" + std::to_string(i) + "]+$"; };
  EXPECT_EQ(complaint(with_patterns(1'000, plain)), "");
  EXPECT_THAT(complaint(with_patterns(3'000, plain)),
              HasSubstr("the patterns of all versions together are too large when compiled"));
  // Each is a few bytes and tens of thousands of instructions.
  EXPECT_THAT(
      complaint(with_patterns(50, [](size_t i) { return "(.{900}|" + std::to_string(i) + "){1}.{900}.{900}"; })),
      HasSubstr("pattern: Forbidden: the patterns of all versions together"));
  // Too large for a pattern alone: after a few of them nothing more is tried.
  EXPECT_THAT(complaint(with_patterns(50, [](size_t i) { return R"((\\pL{500})(\\pL{500}))" + std::to_string(i); })),
              StartsWith("spec.versions[0].schema.openAPIV3Schema.properties[p2].pattern: Forbidden"));
  // The same pattern many times is one.
  EXPECT_EQ(complaint(with_patterns(5'000, [](size_t) { return "^.{500}$"; })), "");
}

TEST(CrdBudget, PatternsAreCompiledWhenTheyAreUsed) {
  const auto rows = resources_of(
      definition({version_of(with_patterns(2, [](size_t i) { return "^[a-c]" + std::to_string(i) + "$"; }))}));
  ASSERT_TRUE(rows);
  const Schema& schema = *rows->front().schema;
  const Pattern& first = *schema.find("p0")->type->limits->matcher;
  const Pattern& second = *schema.find("p1")->type->limits->matcher;
  EXPECT_FALSE(first.is_compiled());
  EXPECT_TRUE(first.matches("b0"));
  EXPECT_FALSE(first.matches("b1"));
  EXPECT_TRUE(first.is_compiled());
  EXPECT_FALSE(second.is_compiled());
}

TEST(CrdBudget, KeysOfListMapsAreReadOnce) {
  std::string keys, properties;
  for (size_t i = 0; i < 20'000; ++i) {
    const std::string name = "\"k" + std::to_string(i) + "\"";
    keys += (i == 0 ? "" : ",") + name;
    properties += (i == 0 ? "" : ",") + name + R"(:{"type":"string"})";
  }
  const auto list_map = [&](const std::string& listed) {
    return R"({"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map",
        "x-kubernetes-list-map-keys":[)" +
           listed + R"(],"items":{"type":"object","required":[)" + keys + R"(],"properties":{)" + properties + "}}}}}";
  };
  EXPECT_EQ(complaint(list_map(keys)), "");
  // Each complaint shows all keys: after 200 there is no more to say.
  Causes causes;
  validate_crd(definition({version_of(list_map(repeated("\"k0\",", 5'000) + "\"k0\""))}), causes);
  EXPECT_FALSE(causes.empty());
  EXPECT_LE(causes.list().size(), 201U);
  for (const Cause& cause : causes.list()) EXPECT_LT(cause.message.size(), 17'000U);
}

}  // namespace
}  // namespace basalt::api
