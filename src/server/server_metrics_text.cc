#include "server/server_metrics_text.h"

#include "kube/client/process_metrics.h"
#include "kube/text/prometheus.h"
#include "server/kubernetes_version.h"

namespace basalt::server {

using text::append_value;

void append_store(std::string& out, const MetricsSample& sample) {
  text::append_family(out, "apiserver_storage_objects", "gauge", "Stored objects by resource.");
  for (const auto& [resource, count] : sample.objects) {
    std::string labels;
    text::append_label(labels, "resource", resource);
    text::append_series(out, "apiserver_storage_objects", labels, static_cast<double>(count));
  }
  const store::Store::Figures& store = sample.store;
  const auto figure = [&out](std::string_view name, std::string_view type, std::string_view help, auto value) {
    append_value(out, name, type, help, static_cast<double>(value));
  };
  figure("basalt_store_commits_total", "counter", "Commits to disk.", store.commits);
  figure("basalt_store_writes_total", "counter", "Writes in those commits.", store.writes);
  figure("basalt_store_objects", "gauge", "Objects in the store.", store.objects);
  figure("basalt_store_object_bytes", "gauge", "Bytes of those objects.", store.object_bytes);
  figure("basalt_store_history_events", "gauge", "Events that a watch can still start from.", store.history_events);
  figure("basalt_store_waiting_writes", "gauge", "Writes that wait for their commit.", store.waiting);
  figure("basalt_store_last_commit_seconds", "gauge", "How long the last commit took.", store.last_commit_seconds);
  figure("basalt_store_writable", "gauge", "1: the store accepts writes. 0: its disk is full or fails.",
         sample.store_writable ? 1 : 0);
  text::append_family(out, "basalt_store_failed_commits_total", "counter", "Commits that the disk refused, by reason.");
  text::append_series(out, "basalt_store_failed_commits_total", "reason=\"full\"",
                      static_cast<double>(store.full_commits));
  text::append_series(out, "basalt_store_failed_commits_total", "reason=\"error\"",
                      static_cast<double>(store.failed_commits));
  figure("basalt_store_revision", "gauge", "Revision of the last commit.", sample.revision);
  figure("basalt_store_compacted_revision", "gauge", "Revision up to which history is gone.", sample.compacted);
  figure("basalt_open_connections", "gauge", "Open client connections.", sample.open_connections);
  figure("basalt_refused_connections_total", "counter", "Connections and requests that broke a limit or a rule.",
         sample.refused_connections);
  figure("basalt_connections_closed_for_room_total", "counter", "Connections that were closed for new ones.",
         sample.closed_for_room);
  figure("basalt_request_body_bytes", "gauge", "Bytes of bodies of requests under way.", sample.request_body_bytes);
  figure("basalt_answer_bytes", "gauge", "Bytes of large answers that are not sent yet.", sample.answer_bytes);
  figure("basalt_long_work_waiting", "gauge", "Requests that wait for a worker.", sample.waiting_work);
  figure("basalt_long_work_running", "gauge", "Requests that workers work on.", sample.running_work);
  figure("basalt_memory_limit_bytes", "gauge", "Memory that this process may have; 0: not known.", sample.memory_limit);
  figure("basalt_memory_tight", "gauge", "1: writes are refused, for memory would end.", sample.memory_tight ? 1 : 0);
}

void append_process(std::string& out, double start_seconds, std::string_view version) {
  client::append_process_metrics(out, start_seconds);
  std::string labels;
  text::append_label(labels, "basalt_version", version);
  text::append_label(labels, "git_version", kKubernetesVersion);
  text::append_family(out, "kubernetes_build_info", "gauge", "Always 1; the labels say what is running.");
  text::append_series(out, "kubernetes_build_info", labels, 1);
}

}  // namespace basalt::server
