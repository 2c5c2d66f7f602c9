#include "kube/api/custom_resource_definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "kube/api/api_test_values.h"

namespace basalt::api {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

text::Object crd() {
  const auto value = text::parse_json(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"crontabs.stable.example.com"},
    "spec":{"group":"stable.example.com","scope":"Namespaced",
      "names":{"plural":"crontabs","kind":"CronTab","shortNames":["ct"]},
      "versions":[
        {"name":"v1","served":true,"storage":true,
         "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
             "properties":{"cron":{"type":"string"},"replicas":{"type":"integer"}}},
             "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}},
         "subresources":{"status":{},
           "scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},
         "additionalPrinterColumns":[{"name":"Cron","type":"string","jsonPath":".spec.cron","priority":1}],
         "selectableFields":[{"jsonPath":".spec.cron"}]},
        {"name":"v1beta1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}},
        {"name":"v1alpha1","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  EXPECT_TRUE(value.has_value());
  text::Object object = value->as_object();
  complete_crd(object);
  return object;
}

std::vector<std::string> wrong_with(const std::function<void(text::Object&)>& change) {
  text::Object object = crd();
  change(object);
  Causes causes;
  validate_crd_name(object, causes);
  validate_crd(object, causes);
  std::vector<std::string> found;
  for (const Cause& cause : causes.list()) found.push_back(cause.reason + " " + cause.field);
  return found;
}

text::Object& version_of(text::Object& object, size_t index) {
  return spec_of(object)["versions"].as_array()[index].as_object();
}

TEST(CustomResource, completes_names_conversion_and_stored_versions) {
  text::Object object = crd();
  const text::Object& names = spec_of(object)["names"].as_object();
  EXPECT_EQ(names.at("singular"), "crontab");
  EXPECT_EQ(names.at("listKind"), "CronTabList");
  EXPECT_EQ(text::to_json(spec_of(object)["conversion"]), R"({"strategy":"None"})");
  EXPECT_EQ(text::to_json(object["status"]), R"({"storedVersions":["v1"]})");
}

TEST(CustomResource, makes_a_row_for_each_served_version) {
  const auto rows = resources_of(crd());
  ASSERT_TRUE(rows.has_value()) << rows.error().message;
  ASSERT_EQ(rows->size(), 2U);
  const ApiResource& v1 = (*rows)[0];
  EXPECT_EQ(v1.api_version(), "stable.example.com/v1");
  EXPECT_EQ(v1.storage_name(), "crontabs.stable.example.com");
  EXPECT_EQ(v1.storage_version, "");
  EXPECT_EQ(v1.kind, "CronTab");
  EXPECT_EQ(v1.list_kind, "CronTabList");
  EXPECT_THAT(v1.short_names, ElementsAre("ct"));
  EXPECT_TRUE(v1.namespaced);
  EXPECT_TRUE(v1.custom);
  EXPECT_TRUE(v1.has_status);
  ASSERT_TRUE(v1.scale.has_value());
  EXPECT_EQ(v1.scale->spec_replicas, ".spec.replicas");
  ASSERT_EQ(v1.columns.size(), 1U);
  EXPECT_EQ(v1.columns[0].json_path, ".spec.cron");
  EXPECT_EQ(v1.columns[0].priority, 1);
  EXPECT_THAT(v1.selectable_fields, ElementsAre("spec.cron"));
  ASSERT_NE(v1.schema, nullptr);
  EXPECT_NE(v1.schema->find("spec"), nullptr);
  ASSERT_NE(v1.rules, nullptr);
  EXPECT_FALSE((*rows)[1].has_status);
  EXPECT_EQ((*rows)[1].storage_version, "v1");
  EXPECT_EQ((*rows)[1].schemas, v1.schemas);
}

TEST(CustomResource, a_bad_schema_gives_no_rows_but_causes) {
  text::Object object = crd();
  version_of(object, 1)["schema"] = text::Object{{"openAPIV3Schema", text::Object{}}};
  const auto rows = resources_of(object);
  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().code, 422);
  ASSERT_EQ(rows.error().causes.size(), 1U);
  EXPECT_EQ(rows.error().causes[0].field, "spec.versions[1].schema.openAPIV3Schema.type");
}

TEST(CustomResource, a_good_definition_is_valid) {
  EXPECT_THAT(wrong_with([](text::Object&) {}), IsEmpty());
}

TEST(CustomResource, names_and_group) {
  EXPECT_THAT(wrong_with([](text::Object& o) { o["metadata"].as_object()["name"] = "x"; }),
              ElementsAre("FieldValueInvalid metadata.name"));
  EXPECT_THAT(wrong_with([](text::Object& o) { spec_of(o)["group"] = "nodots"; }),
              ElementsAre("FieldValueInvalid metadata.name", "FieldValueInvalid spec.group"));
  EXPECT_THAT(wrong_with([](text::Object& o) { spec_of(o)["names"].as_object()["kind"] = "Cron Tab"; }),
              ElementsAre("FieldValueInvalid spec.names.kind"));
  EXPECT_THAT(wrong_with([](text::Object& o) { spec_of(o)["names"].as_object()["listKind"] = "CronTab"; }),
              ElementsAre("FieldValueInvalid spec.names.listKind"));
  EXPECT_THAT(wrong_with([](text::Object& o) { spec_of(o)["names"].as_object()["shortNames"] = text::Array{"C T"}; }),
              ElementsAre("FieldValueInvalid spec.names.shortNames[0]"));
  EXPECT_THAT(wrong_with([](text::Object& o) { spec_of(o)["scope"] = "Galaxy"; }),
              ElementsAre("FieldValueNotSupported spec.scope"));
  EXPECT_THAT(wrong_with([](text::Object& o) {
                spec_of(o)["group"] = "x.k8s.io";
                o["metadata"].as_object()["name"] = "crontabs.x.k8s.io";
              }),
              ElementsAre("FieldValueRequired metadata.annotations[api-approved.kubernetes.io]"));
}

TEST(CustomResource, versions) {
  EXPECT_THAT(wrong_with([](text::Object& o) { version_of(o, 1)["storage"] = true; }),
              ElementsAre("FieldValueInvalid spec.versions", "FieldValueInvalid status.storedVersions"));
  EXPECT_THAT(wrong_with([](text::Object& o) { version_of(o, 1)["name"] = "v1"; }),
              ElementsAre("FieldValueInvalid spec.versions"));
  EXPECT_THAT(wrong_with([](text::Object& o) { version_of(o, 1)["name"] = "1"; }),
              ElementsAre("FieldValueInvalid spec.versions[1].name"));
  EXPECT_THAT(wrong_with([](text::Object& o) { version_of(o, 2).erase("schema"); }),
              ElementsAre("FieldValueRequired spec.versions[2].schema.openAPIV3Schema"));
  EXPECT_THAT(wrong_with([](text::Object& o) { version_of(o, 0)["deprecationWarning"] = "old"; }),
              ElementsAre("FieldValueInvalid spec.versions[0].deprecationWarning"));
  EXPECT_THAT(wrong_with([](text::Object& o) { spec_of(o)["versions"] = text::Array{}; }),
              ElementsAre("FieldValueInvalid spec.versions", "FieldValueInvalid status.storedVersions[0]"));
  EXPECT_THAT(wrong_with([](text::Object& o) { o.erase("status"); }),
              ElementsAre("FieldValueInvalid status.storedVersions"));
}

TEST(CustomResource, columns_subresources_and_selectable_fields) {
  EXPECT_THAT(wrong_with([](text::Object& o) {
                version_of(o, 0)["additionalPrinterColumns"] = text::Array{text::Object{{"type", "text"}}};
              }),
              ElementsAre("FieldValueRequired spec.versions[0].additionalPrinterColumns[0].name",
                          "FieldValueInvalid spec.versions[0].additionalPrinterColumns[0].type",
                          "FieldValueRequired spec.versions[0].additionalPrinterColumns[0].JSONPath"));
  EXPECT_THAT(wrong_with([](text::Object& o) {
                version_of(o, 0)["subresources"].as_object()["scale"] = text::Object{{"specReplicasPath", ".status.x"}};
              }),
              ElementsAre("FieldValueInvalid spec.versions[0].subresources.scale.specReplicasPath",
                          "FieldValueRequired spec.versions[0].subresources.scale.statusReplicasPath"));
  EXPECT_THAT(wrong_with([](text::Object& o) {
                version_of(o, 0)["selectableFields"] =
                    text::Array{text::Object{{"jsonPath", ".spec.none"}}, text::Object{{"jsonPath", ".spec"}}};
              }),
              ElementsAre("FieldValueInvalid spec.versions[0].selectableFields[0].jsonPath",
                          "FieldValueInvalid spec.versions[0].selectableFields[1].jsonPath"));
}

TEST(CustomResource, what_all_versions_share_is_named_at_spec) {
  EXPECT_THAT(wrong_with([](text::Object& o) {
                version_of(o, 0)["schema"] = text::Object{{"openAPIV3Schema", text::Object{{"type", "string"}}}};
                spec_of(o)["versions"].as_array().resize(1);
                version_of(o, 0).erase("subresources");
                version_of(o, 0).erase("selectableFields");
              }),
              ElementsAre("FieldValueInvalid spec.validation.openAPIV3Schema.type"));
}

TEST(CustomResource, updates_keep_what_names_objects) {
  text::Object old = crd();
  text::Object next = old;
  spec_of(next)["scope"] = "Cluster";
  Causes causes;
  validate_crd_update(next, old, causes);
  EXPECT_TRUE(causes.empty());
  old["status"] = text::Object{{"conditions", text::Array{text::Object{{"type", "Established"}, {"status", "True"}}}}};
  validate_crd_update(next, old, causes);
  ASSERT_EQ(causes.list().size(), 1U);
  EXPECT_EQ(causes.list()[0].field, "spec.scope");
}

TEST(CustomResource, survives_definitions_without_anything) {
  text::Object empty;
  Causes causes;
  validate_crd(empty, causes);
  validate_crd_name(empty, causes);
  EXPECT_FALSE(causes.empty());
  EXPECT_TRUE(resources_of(empty).has_value());
  complete_crd(empty);
}

}  // namespace
}  // namespace basalt::api
