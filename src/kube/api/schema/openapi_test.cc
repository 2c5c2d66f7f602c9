#include "kube/api/schema/openapi.h"

#include <gtest/gtest.h>

#include "kube/api/api_test_values.h"
#include "kube/api/schema/structural.h"

namespace basalt::api {
namespace {

TEST(OpenApi, refers_to_named_types_and_marks_lists) {
  SchemaSet set;
  Schema& text = set.add("");
  text.shape = Shape::String;
  Schema& port = set.add("io.example.Port");
  port.shape = Shape::Object;
  port.fields = {{.name = "name", .type = &text, .required = true, .fallback = text::Value("x")}};
  Schema& ports = set.add("");
  ports.shape = Shape::List;
  ports.element = &port;
  ports.list_type = ListType::Map;
  ports.list_keys = {"name"};
  Schema& root = set.add("io.example.Root");
  root.shape = Shape::Object;
  root.fields = {{.name = "main", .type = &port, .description = "The first."},
                 {.name = "ports", .type = &ports, .patch_merge = true, .patch_merge_key = "name"}};
  EXPECT_EQ(openapi_of(root), json(R"({"type":"object","properties":{
      "main":{"description":"The first.","allOf":[{"$ref":"#/components/schemas/io.example.Port"}]},
      "ports":{"type":"array","items":{"$ref":"#/components/schemas/io.example.Port"},
               "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
               "x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"name"}}})"));
  EXPECT_EQ(openapi_of(port),
            json(R"({"type":"object","properties":{"name":{"type":"string","default":"x"}},"required":["name"]})"));
}

TEST(OpenApi, writes_back_what_a_crd_says) {
  const text::Value spec = json(R"({"type":"object","description":"d","required":["a"],"properties":{
      "a":{"type":"string","enum":["x","y"],"pattern":"^.$","maxLength":3,"nullable":true},
      "b":{"type":"integer","minimum":0},"c":{"type":"integer","format":"int32"},
      "d":{"type":"object","additionalProperties":{"type":"string"}},
      "e":{"x-kubernetes-preserve-unknown-fields":true},"f":{"x-kubernetes-int-or-string":true},
      "g":{"type":"object","anyOf":[{"required":["h"]}]},
      "i":{"type":"string","x-kubernetes-validations":[{"rule":"self != ''","message":"say something"}]}}})");
  SchemaSet set;
  Causes causes;
  const Schema* schema = compile_structural(
      text::Object{{"type", "object"}, {"properties", text::Object{{"spec", spec}}}}, set, causes, "");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(openapi_of(*schema->find("spec")->type), spec);
}

TEST(OpenApi, describes_every_built_in_type) {
  for (const auto& [name, schema] : builtin_schemas().by_name()) {
    EXPECT_TRUE(openapi_of(*schema).is_object()) << name;
  }
}

}  // namespace
}  // namespace basalt::api
