#include <array>

#include "control/scheduler/state/conf_in_map.h"
#include "kube/api/views/config_map_view.h"
#include "programs/cli/check/check_verb.h"
#include "programs/cli/vcctl/command_session.h"
#include "programs/cli/vcctl/vcctl_kinds.h"

namespace basalt::cli::checkup {
namespace {

constexpr vcctl::VcctlKind kNode{
    .group = "", .version = "v1", .plural = "nodes", .singular = "node", .kind = "Node", .namespaced = false};

struct Part {
  const vcctl::VcctlKind& kind;
  void (CheckedCluster::*add)(const text::Value&);
};

// Pods first: who they belong to is older than they are.
constexpr std::array kParts = {
    Part{.kind = vcctl::kPod, .add = &CheckedCluster::add_pod},
    Part{.kind = vcctl::kPodGroup, .add = &CheckedCluster::add_group},
    Part{.kind = vcctl::kJob, .add = &CheckedCluster::add_job},
    Part{.kind = vcctl::kQueue, .add = &CheckedCluster::add_queue},
    Part{.kind = kNode, .add = &CheckedCluster::add_node},
};

// False: the server has forgotten the list in the middle of it.
Result<bool> read_part(client::ObjectClient& client, const Part& part, CheckedCluster& cluster) {
  api::Call call{.verb = api::Verb::List, .resource = part.kind.resource(), .limit = vcctl::kListPage};
  for (size_t page = 0; page < vcctl::kMaxListPages; ++page) {
    const client::ReplyOrError outcome = client.call(call);
    if (!outcome && outcome.error().code == 410 && page > 0) return false;
    if (!outcome) return std::unexpected(vcctl::error_of(outcome.error()).within(part.kind.plural));
    for (const client::ObjectPtr& item : outcome->items) {
      if (item != nullptr) (cluster.*part.add)(*item);
    }
    call.continue_token = outcome->continue_token;
    if (call.continue_token.empty()) return true;
  }
  return failure(ErrorCode::Unsupported, "too many " + std::string(part.kind.plural));
}

// Who may not read it, or has no such map, is told nothing about it.
void read_policy(client::ObjectClient& client, const PolicyPlace& place, CheckedCluster& cluster) {
  cluster.policy_place = place;
  const size_t slash = place.map.find('/');
  const client::ReplyOrError outcome = client.call({.verb = api::Verb::Get,
                                                    .resource = {.group = "", .version = "v1", .plural = "configmaps"},
                                                    .namespace_name = place.map.substr(0, slash),
                                                    .name = place.map.substr(slash + 1)});
  if (!outcome || outcome->object == nullptr || !outcome->object->is_object()) return;
  cluster.policy_refused =
      api::ConfigMapView(outcome->object->get_object()).metadata().annotations()[state::kPolicyRefusedAnnotation];
  const text::Object* data = api::ConfigMapView(outcome->object->get_object()).data().json();
  if (data == nullptr) return;
  if (const auto conf = state::conf_in_map(*data, place.key)) cluster.policy = conf->text;
}

}  // namespace

Result<CheckedCluster> read_cluster(client::ObjectClient& client, const PolicyPlace& policy) {
  CheckedCluster cluster;
  for (const Part& part : kParts) {
    bool whole = false;
    for (int attempt = 0; attempt <= kMaxListRestarts && !whole; ++attempt) {
      CheckedCluster fresh;
      const auto read = read_part(client, part, fresh);
      if (!read) return std::unexpected(read.error());
      whole = *read;
      if (whole) cluster.take(std::move(fresh));
    }
    if (!whole) return failure(ErrorCode::Io, std::string(part.kind.plural) + ": the server forgets lists too early");
  }
  read_policy(client, policy, cluster);
  return cluster;
}

}  // namespace basalt::cli::checkup
