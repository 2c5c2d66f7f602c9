#include "server/openapi_documents.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "server/kubernetes_version.h"

namespace basalt::server {
namespace {

// All built-in kinds and one of a CustomResourceDefinition, with the built-in type `spec` inside.
api::ApiResourceTable table_with(const std::string& description = "A widget.") {
  auto types = std::make_shared<api::SchemaSet>();
  api::Schema& text = types->add("");
  text.shape = api::Shape::String;
  api::Schema& spec = types->add("");
  spec.shape = api::Shape::Object;
  spec.fields.push_back({.name = "colour", .type = &text, .description = "Its colour."});
  api::Schema& widget = types->add("");
  widget.shape = api::Shape::Object;
  widget.description = description;
  const api::Schema* meta = api::builtin_schemas().find("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  widget.fields.push_back({.name = "metadata", .type = meta});
  widget.fields.push_back({.name = "spec", .type = &spec});

  api::ApiResource resource;
  resource.group = "shapes.example.com";
  resource.version = "v1alpha1";
  resource.kind = "Widget";
  resource.list_kind = "WidgetList";
  resource.plural = "widgets";
  resource.singular = "widget";
  resource.has_status = true;
  resource.scale = api::ScalePaths{};
  resource.custom = true;
  resource.schema = &widget;
  resource.schemas = types;
  resource.rules = api::rules_of("", "");
  std::vector<api::ApiResource> rows = api::builtin_resources();
  rows.push_back(resource);
  return api::ApiResourceTable(std::move(rows));
}

constexpr std::string_view kCustomPath = "apis/shapes.example.com/v1alpha1";

// Every "$ref" below `value`, and whether any schema is empty where explain would trip over it.
void collect(const text::Value& value, std::set<std::string>& references) {
  if (const auto* list = value.if_array()) {
    for (const text::Value& element : *list) collect(element, references);
  }
  const auto* object = value.if_object();
  if (object == nullptr) return;
  for (const auto& [key, member] : *object) {
    if (key == "$ref" && member.is_string()) references.emplace(member.get_string());
    if (const auto* fields = member.if_object(); fields != nullptr && key == "properties") {
      for (const auto& [name, schema] : *fields) EXPECT_NE(schema, text::Value(text::Object{})) << name;
    }
    collect(member, references);
  }
}

TEST(OpenApi, EveryReferenceOfEveryDocumentLeadsToASchema) {
  const api::ApiResourceTable table = table_with();
  const text::Value index = openapi_index(table);
  EXPECT_GT(index.at("paths").as_object().size(), 8U);
  for (const auto& [path, entry] : index.at("paths").as_object()) {
    const auto document = openapi_document(table, path);
    ASSERT_TRUE(document.has_value()) << path;
    const text::Object& schemas = document->at("components").at("schemas").as_object();
    std::set<std::string> references;
    collect(*document, references);
    for (const std::string& reference : references) {
      constexpr std::string_view kPrefix = "#/components/schemas/";
      ASSERT_TRUE(reference.starts_with(kPrefix)) << reference;
      EXPECT_TRUE(schemas.contains(reference.substr(kPrefix.size()))) << path << ": " << reference;
    }
  }
}

TEST(OpenApi, EveryKindIsMarkedAndHasItsPatchOperation) {
  const api::ApiResourceTable table = table_with();
  for (const api::ApiResource& row : table.rows()) {
    const std::string base = row.group.empty() ? "api/v1" : "apis/" + row.group + "/" + row.version;
    const auto document = openapi_document(table, base);
    ASSERT_TRUE(document.has_value()) << base;
    const text::Object mark{{"group", row.group}, {"kind", row.kind}, {"version", row.version}};
    size_t marked = 0;
    for (const auto& [name, schema] : document->at("components").at("schemas").as_object()) {
      const text::Value* marks = text::find_member(schema, "x-kubernetes-group-version-kind");
      if (marks != nullptr && marks->at(0) == mark) ++marked;
    }
    EXPECT_EQ(marked, 1U) << row.kind;
    if (!row.verbs.empty() && row.verbs.size() == 1) continue;  // reviews are only created
    const std::string path = "/" + base + (row.namespaced ? "/namespaces/{namespace}/" : "/") + row.plural + "/{name}";
    const text::Value* one = text::find_member(document->at("paths"), path);
    ASSERT_NE(one, nullptr) << path;
    const text::Value& patch = one->at("patch");
    std::set<std::string> parameters;
    for (const text::Value& parameter : patch.at("parameters").as_array()) {
      parameters.emplace(parameter.at("name").as_string());
    }
    EXPECT_EQ(parameters, (std::set<std::string>{"dryRun", "fieldManager", "fieldValidation", "force"}));
    EXPECT_EQ(patch.at("x-kubernetes-action"), "patch");
    EXPECT_EQ(patch.at("x-kubernetes-group-version-kind"), mark);
    const text::Object& content = patch.at("requestBody").at("content").as_object();
    EXPECT_EQ(content.contains("application/strategic-merge-patch+json"), !row.custom) << row.kind;
  }
}

// What an operation does and the names of its query parameters, sorted.
std::string operation_line(const text::Value& document, const std::string& path, std::string_view method) {
  const text::Value& operation = document.at("paths").at(path).at(method);
  std::set<std::string> names;
  for (const text::Value& parameter : operation.at("parameters").as_array()) {
    names.emplace(parameter.at("name").as_string());
  }
  std::string line(operation.at("x-kubernetes-action").as_string());
  for (const std::string& name : names) line += " " + name;
  return line;
}

TEST(OpenApi, OperationsTellTheirParameters) {
  const auto core = openapi_document(table_with(), "api/v1");
  ASSERT_TRUE(core);
  const std::string pods = "/api/v1/namespaces/{namespace}/pods";
  EXPECT_EQ(operation_line(*core, pods, "delete"),
            "deletecollection continue dryRun fieldSelector gracePeriodSeconds labelSelector limit orphanDependents "
            "propagationPolicy resourceVersion resourceVersionMatch sendInitialEvents timeoutSeconds");
  EXPECT_EQ(operation_line(*core, pods + "/{name}", "delete"),
            "delete dryRun gracePeriodSeconds orphanDependents propagationPolicy");
  EXPECT_EQ(operation_line(*core, pods + "/{name}/exec", "post"), "connect command container stderr stdin stdout tty");
  EXPECT_EQ(operation_line(*core, pods + "/{name}/log", "get"),
            "get container follow limitBytes previous sinceSeconds tailLines timestamps");
}

TEST(OpenApi, CustomKindsAreNamedByTheirReversedGroup) {
  const auto document = openapi_document(table_with(), kCustomPath);
  ASSERT_TRUE(document.has_value());
  const text::Object& schemas = document->at("components").at("schemas").as_object();
  ASSERT_TRUE(schemas.contains("com.example.shapes.v1alpha1.Widget"));
  ASSERT_TRUE(schemas.contains("com.example.shapes.v1alpha1.WidgetList"));
  const text::Value& widget = schemas.at("com.example.shapes.v1alpha1.Widget");
  EXPECT_EQ(widget.at("properties").at("spec").at("properties").at("colour").at("description"), "Its colour.");
  const text::Object& paths = document->at("paths").as_object();
  EXPECT_TRUE(paths.contains("/apis/shapes.example.com/v1alpha1/widgets"));
  EXPECT_TRUE(paths.contains("/apis/shapes.example.com/v1alpha1/namespaces/{namespace}/widgets/{name}/scale"));
}

TEST(OpenApi, TheHashFollowsTheContent) {
  const auto url = [](const api::ApiResourceTable& table, std::string_view path) {
    return std::string(openapi_index(table).at("paths").at(path).at("serverRelativeURL").as_string());
  };
  const std::string before = url(table_with(), kCustomPath);
  EXPECT_TRUE(before.starts_with("/openapi/v3/" + std::string(kCustomPath) + "?hash=")) << before;
  EXPECT_EQ(before, url(table_with(), kCustomPath));
  EXPECT_NE(before, url(table_with("Another."), kCustomPath));
  EXPECT_EQ(url(table_with(), "api/v1"), url(table_with("Another."), "api/v1"));
}

TEST(OpenApi, UnknownPathsHaveNoDocument) {
  for (const std::string_view path : {"", "api", "api/v2", "apis", "apis/apps", "apis/apps/v1/", "/api/v1"}) {
    EXPECT_FALSE(openapi_document(table_with(), path).has_value()) << path;
  }
}

TEST(OpenApi, VersionTwoIsEmptyButValid) {
  EXPECT_EQ(openapi_v2().at("swagger"), "2.0");
  const std::string bytes = openapi_v2_protobuf();
  EXPECT_TRUE(bytes.starts_with(std::string("\x0a\x03") + "2.0\x12"));
  EXPECT_TRUE(bytes.ends_with(std::string("\x42\x00\x4a\x00", 4)));
  EXPECT_EQ(static_cast<size_t>(bytes[6]), bytes.size() - 7 - 4);
  EXPECT_NE(bytes.find(kKubernetesVersion), std::string::npos);
}

TEST(Version, LooksLikeARecentKubernetes) {
  const text::Value version = version_info();
  EXPECT_EQ(version.at("major"), "1");
  EXPECT_EQ(version.at("minor"), "36");
  for (const std::string_view field : {"gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"}) {
    EXPECT_TRUE(version.at(field).is_string()) << field;
  }
}

}  // namespace
}  // namespace basalt::server
