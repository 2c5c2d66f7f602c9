// A ClusterState from nothing but lists.
#include <fmt/format.h>

#include <utility>

#include "control/loop/object_feed.h"
#include "control/scheduler/kinds.h"
#include "control/scheduler/self_check.h"
#include "kube/api/kinds.h"

namespace basalt::scheduler {
namespace {

constexpr size_t kMaxPages = 100'000;  // a server that never ends its list

// Items of a list do not say their kind; the list does.
template <class T>
void feed_one(state::ObjectFeed& feed, const Result<T>& object) {
  if (object) (void)feed.apply(*object);  // left out if it can not be read, see self_check.h
}

void feed_one(state::ObjectFeed& feed, Kind kind, const text::Value& value) {
  switch (kind) {
    case Kind::Node:
      return feed_one(feed, api::decode_node(value));
    case Kind::Queue:
      return feed_one(feed, api::decode_queue(value));
    case Kind::PriorityClass:
      return feed_one(feed, api::decode_priority_class(value));
    case Kind::Namespace:
      return feed_one(feed, api::decode_namespace(value));
    case Kind::ResourceQuota:
      return feed_one(feed, api::decode_resource_quota(value));
    case Kind::Budget:
      return feed_one(feed, api::decode_pod_disruption_budget(value));
    case Kind::PodGroup:
      return feed_one(feed, api::decode_pod_group(value));
    case Kind::Pod:
      return feed_one(feed, api::decode_pod(value));
    case Kind::ConfMap:
    case Kind::Job:
      return;
  }
}

Result<void> feed_kind(client::ObjectClient& client, Kind kind, state::ObjectFeed& feed) {
  api::Call list{.verb = api::Verb::List, .resource = resource_of(kind), .limit = loop::kPageSize};
  for (size_t pages = 0; pages < kMaxPages; ++pages) {
    client::Outcome page = client.call(list);
    if (!page) {
      if (page.error().code == 404 && pages == 0) return {};  // nobody serves this kind here
      return failure(ErrorCode::Io, fmt::format("list of {}: {}", list.resource.plural, page.error().message));
    }
    for (const client::ObjectPtr& object : page->items) {
      if (object != nullptr) feed_one(feed, kind, *object);
    }
    if (page->continue_token.empty()) return {};
    list.continue_token = std::move(page->continue_token);
  }
  return failure(ErrorCode::Io, fmt::format("list of {}: it does not end", list.resource.plural));
}

}  // namespace

Result<std::unique_ptr<model::ClusterState>> rebuild(client::ObjectClient& client, const state::FeedOptions& options) {
  auto state = std::make_unique<model::ClusterState>();
  state::ObjectFeed feed(*state, options);
  for (const KindRow& row : state_kinds()) {
    if (Result<void> fed = feed_kind(client, row.kind, feed); !fed) return std::unexpected(std::move(fed.error()));
  }
  return state;
}

}  // namespace basalt::scheduler
