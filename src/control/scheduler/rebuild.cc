// A ClusterState from nothing but lists.
#include <fmt/format.h>

#include <utility>

#include "control/loop/informer.h"
#include "control/scheduler/scheduler_kinds.h"
#include "control/scheduler/self_check.h"
#include "kube/api/any_object.h"

namespace basalt::scheduler {
namespace {

constexpr size_t kMaxPages = 100'000;  // a server that never ends its list

// Items of a list do not say their kind; the list does.
template <class T>
void feed_one(state::StateUpdater& updater, const Result<T>& object) {
  if (object) (void)updater.apply(*object);  // left out if it can not be read, see self_check.h
}

void feed_one(state::StateUpdater& updater, SchedulerKind kind, const text::Value& value) {
  switch (kind) {
    case SchedulerKind::Node:
      return feed_one(updater, api::decode_node(value));
    case SchedulerKind::Queue:
      return feed_one(updater, api::decode_queue(value));
    case SchedulerKind::PriorityClass:
      return feed_one(updater, api::decode_priority_class(value));
    case SchedulerKind::Namespace:
      return feed_one(updater, api::decode_namespace(value));
    case SchedulerKind::ResourceQuota:
      return feed_one(updater, api::decode_resource_quota(value));
    case SchedulerKind::Budget:
      return feed_one(updater, api::decode_pod_disruption_budget(value));
    case SchedulerKind::PodGroup:
      return feed_one(updater, api::decode_pod_group(value));
    case SchedulerKind::Pod:
      return feed_one(updater, api::decode_pod(value));
    case SchedulerKind::ConfMap:
    case SchedulerKind::Job:
      return;
  }
}

Result<void> feed_kind(client::ObjectClient& client, SchedulerKind kind, state::StateUpdater& updater) {
  api::Call list{.verb = api::Verb::List, .resource = resource_of(kind), .limit = loop::kPageSize};
  for (size_t pages = 0; pages < kMaxPages; ++pages) {
    client::ReplyOrError page = client.call(list);
    if (!page) {
      if (page.error().code == 404 && pages == 0) return {};  // nobody serves this kind here
      return failure(ErrorCode::Io, fmt::format("list of {}: {}", list.resource.plural, page.error().message));
    }
    for (const client::ObjectPtr& object : page->items) {
      if (object != nullptr) feed_one(updater, kind, *object);
    }
    if (page->continue_token.empty()) return {};
    list.continue_token = std::move(page->continue_token);
  }
  return failure(ErrorCode::Io, fmt::format("list of {}: it does not end", list.resource.plural));
}

}  // namespace

Result<std::unique_ptr<model::ClusterState>> rebuild(client::ObjectClient& client, const state::StateOptions& options) {
  auto state = std::make_unique<model::ClusterState>();
  state::StateUpdater updater(*state, options);
  for (const SchedulerKindRow& row : state_kinds()) {
    if (Result<void> fed = feed_kind(client, row.kind, updater); !fed) return std::unexpected(std::move(fed.error()));
  }
  return state;
}

}  // namespace basalt::scheduler
