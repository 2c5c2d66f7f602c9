#include "server/openapi_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/fingerprint.h"
#include "kube/api/schema/openapi.h"
#include "server/kubernetes_version.h"
#include "server/openapi_operations.h"
#include "server/subresources.h"

namespace basalt::server {
namespace {

constexpr std::string_view kListMetaSchema = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
constexpr std::string_view kTitle = "Kubernetes";

struct GroupVersion {
  std::string group, version;
  friend auto operator<=>(const GroupVersion&, const GroupVersion&) = default;

  [[nodiscard]] std::string path() const { return version_path(group, version).substr(1); }
};

std::set<GroupVersion> group_versions(const api::ApiResourceTable& table) {
  std::set<GroupVersion> out;
  for (const api::ApiResource& row : table.rows()) out.insert({row.group, row.version});
  return out;
}

// "batch.volcano.sh", "v1alpha1", "Job" → "sh.volcano.batch.v1alpha1.Job", as Kubernetes names the types of CRDs.
std::string custom_schema_name(const api::ApiResource& resource) {
  std::string name;
  std::string_view rest = resource.group;
  while (!rest.empty()) {
    const size_t dot = rest.rfind('.');
    name.append(dot == std::string_view::npos ? rest : rest.substr(dot + 1)).append(".");
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
  }
  return name + resource.version + "." + resource.kind;
}

std::string schema_name(const api::ApiResource& resource) {
  return resource.custom || resource.schema->name.empty() ? custom_schema_name(resource) : resource.schema->name;
}

// All types with a name that a document needs, found from its kinds. Types may refer to themselves.
class ReachableTypes {
 public:
  void add(const api::Schema* schema) {
    waiting_.push_back(schema);
    while (!waiting_.empty()) {
      const api::Schema* next = waiting_.back();
      waiting_.pop_back();
      if (next == nullptr || !seen_.insert(next).second) continue;
      if (!next->name.empty()) named_.emplace(next->name, next);
      add_parts(*next);
    }
  }
  [[nodiscard]] const std::map<std::string, const api::Schema*>& named() const { return named_; }

 private:
  void add_parts(const api::Schema& schema) {
    waiting_.push_back(schema.element);
    for (const api::SchemaField& field : schema.fields) waiting_.push_back(field.type);
    if (schema.limits == nullptr) return;
    for (const auto* list : {&schema.limits->all_of, &schema.limits->any_of, &schema.limits->one_of}) {
      waiting_.insert(waiting_.end(), list->begin(), list->end());
    }
    waiting_.push_back(schema.limits->none_of);
  }

  std::vector<const api::Schema*> waiting_;
  std::set<const api::Schema*> seen_;  // order-free: asked by pointer, never walked
  std::map<std::string, const api::Schema*> named_;
};

// A schema without a word allows anything; explain takes an empty one for a missing one and gives up. So it gets words.
void name_empty_schemas(text::Value& root) {
  std::vector<text::Value*> waiting{&root};
  while (!waiting.empty()) {
    text::Value& schema = *waiting.back();
    waiting.pop_back();
    if (!schema.is_object()) continue;
    text::Object& object = schema.get_object();
    if (object.empty()) object.emplace("description", "Any value.");
    for (const std::string_view part : {"items", "additionalProperties"}) {
      if (text::Value* inner = object.if_contains(part)) waiting.push_back(inner);
    }
    text::Value* properties = object.if_contains("properties");
    if (properties == nullptr || !properties->is_object()) continue;
    for (auto& entry : properties->get_object()) waiting.push_back(&entry.value());
  }
}

text::Value schema_text(const api::Schema& schema) {
  text::Value out = api::openapi_of(schema);
  name_empty_schemas(out);
  return out;
}

text::Array kind_marks(const api::ApiResource& resource, const std::string& kind) {
  text::Array marks;
  marks.push_back(text::Object{{"group", resource.group}, {"kind", kind}, {"version", resource.version}});
  return marks;
}

text::Object text_field(std::string_view description) { return {{"description", description}, {"type", "string"}}; }

// Only a CustomResourceDefinition says so in its document.
void mark_selectable(const api::ApiResource& resource, text::Object& out) {
  if (!resource.custom || resource.selectable_fields.empty()) return;
  text::Array fields;
  for (const std::string& path : resource.selectable_fields) {
    fields.emplace_back(text::Object{{"fieldPath", path}});
  }
  out.emplace("x-kubernetes-selectable-fields", std::move(fields));
}

text::Object list_schema(const api::ApiResource& resource, const std::string& item) {
  text::Object items{{"description", "The objects."}, {"type", "array"}};
  items.emplace("items", schema_reference(item));
  text::Object metadata{{"description", "The revision of the list, and how to go on."}};
  text::Array one;
  one.push_back(schema_reference(kListMetaSchema));
  metadata.emplace("allOf", std::move(one));

  text::Object properties;
  properties.emplace("apiVersion", text_field("Group and version of this form."));
  properties.emplace("items", std::move(items));
  properties.emplace("kind", text_field("The kind of this object."));
  properties.emplace("metadata", std::move(metadata));
  text::Object out{{"description", "A list of " + resource.kind + "."}, {"type", "object"}};
  out.emplace("required", text::Array{"items"});
  out.emplace("properties", std::move(properties));
  out.emplace("x-kubernetes-group-version-kind", kind_marks(resource, resource.list_kind));
  mark_selectable(resource, out);
  return out;
}

text::Object document_of(const api::ApiResourceTable& table, const GroupVersion& wanted) {
  text::Object paths, kinds;
  ReachableTypes types;
  for (const std::string_view name : {kListMetaSchema, kDeleteOptionsSchema, kStatusSchema}) {
    types.add(api::builtin_schemas().find(name));
  }
  for (const api::ApiResource& row : table.rows()) {
    if (row.group != wanted.group || row.version != wanted.version) continue;
    const std::string name = schema_name(row);
    types.add(row.schema);
    for (const Subresource& sub : subresources_of(row)) types.add(api::builtin_schemas().find(sub.schema));
    text::Value own = schema_text(*row.schema);
    if (own.is_object()) {
      own.get_object()["x-kubernetes-group-version-kind"] = kind_marks(row, row.kind);
      mark_selectable(row, own.get_object());
    }
    kinds.emplace(name, std::move(own));
    const bool listed = row.verbs.empty() || std::ranges::find(row.verbs, "list") != row.verbs.end();
    if (listed) kinds.emplace(name + "List", list_schema(row, name));
    add_paths(row, name, name + "List", paths);
  }
  text::Object schemas = std::move(kinds);
  for (const auto& [name, schema] : types.named()) {
    if (!schemas.contains(name)) schemas.emplace(name, schema_text(*schema));
  }
  schemas.emplace(kPatchSchema,
                  text::Object{{"description", "A change, in one of several forms."}, {"type", "object"}});

  text::Object components;
  components.emplace("schemas", std::move(schemas));
  text::Object out{{"openapi", "3.0.0"}};
  out.emplace("info", text::Object{{"title", kTitle}, {"version", kKubernetesVersion}});
  out.emplace("paths", std::move(paths));
  out.emplace("components", std::move(components));
  return out;
}

// 128 bits in hexadecimal; two mixings of the same text, since clients take equal hashes for equal documents.
std::string hash_of(const std::string& text) {
  const uint64_t first = Fingerprint().add(text).value();
  return fmt::format("{:016X}{:016X}", first, Fingerprint().add(first).add(text).value());
}

// One field of a protobuf message whose value is text, or a message as its bytes. Only short ones are written here.
void add_protobuf(std::string& out, unsigned number, std::string_view bytes) {
  out += static_cast<char>(number << 3U | 2U);
  out += static_cast<char>(bytes.size());
  out += bytes;
}

}  // namespace

text::Value openapi_index(const api::ApiResourceTable& table) {
  text::Object paths;
  for (const GroupVersion& one : group_versions(table)) {
    const std::string hash = hash_of(text::to_json(document_of(table, one)));
    paths.emplace(one.path(), text::Object{{"serverRelativeURL", "/openapi/v3/" + one.path() + "?hash=" + hash}});
  }
  text::Object out;
  out.emplace("paths", std::move(paths));
  return out;
}

std::optional<text::Value> openapi_document(const api::ApiResourceTable& table, std::string_view path) {
  for (const GroupVersion& one : group_versions(table)) {
    if (one.path() == path) return text::Value(document_of(table, one));
  }
  return std::nullopt;
}

text::Value openapi_v2() {
  text::Object out{{"swagger", "2.0"}};
  out.emplace("info", text::Object{{"title", kTitle}, {"version", kKubernetesVersion}});
  out.emplace("paths", text::Object{});
  out.emplace("definitions", text::Object{});
  return out;
}

std::string openapi_v2_protobuf() {
  std::string info, out;
  add_protobuf(info, 1, kTitle);
  add_protobuf(info, 2, kKubernetesVersion);
  add_protobuf(out, 1, "2.0");
  add_protobuf(out, 2, info);
  add_protobuf(out, 8, "");  // paths
  add_protobuf(out, 9, "");  // definitions
  return out;
}

}  // namespace basalt::server
