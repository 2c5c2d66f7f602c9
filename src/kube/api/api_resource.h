// The kinds that are served, as one table of rows: built-in kinds and those of CustomResourceDefinitions alike.
//
// An ApiResource is one served (group, version, plural). Several versions of one kind share storage: storage_name()
// names the objects in the store. An ApiResourceTable is an immutable snapshot; defining a CRD makes a
// new one (see server/), so a request works on one table from start to end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/api/kind_rules.h"
#include "kube/api/schema/schema.h"

namespace basalt::api {

struct GroupVersionResource {
  std::string group, version, plural;
  friend auto operator<=>(const GroupVersionResource&, const GroupVersionResource&) = default;
};

// One column of `kubectl get` for a CRD; built-in kinds have theirs in server/table.
struct PrinterColumn {
  std::string name, type, format, description, json_path;
  int32_t priority = 0;
};

struct ScalePaths {
  std::string spec_replicas, status_replicas, label_selector;  // ".spec.replicas"
};

struct ApiResource {
  std::string group, version, kind, list_kind, plural, singular;
  std::vector<std::string> short_names, categories;
  bool namespaced = true;
  bool has_status = false;                      // the status subresource
  std::optional<ScalePaths> scale;              // the scale subresource
  std::vector<std::string> extra_subresources;  // pods: binding, eviction, exec, log
  std::vector<std::string> verbs;               // empty: all eight
  const Schema* schema = nullptr;               // never null; the whole object, with apiVersion, kind and metadata
  const KindRules* rules = nullptr;             // never null
  bool custom = false;                          // defined by a CRD
  std::vector<PrinterColumn> columns;           // custom only
  std::vector<std::string> selectable_fields;   // "spec.nodeName" beyond metadata.name and metadata.namespace
  std::string storage_group;                    // group under which objects are stored (events: "" for both versions)
  std::string storage_version;                  // custom: the version that is stored, when it is another one; else ""
  std::shared_ptr<const SchemaSet> schemas;     // keeps a CRD's schema alive; null for built-in kinds

  [[nodiscard]] std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  // "pods" / "jobs.batch.volcano.sh": the name of the objects in the store and in messages.
  [[nodiscard]] std::string storage_name() const {
    return storage_group.empty() ? plural : plural + "." + storage_group;
  }
};

class ApiResourceTable {
 public:
  // Puts the rows into the order of discovery. Of two with the same group, version and plural (or kind) the lookups
  // find the one that came first. Cost: O(rows · log rows).
  explicit ApiResourceTable(std::vector<ApiResource> rows);

  // O(log rows), without allocating.
  [[nodiscard]] const ApiResource* find(std::string_view group, std::string_view version,
                                        std::string_view plural) const;
  [[nodiscard]] const ApiResource* find_kind(std::string_view group, std::string_view version,
                                             std::string_view kind) const;
  // In the order of discovery: core first, then groups by name; within a group the preferred version first (v2 v1
  // v1beta2 v1beta1 v1alpha1), within a version by plural.
  [[nodiscard]] const std::vector<ApiResource>& rows() const { return rows_; }
  [[nodiscard]] bool has_group_version(std::string_view group, std::string_view version) const;

 private:
  std::vector<ApiResource> rows_;
  std::vector<size_t> by_plural_, by_kind_;  // indices of rows_, sorted by group, version and plural or kind
};

// True when `left` is preferred to `right`: v2 before v1, released before beta before alpha, then others by name.
[[nodiscard]] bool prefers_version(std::string_view left, std::string_view right);

// The rows of all built-in kinds. Kinds that are only asked for, never stored (bindings, reviews), have the verb create
// alone.
[[nodiscard]] std::vector<ApiResource> builtin_resources();

}  // namespace basalt::api
