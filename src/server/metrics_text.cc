#include "server/metrics_text.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "server/version.h"
#include "text/prometheus.h"

namespace basalt::server {
namespace {

void append_value(std::string& out, std::string_view name, std::string_view type, std::string_view help, double value) {
  text::append_family(out, name, type, help);
  text::append_series(out, name, "", value);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

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
  figure("basalt_store_revision", "gauge", "Revision of the last commit.", sample.revision);
  figure("basalt_store_compacted_revision", "gauge", "Revision up to which history is gone.", sample.compacted);
  figure("basalt_open_connections", "gauge", "Open client connections.", sample.open_connections);
  figure("basalt_refused_connections_total", "counter", "Connections over the limit.", sample.refused_connections);
}

void append_process(std::string& out, double start_seconds, std::string_view version) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    append_value(out, "process_cpu_seconds_total", "counter", "CPU time, user and system.",
                 seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
  }
  uint64_t virtual_pages = 0, resident_pages = 0;
  if (std::ifstream statm("/proc/self/statm"); statm >> virtual_pages >> resident_pages) {
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    append_value(out, "process_resident_memory_bytes", "gauge", "Memory in use.",
                 static_cast<double>(resident_pages) * page);
    append_value(out, "process_virtual_memory_bytes", "gauge", "Address space in use.",
                 static_cast<double>(virtual_pages) * page);
  }
  append_value(out, "process_start_time_seconds", "gauge", "Start of the process since the Unix epoch.", start_seconds);
  std::string labels;
  text::append_label(labels, "basalt_version", version);
  text::append_label(labels, "git_version", kKubernetesVersion);
  text::append_family(out, "kubernetes_build_info", "gauge", "Always 1; the labels say what is running.");
  text::append_series(out, "kubernetes_build_info", labels, 1);
}

}  // namespace basalt::server
