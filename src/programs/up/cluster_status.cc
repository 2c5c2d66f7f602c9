#include "programs/up/cluster_status.h"

#include <functional>

#include "kube/api/views/node_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "programs/cli/server_flags.h"

namespace basalt::up {
namespace {

constexpr int64_t kPage = 500;
constexpr size_t kMaxPages = 10'000;

Result<void> each_listed(const std::filesystem::path& kubeconfig, const api::GroupVersionResource& resource,
                         const std::function<void(const text::Object&)>& visit) {
  const auto client = cli::connect({.kubeconfig = kubeconfig.string()}, "basalt-status");
  if (!client) return std::unexpected(client.error());
  api::Call call{.verb = api::Verb::List, .resource = resource};
  call.limit = kPage;
  for (size_t page = 0; page < kMaxPages; ++page) {
    const auto reply = (*client)->call(call);
    if (!reply) return failure(ErrorCode::Io, reply.error().message);
    for (const client::ObjectPtr& item : reply->items) {
      if (item != nullptr && item->is_object()) visit(item->get_object());
    }
    call.continue_token = reply->continue_token;
    if (call.continue_token.empty()) break;
  }
  return {};
}

bool is_ready(const text::Object& node) {
  for (const api::NodeConditionView condition : api::NodeView(node).status().conditions()) {
    if (condition.type() == "Ready") return condition.status() == "True";
  }
  return false;
}

}  // namespace

Result<NodeCount> count_nodes(const std::filesystem::path& kubeconfig) {
  NodeCount count;
  const auto listed =
      each_listed(kubeconfig, {.group = "", .version = "v1", .plural = "nodes"}, [&count](const text::Object& node) {
        ++count.all;
        if (is_ready(node)) ++count.ready;
      });
  if (!listed) return std::unexpected(listed.error());
  return count;
}

Result<std::map<std::string, int64_t>> count_jobs(const std::filesystem::path& kubeconfig) {
  std::map<std::string, int64_t> phases;
  const auto listed = each_listed(
      kubeconfig, {.group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs"},
      [&phases](const text::Object& job) { ++phases[std::string(api::VolcanoJobView(job).status().state().phase())]; });
  if (!listed) return std::unexpected(listed.error());
  return phases;
}

}  // namespace basalt::up
