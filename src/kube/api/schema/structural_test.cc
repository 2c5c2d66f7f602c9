#include "kube/api/schema/structural.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/api/api_test_values.h"
#include "kube/api/schema/defaults.h"
#include "kube/api/schema/normalize.h"
#include "kube/api/schema/validate.h"
#include "kube/text/json.h"

namespace basalt::api {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> listed(const Causes& causes) {
  std::vector<std::string> found;
  for (const Cause& cause : causes.list()) found.push_back(cause.reason + " " + cause.field);
  return found;
}

// The complaints about a schema whose property `x` is the given text.
std::vector<std::string> about(std::string_view x) {
  SchemaSet set;
  Causes causes;
  const text::Value schema = json(R"({"type":"object","properties":{"x":)" + std::string(x) + "}}");
  const Schema* compiled = compile_structural(schema, set, causes, "s");
  EXPECT_EQ(compiled != nullptr, causes.empty());
  return listed(causes);
}

std::vector<std::string> about_root(std::string_view schema) {
  SchemaSet set;
  Causes causes;
  (void)compile_structural(json(schema), set, causes, "s");
  return listed(causes);
}

TEST(Structural, every_level_needs_a_type) {
  EXPECT_THAT(about_root("{}"), ElementsAre("FieldValueRequired s.type"));
  EXPECT_THAT(about_root(R"({"type":"string"})"), ElementsAre("FieldValueInvalid s.type"));
  EXPECT_THAT(about_root("5"), ElementsAre("FieldValueRequired s"));
  EXPECT_THAT(about(R"({"description":"?"})"), ElementsAre("FieldValueRequired s.properties[x].type"));
  EXPECT_THAT(about(R"({"type":"array"})"), ElementsAre("FieldValueRequired s.properties[x].items"));
  EXPECT_THAT(about(R"({"type":"array","items":{}})"), ElementsAre("FieldValueRequired s.properties[x].items.type"));
  EXPECT_THAT(about(R"({"type":"array","items":[{"type":"string"}]})"),
              Contains("FieldValueForbidden s.properties[x].items"));
  EXPECT_THAT(about(R"({"type":"text"})"), ElementsAre("FieldValueNotSupported s.properties[x].type"));
  EXPECT_THAT(about(R"({"x-kubernetes-preserve-unknown-fields":true})"), IsEmpty());
  EXPECT_THAT(about(R"({"x-kubernetes-int-or-string":true})"), IsEmpty());
}

TEST(Structural, junctors_only_validate) {
  EXPECT_THAT(about(R"({"type":"object","anyOf":[{"required":["a"]},{"properties":{"b":{"minLength":1}}}],
                        "properties":{"b":{"type":"string"}}})"),
              IsEmpty());
  EXPECT_THAT(about(R"({"type":"string","anyOf":[{"type":"string"}]})"),
              ElementsAre("FieldValueForbidden s.properties[x].anyOf[0].type"));
  EXPECT_THAT(about(R"({"type":"string","not":{"default":"a","nullable":true}})"),
              ::testing::UnorderedElementsAre("FieldValueForbidden s.properties[x].not.default",
                                              "FieldValueForbidden s.properties[x].not.nullable"));
  EXPECT_THAT(about(R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})"),
              IsEmpty());
  EXPECT_THAT(about(R"({"x-kubernetes-int-or-string":true,
                        "allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"pattern":"^a"}]})"),
              IsEmpty());
  EXPECT_THAT(about_root(R"({"type":"object","allOf":[{"properties":{"y":{"minLength":1}}}]})"),
              ElementsAre("FieldValueRequired s.properties[y]"));
}

TEST(Structural, refuses_keywords) {
  EXPECT_THAT(about(R"({"type":"string","$ref":"#/x"})"), ElementsAre("FieldValueForbidden s.properties[x].$ref"));
  EXPECT_THAT(about(R"({"type":"array","items":{"type":"string"},"uniqueItems":true})"),
              ElementsAre("FieldValueForbidden s.properties[x].uniqueItems"));
  EXPECT_THAT(about(R"({"type":"string","pattern":"("})"), ElementsAre("FieldValueInvalid s.properties[x].pattern"));
  EXPECT_THAT(about(R"({"type":"string","pattern":"(?=a)b"})"),
              ElementsAre("FieldValueInvalid s.properties[x].pattern"));
  EXPECT_THAT(
      about(R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}})"),
      ElementsAre("FieldValueForbidden s.properties[x].additionalProperties"));
  EXPECT_THAT(about(R"({"type":"object","x-kubernetes-preserve-unknown-fields":false})"),
              ElementsAre("FieldValueInvalid s.properties[x].x-kubernetes-preserve-unknown-fields"));
  EXPECT_THAT(
      about_root(R"({"type":"object","nullable":true,"additionalProperties":true})"),
      ::testing::UnorderedElementsAre("FieldValueForbidden s.additionalProperties", "FieldValueForbidden s.nullable"));
  EXPECT_THAT(about_root(R"({"type":"object","properties":{"metadata":{"type":"object","properties":{"labels":
                             {"type":"object"}}}}})"),
              ElementsAre("FieldValueForbidden s.properties[metadata]"));
}

TEST(Structural, list_types) {
  EXPECT_THAT(about(R"({"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"map"})"),
              ElementsAre("FieldValueRequired s.properties[x].x-kubernetes-list-map-keys"));
  EXPECT_THAT(about(R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
                        "items":{"type":"object","properties":{"k":{"type":"string"}}}})"),
              ElementsAre("FieldValueRequired s.properties[x].items.properties[k].default"));
  EXPECT_THAT(about(R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
                        "items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}})"),
              IsEmpty());
  EXPECT_THAT(about(R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"}})"),
              ElementsAre("FieldValueInvalid s.properties[x].items.x-kubernetes-map-type"));
  EXPECT_THAT(about(R"({"type":"array","x-kubernetes-list-type":"bag","items":{"type":"string"}})"),
              ElementsAre("FieldValueNotSupported s.properties[x].x-kubernetes-list-type"));
  EXPECT_THAT(about(R"({"type":"object","x-kubernetes-list-type":"set"})"),
              ElementsAre("FieldValueInvalid s.properties[x].type"));
}

TEST(Structural, embedded_resources) {
  EXPECT_THAT(about(R"({"type":"object","x-kubernetes-embedded-resource":true})"),
              ElementsAre("FieldValueRequired s.properties[x].properties"));
  EXPECT_THAT(about(R"({"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true})"),
              ElementsAre("FieldValueRequired s.properties[x].type"));
  EXPECT_THAT(about(R"({"type":"object","x-kubernetes-embedded-resource":true,
                        "x-kubernetes-preserve-unknown-fields":true})"),
              IsEmpty());
}

TEST(Structural, defaults_must_be_valid_and_known) {
  EXPECT_THAT(about(R"({"type":"integer","default":"a"})"),
              ElementsAre("FieldValueTypeInvalid s.properties[x].default"));
  EXPECT_THAT(about(R"({"type":"object","default":{"a":1}})"),
              ElementsAre("FieldValueInvalid s.properties[x].default"));
  EXPECT_THAT(about(R"({"type":"string","enum":["a"],"default":"b"})"),
              ElementsAre("FieldValueNotSupported s.properties[x].default"));
  EXPECT_THAT(about_root(R"({"type":"object","properties":{"kind":{"type":"string","default":"K"}}})"),
              ElementsAre("FieldValueForbidden s.properties[kind].default"));
}

TEST(Structural, deep_schemas_are_refused) {
  text::Value schema = json(R"({"type":"string"})");
  for (size_t i = 0; i < 95; ++i) {
    schema = text::Object{{"type", "array"}, {"items", std::move(schema)}};
  }
  schema = text::Object{{"type", "object"}, {"properties", text::Object{{"x", schema}}}};
  SchemaSet set;
  Causes causes;
  EXPECT_NE(compile_structural(schema, set, causes, "s"), nullptr);
  for (size_t i = 0; i < 10; ++i) {
    schema = text::Object{{"type", "object"}, {"properties", text::Object{{"x", std::move(schema)}}}};
  }
  EXPECT_EQ(compile_structural(schema, set, causes, "s"), nullptr);
}

// A whole way: compile, prune, fill, check.
TEST(Structural, compiled_schemas_prune_fill_and_check) {
  SchemaSet set;
  Causes causes;
  const Schema* schema = compile_structural(json(R"({"type":"object","required":["spec"],"properties":{
      "spec":{"type":"object","properties":{
        "replicas":{"type":"integer","format":"int32","minimum":0,"default":1},
        "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port"],
                 "items":{"type":"object","required":["port"],"properties":{"port":{"type":"integer"},
                          "protocol":{"type":"string","default":"TCP","enum":["TCP","UDP"]}}}},
        "template":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
        "max":{"x-kubernetes-int-or-string":true}}}}})"),
                                            set, causes, "s");
  ASSERT_NE(schema, nullptr) << ::testing::PrintToString(listed(causes));
  EXPECT_NE(schema->find("metadata"), nullptr);
  text::Value object = json(R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"n","creationTimestamp":null},
      "spec":{"ports":[{"port":80,"x":1}],"template":{"apiVersion":"v1","kind":"Pod","free":{"a":1}},"max":"10%"}})");
  const auto unknown = normalize_custom(*schema, object);
  ASSERT_TRUE(unknown.has_value()) << unknown.error().message;
  EXPECT_THAT(*unknown, ElementsAre("spec.ports[0].x"));
  EXPECT_TRUE(apply_defaults(*schema, object));
  EXPECT_EQ(object, json(R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"n"},
      "spec":{"replicas":1,"ports":[{"port":80,"protocol":"TCP"}],
              "template":{"apiVersion":"v1","kind":"Pod","free":{"a":1}},"max":"10%"}})"));
  validate_value(*schema, object, causes);
  EXPECT_THAT(listed(causes), IsEmpty());
  validate_value(*schema, json(R"({"spec":{"replicas":-1,"ports":[{"port":1},{"port":1,"protocol":"tcp"},{}],
                                   "template":{"kind":""},"max":true}})"),
                 causes);
  EXPECT_THAT(listed(causes), ::testing::UnorderedElementsAre(
                                  "FieldValueInvalid spec.replicas", "FieldValueNotSupported spec.ports[1].protocol",
                                  "FieldValueRequired spec.ports[2].port", "FieldValueDuplicate spec.ports[1]",
                                  "FieldValueRequired spec.template.apiVersion", "FieldValueInvalid spec.template.kind",
                                  "FieldValueTypeInvalid spec.max"));
}

TEST(Structural, what_a_crd_says_about_metadata_name_holds) {
  SchemaSet set;
  Causes causes;
  const Schema* schema = compile_structural(json(R"({"type":"object","properties":{"metadata":{"type":"object",
      "properties":{"name":{"type":"string","pattern":"^a"}}}}})"),
                                            set, causes, "s");
  ASSERT_NE(schema, nullptr);
  validate_value(*schema, json(R"({"metadata":{"name":"b","labels":{"x":"y"}}})"), causes);
  EXPECT_THAT(listed(causes), ElementsAre("FieldValueInvalid metadata.name"));
}

}  // namespace
}  // namespace basalt::api
