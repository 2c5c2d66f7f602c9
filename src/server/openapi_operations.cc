#include "server/openapi_operations.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "server/subresources.h"

namespace basalt::server {
namespace {

struct Parameter {
  std::string_view name, type, description;
};

constexpr auto kWriteParameters = std::to_array<Parameter>(
    {{"dryRun", "string", "All: check and answer as usual, but store nothing."},
     {"fieldManager", "string", "The name under which changed fields are owned; apply demands it."},
     {"fieldValidation", "string", "What happens to unknown and repeated fields: Ignore, Warn or Strict."}});
constexpr Parameter kForce = {"force", "boolean", "Apply only: take fields over from other managers."};
constexpr Parameter kRevision = {"resourceVersion", "string", "The revision to read at or to start from."};
constexpr auto kCollectionParameters =
    std::to_array<Parameter>({{"continue", "string", "Go on where a limited list ended."},
                              {"fieldSelector", "string", "Only objects whose fields have these values."},
                              {"labelSelector", "string", "Only objects with these labels."},
                              {"limit", "integer", "At most so many objects in one answer."},
                              kRevision,
                              {"resourceVersionMatch", "string", "Exact, or NotOlderThan."},
                              {"sendInitialEvents", "boolean", "Watch only: start with an event for each object."},
                              {"timeoutSeconds", "integer", "End the request after this time."}});
constexpr auto kWatchParameters =
    std::to_array<Parameter>({{"allowWatchBookmarks", "boolean", "Watch only: send the revision from time to time."},
                              {"watch", "boolean", "Send changes as they happen."}});
constexpr auto kDeleteParameters = std::to_array<Parameter>(
    {{"dryRun", "string", "All: check and answer as usual, but delete nothing."},
     {"gracePeriodSeconds", "integer", "Time for the object to end by itself; 0 is at once."},
     {"orphanDependents", "boolean", "The older form of propagationPolicy: true is Orphan."},
     {"propagationPolicy", "string", "What happens to owned objects: Orphan, Background or Foreground."}});
constexpr auto kExecParameters =
    std::to_array<Parameter>({{"command", "string", "A word of the command; given once for each."},
                              {"container", "string", "The container; may be left out when the pod has one."},
                              {"stderr", "boolean", "Send what it writes to its error output."},
                              {"stdin", "boolean", "It has an input."},
                              {"stdout", "boolean", "Send what it writes to its output."},
                              {"tty", "boolean", "It has a terminal."}});
constexpr auto kLogParameters =
    std::to_array<Parameter>({{"container", "string", "The container; may be left out when the pod has one."},
                              {"follow", "boolean", "Go on while the container writes."},
                              {"limitBytes", "integer", "At most so many bytes."},
                              {"previous", "boolean", "Of the container's life before this one."},
                              {"sinceSeconds", "integer", "Only lines that are not older."},
                              {"tailLines", "integer", "Only so many lines at the end."},
                              {"timestamps", "boolean", "Begin each line with its time."}});

struct BodyKind {
  std::string_view group, version, kind, schema;
};

text::Object parameter_object(const Parameter& parameter, std::string_view in) {
  text::Object out{{"name", parameter.name}, {"in", in}, {"description", parameter.description}};
  if (in == "path") out.emplace("required", true);
  text::Object schema{{"type", parameter.type}, {"uniqueItems", true}};
  out.emplace("schema", std::move(schema));
  return out;
}

void add_parameters(text::Object& operation, std::initializer_list<std::span<const Parameter>> groups) {
  text::Array list;
  for (const std::span<const Parameter> group : groups) {
    for (const Parameter& parameter : group) list.push_back(parameter_object(parameter, "query"));
  }
  operation.emplace("parameters", std::move(list));
}

text::Object content(const std::vector<std::string_view>& types, std::string_view schema) {
  text::Object out;
  for (const std::string_view type : types) {
    text::Object entry;
    entry.emplace("schema", schema_reference(schema));
    out.emplace(type, std::move(entry));
  }
  return out;
}

void add_body(text::Object& operation, text::Object body_content) {
  text::Object body;
  body.emplace("content", std::move(body_content));
  body.emplace("required", true);
  operation.emplace("requestBody", std::move(body));
}

// What all operations have: what they do, to what, and their answer.
text::Object operation_object(std::string_view action, const BodyKind& kind, std::string_view answer, bool creates) {
  text::Object out{{"description", std::string(action) + " " + std::string(kind.kind)}};
  text::Object responses;
  for (const std::string_view code : {"200", "201"}) {
    if (code == "201" && !creates) continue;
    text::Object response{{"description", code == "200" ? "OK" : "Created"}};
    response.emplace("content", content({"application/json"}, answer));
    responses.emplace(code, std::move(response));
  }
  responses.emplace("401", text::Object{{"description", "Unauthorized"}});
  out.emplace("responses", std::move(responses));
  out.emplace("x-kubernetes-action", action);
  out.emplace("x-kubernetes-group-version-kind",
              text::Object{{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}});
  return out;
}

text::Object write_operation(std::string_view action, const BodyKind& kind) {
  text::Object out = operation_object(action, kind, kind.schema, true);
  add_parameters(out, {kWriteParameters});
  add_body(out, content({"application/json", "application/yaml"}, kind.schema));
  return out;
}

// Strategic merge is for built-in kinds: those of a CustomResourceDefinition say nothing about merge keys.
text::Object patch_operation(const BodyKind& kind, bool strategic) {
  text::Object out = operation_object("patch", kind, kind.schema, true);
  add_parameters(out, {kWriteParameters, {&kForce, 1}});
  std::vector<std::string_view> types = {"application/apply-patch+yaml", "application/json-patch+json",
                                         "application/merge-patch+json"};
  if (strategic) types.emplace_back("application/strategic-merge-patch+json");
  add_body(out, content(types, kPatchSchema));
  return out;
}

// For custom kinds kube-apiserver describes reads and deletions of many with other parameters than for built-in ones.
text::Object delete_operation(std::string_view action, const BodyKind& kind, bool custom) {
  text::Object out = operation_object(action, kind, kStatusSchema, false);
  if (action == "deletecollection" && custom) {
    add_parameters(out, {kCollectionParameters, kWatchParameters});
  } else if (action == "deletecollection") {
    add_parameters(out, {kDeleteParameters, kCollectionParameters});
  } else {
    add_parameters(out, {kDeleteParameters});
  }
  text::Object body;
  body.emplace("content", content({"application/json"}, kDeleteOptionsSchema));
  out.emplace("requestBody", std::move(body));
  return out;
}

text::Object read_operation(std::string_view action, const BodyKind& kind, std::string_view answer, bool custom) {
  text::Object out = operation_object(action, kind, answer, false);
  if (action == "list") {
    add_parameters(out, {kCollectionParameters, kWatchParameters});
  } else if (custom) {
    add_parameters(out, {{&kRevision, 1}});
  }
  return out;
}

void add_path(text::Object& paths, const std::string& path, text::Object operations) {
  if (operations.empty()) return;
  text::Array parameters;
  if (path.find("/{name}") != std::string::npos) {
    parameters.push_back(parameter_object({"name", "string", "The name of the object."}, "path"));
  }
  if (path.find("/{namespace}/") != std::string::npos) {
    parameters.push_back(parameter_object({"namespace", "string", "The namespace of the object."}, "path"));
  }
  if (!parameters.empty()) operations.emplace("parameters", std::move(parameters));
  paths.emplace(path, std::move(operations));
}

bool has_verb(const api::ApiResource& resource, std::string_view verb) {
  return resource.verbs.empty() || std::ranges::find(resource.verbs, verb) != resource.verbs.end();
}

text::Object subresource_operations(const api::ApiResource& resource, const Subresource& sub, std::string_view schema) {
  const bool own = sub.version.empty() || resource.custom;  // of a custom kind even its scale is described so
  const BodyKind kind{own ? resource.group : sub.group, own ? resource.version : sub.version,
                      resource.custom ? resource.kind : sub.kind,
                      sub.schema.empty() ? schema : std::string_view(sub.schema)};
  text::Object out;
  if (sub.name == "exec") {  // the connection becomes a stream: there is no body
    for (const std::string_view method : {"get", "post"}) {
      text::Object connect = operation_object("connect", kind, kind.schema, false);
      add_parameters(connect, {kExecParameters});
      out.emplace(method, std::move(connect));
    }
    return out;
  }
  if (sub.name == "log") {
    text::Object read = read_operation("get", kind, kind.schema, resource.custom);
    add_parameters(read, {kLogParameters});
    out.emplace("get", std::move(read));
    return out;
  }
  for (const std::string_view verb : sub.verbs) {
    if (verb == "get") out.emplace("get", read_operation("get", kind, kind.schema, resource.custom));
    if (verb == "update") out.emplace("put", write_operation("put", kind));
    if (verb == "patch") out.emplace("patch", patch_operation(kind, !resource.custom));
    if (verb == "create") out.emplace("post", write_operation("post", kind));
  }
  return out;
}

}  // namespace

std::string version_path(std::string_view group, std::string_view version) {
  std::string path = group.empty() ? "/api/" : "/apis/";
  if (!group.empty()) path.append(group).append("/");
  return path.append(version);
}

text::Object schema_reference(std::string_view name) { return {{"$ref", "#/components/schemas/" + std::string(name)}}; }

void add_paths(const api::ApiResource& resource, std::string_view schema, std::string_view list_schema,
               text::Object& paths) {
  const BodyKind kind{resource.group, resource.version, resource.kind, schema};
  const std::string base = version_path(resource.group, resource.version);
  const std::string collection = base + (resource.namespaced ? "/namespaces/{namespace}/" : "/") + resource.plural;

  text::Object of_collection;
  if (has_verb(resource, "list"))
    of_collection.emplace("get", read_operation("list", kind, list_schema, resource.custom));
  if (has_verb(resource, "create")) of_collection.emplace("post", write_operation("post", kind));
  if (has_verb(resource, "deletecollection")) {
    of_collection.emplace("delete", delete_operation("deletecollection", kind, resource.custom));
  }
  add_path(paths, collection, std::move(of_collection));
  if (resource.namespaced && has_verb(resource, "list")) {
    text::Object of_all;
    of_all.emplace("get", read_operation("list", kind, list_schema, resource.custom));
    add_path(paths, base + "/" + resource.plural, std::move(of_all));
  }

  text::Object of_one;
  if (has_verb(resource, "get")) of_one.emplace("get", read_operation("get", kind, schema, resource.custom));
  if (has_verb(resource, "update")) of_one.emplace("put", write_operation("put", kind));
  if (has_verb(resource, "patch")) of_one.emplace("patch", patch_operation(kind, !resource.custom));
  if (has_verb(resource, "delete")) of_one.emplace("delete", delete_operation("delete", kind, resource.custom));
  add_path(paths, collection + "/{name}", std::move(of_one));

  for (const Subresource& sub : subresources_of(resource)) {
    add_path(paths, collection + "/{name}/" + sub.name, subresource_operations(resource, sub, schema));
  }
}

}  // namespace basalt::server
