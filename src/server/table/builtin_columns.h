// The columns of built-in kinds: one row per kind, with its columns and the function that fills them.
//
// A new kind adds a row in builtin_columns.cc and a function beside related kinds (pod_cells.cc, node_cells.cc,
// workload_cells.cc, network_cells.cc, storage_cells.cc, object_cells.cc).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/instant.h"
#include "kube/text/json.h"

namespace basalt::server {

struct TableColumnDefinition {
  std::string_view name;
  std::string_view type = "string";
  int32_t priority = 0;  // 1: only with -o wide
  std::string_view format = {};
  std::string_view description = {};
};

// The column as a Table tells it.
[[nodiscard]] text::Object column_definition(const TableColumnDefinition& column);

// Appends one cell per column. Cells are numbers and booleans where the column says so, and text otherwise.
using FillCells = void (*)(const text::Value& object, Instant now, text::Array& cells);

struct KindColumns {
  std::string_view group, kind;
  std::span<const TableColumnDefinition> columns;
  FillCells fill;
};

// nullptr: the kind has no columns of its own. Cost: O(log kinds).
[[nodiscard]] const KindColumns* columns_of(std::string_view group, std::string_view kind);

// A pod that ended says so in its row, so that clients may hide it; null for all others.
[[nodiscard]] text::Value row_conditions_of_pod(const text::Value& pod);

void fill_pod(const text::Value& object, Instant now, text::Array& cells);
void fill_node(const text::Value& object, Instant now, text::Array& cells);

void fill_deployment(const text::Value& object, Instant now, text::Array& cells);
void fill_replica_set(const text::Value& object, Instant now, text::Array& cells);
void fill_stateful_set(const text::Value& object, Instant now, text::Array& cells);
void fill_daemon_set(const text::Value& object, Instant now, text::Array& cells);
void fill_job(const text::Value& object, Instant now, text::Array& cells);
void fill_cron_job(const text::Value& object, Instant now, text::Array& cells);
void fill_controller_revision(const text::Value& object, Instant now, text::Array& cells);

void fill_replication_controller(const text::Value& object, Instant now, text::Array& cells);
void fill_pod_template(const text::Value& object, Instant now, text::Array& cells);

void fill_service(const text::Value& object, Instant now, text::Array& cells);
void fill_endpoints(const text::Value& object, Instant now, text::Array& cells);
void fill_ingress(const text::Value& object, Instant now, text::Array& cells);
void fill_network_policy(const text::Value& object, Instant now, text::Array& cells);
void fill_ingress_class(const text::Value& object, Instant now, text::Array& cells);
void fill_endpoint_slice(const text::Value& object, Instant now, text::Array& cells);

void fill_persistent_volume(const text::Value& object, Instant now, text::Array& cells);
void fill_persistent_volume_claim(const text::Value& object, Instant now, text::Array& cells);
void fill_storage_class(const text::Value& object, Instant now, text::Array& cells);
void fill_csi_node(const text::Value& object, Instant now, text::Array& cells);
void fill_csi_driver(const text::Value& object, Instant now, text::Array& cells);
void fill_volume_attachment(const text::Value& object, Instant now, text::Array& cells);

void fill_namespace(const text::Value& object, Instant now, text::Array& cells);
void fill_config_map(const text::Value& object, Instant now, text::Array& cells);
void fill_secret(const text::Value& object, Instant now, text::Array& cells);
void fill_service_account(const text::Value& object, Instant now, text::Array& cells);
void fill_event(const text::Value& object, Instant now, text::Array& cells);
void fill_resource_quota(const text::Value& object, Instant now, text::Array& cells);
void fill_priority_class(const text::Value& object, Instant now, text::Array& cells);
void fill_lease(const text::Value& object, Instant now, text::Array& cells);
void fill_disruption_budget(const text::Value& object, Instant now, text::Array& cells);
void fill_role_binding(const text::Value& object, Instant now, text::Array& cells);
void fill_webhooks(const text::Value& object, Instant now, text::Array& cells);

}  // namespace basalt::server
