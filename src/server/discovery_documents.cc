#include "server/discovery_documents.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "server/subresources.h"

namespace basalt::server {
namespace {

constexpr std::array<std::string_view, 8> kAllVerbs = {"create", "delete", "deletecollection", "get",
                                                       "list",   "patch",  "update",           "watch"};

template <class Words>
text::Array words_of(const Words& words) {
  text::Array out;
  for (const auto& word : words) out.emplace_back(std::string_view(word));
  return out;
}

text::Array verbs_of(const api::ApiResource& resource) {
  if (resource.verbs.empty()) return words_of(kAllVerbs);
  std::vector<std::string> verbs = resource.verbs;
  std::ranges::sort(verbs);
  return words_of(verbs);
}

void add_words(text::Object& out, std::string_view key, const std::vector<std::string>& words) {
  if (!words.empty()) out.emplace(key, words_of(words));
}

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

// Groups in the order in which clients should try them for a bare name like "jobs": ours first, then those of CRDs.
std::vector<std::string> group_names(const api::ApiResourceTable& table) {
  std::vector<std::string> names;
  for (const bool custom : {false, true}) {
    for (const api::ApiResource& row : table.rows()) {
      if (row.custom == custom && !row.group.empty() && !holds(names, row.group)) {
        names.push_back(row.group);
      }
    }
  }
  return names;
}

// Versions of one group, the preferred one first.
std::vector<std::string> versions_of(const api::ApiResourceTable& table, std::string_view group) {
  std::vector<std::string> versions;
  for (const api::ApiResource& row : table.rows()) {
    if (row.group == group && !holds(versions, row.version)) versions.push_back(row.version);
  }
  return versions;
}

// The rows of one version by plural, as Kubernetes lists them.
std::vector<const api::ApiResource*> rows_of(const api::ApiResourceTable& table, std::string_view group,
                                             std::string_view version) {
  std::vector<const api::ApiResource*> out;
  for (const api::ApiResource& row : table.rows()) {
    if (row.group == group && row.version == version) out.push_back(&row);
  }
  std::ranges::sort(out, {}, &api::ApiResource::plural);
  return out;
}

text::Object version_of_group(std::string_view group, const std::string& version) {
  return {{"groupVersion", std::string(group) + "/" + version}, {"version", version}};
}

text::Object group_object(const api::ApiResourceTable& table, std::string_view name) {
  const std::vector<std::string> versions = versions_of(table, name);
  text::Array list;
  for (const std::string& version : versions) list.push_back(version_of_group(name, version));
  text::Object out{{"name", name}};
  out.emplace("versions", std::move(list));
  out.emplace("preferredVersion", version_of_group(name, versions.front()));
  return out;
}

text::Object resource_object(const api::ApiResource& row) {
  text::Object out{{"name", row.plural}, {"singularName", row.singular}, {"namespaced", row.namespaced}};
  out.emplace("kind", row.kind);
  out.emplace("verbs", verbs_of(row));
  add_words(out, "shortNames", row.short_names);
  add_words(out, "categories", row.categories);
  return out;
}

text::Object subresource_object(const api::ApiResource& row, const Subresource& sub) {
  text::Object out{{"name", row.plural + "/" + sub.name}, {"singularName", ""}, {"namespaced", row.namespaced}};
  if (!sub.group.empty()) out.emplace("group", sub.group);
  if (!sub.version.empty()) out.emplace("version", sub.version);
  out.emplace("kind", sub.kind);
  out.emplace("verbs", words_of(sub.verbs));
  return out;
}

text::Object response_kind(std::string_view group, std::string_view version, std::string_view kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

text::Object aggregated_resource(const api::ApiResource& row) {
  text::Object out{{"resource", row.plural}};
  out.emplace("responseKind", response_kind(row.group, row.version, row.kind));
  out.emplace("scope", row.namespaced ? "Namespaced" : "Cluster");
  out.emplace("singularResource", row.singular);
  out.emplace("verbs", verbs_of(row));
  add_words(out, "shortNames", row.short_names);
  add_words(out, "categories", row.categories);
  text::Array subresources;
  for (const Subresource& sub : subresources_of(row)) {
    const bool own = sub.version.empty();
    text::Object one{{"subresource", sub.name}};
    one.emplace("responseKind", response_kind(own ? row.group : sub.group,
                                              own ? std::string_view(row.version) : sub.version, sub.kind));
    one.emplace("verbs", words_of(sub.verbs));
    subresources.push_back(std::move(one));
  }
  if (!subresources.empty()) out.emplace("subresources", std::move(subresources));
  return out;
}

text::Object aggregated_group(const api::ApiResourceTable& table, std::string_view name) {
  text::Array versions;
  for (const std::string& version : versions_of(table, name)) {
    text::Array resources;
    for (const api::ApiResource* row : rows_of(table, name, version)) resources.push_back(aggregated_resource(*row));
    text::Object one{{"version", version}};
    one.emplace("resources", std::move(resources));
    one.emplace("freshness", "Current");
    versions.push_back(std::move(one));
  }
  text::Object metadata;
  if (!name.empty()) metadata.emplace("name", name);
  text::Object out;
  out.emplace("metadata", std::move(metadata));
  out.emplace("versions", std::move(versions));
  return out;
}

}  // namespace

text::Value core_versions(std::string_view server_address) {
  text::Object reach{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}};
  text::Object out{{"kind", "APIVersions"}};
  out.emplace("versions", text::Array{"v1"});
  text::Array addresses;
  addresses.push_back(std::move(reach));
  out.emplace("serverAddressByClientCIDRs", std::move(addresses));
  return out;
}

text::Value group_list(const api::ApiResourceTable& table) {
  text::Array groups;
  for (const std::string& name : group_names(table)) groups.push_back(group_object(table, name));
  text::Object out{{"kind", "APIGroupList"}, {"apiVersion", "v1"}};
  out.emplace("groups", std::move(groups));
  return out;
}

std::optional<text::Value> group(const api::ApiResourceTable& table, std::string_view name) {
  if (name.empty() || versions_of(table, name).empty()) return std::nullopt;
  text::Object out{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  for (auto& entry : group_object(table, name)) out.emplace(entry.key(), std::move(entry.value()));
  return text::Value(std::move(out));
}

std::optional<text::Value> resource_list(const api::ApiResourceTable& table, std::string_view group,
                                         std::string_view version) {
  if (!table.has_group_version(group, version)) return std::nullopt;
  text::Array resources;
  for (const api::ApiResource* row : rows_of(table, group, version)) {
    resources.push_back(resource_object(*row));
    for (const Subresource& sub : subresources_of(*row)) resources.push_back(subresource_object(*row, sub));
  }
  text::Object out{{"kind", "APIResourceList"}, {"apiVersion", "v1"}};
  out.emplace("groupVersion", group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version));
  out.emplace("resources", std::move(resources));
  return text::Value(std::move(out));
}

text::Value aggregated(const api::ApiResourceTable& table, bool core) {
  text::Array items;
  if (core) {
    items.push_back(aggregated_group(table, ""));
  } else {
    for (const std::string& name : group_names(table)) items.push_back(aggregated_group(table, name));
  }
  text::Object out{{"kind", "APIGroupDiscoveryList"}, {"apiVersion", "apidiscovery.k8s.io/v2"}};
  out.emplace("metadata", text::Object{});
  out.emplace("items", std::move(items));
  return out;
}

text::Value paths(const api::ApiResourceTable& table) {
  std::vector<std::string> list = {"/api",     "/api/v1",     "/apis",       "/healthz", "/livez",
                                   "/metrics", "/openapi/v2", "/openapi/v3", "/readyz",  "/version"};
  for (const std::string& name : group_names(table)) {
    list.push_back("/apis/" + name);
    for (const std::string& version : versions_of(table, name)) list.push_back("/apis/" + name + "/" + version);
  }
  std::ranges::sort(list);
  text::Object out;
  out.emplace("paths", words_of(list));
  return out;
}

}  // namespace basalt::server
