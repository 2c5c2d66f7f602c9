#include "programs/webhook/review_view.h"

#include <utility>

#include "kube/api/object_fields.h"
#include "kube/text/time_zone.h"

namespace basalt::webhook {

admission::ObjectLookup ReviewView::lookup() {
  return {
      .queue =
          [this](std::string_view name) {
            if (!name.empty()) wanted_.insert({.kind = QueryKind::Queue, .name = std::string(name)});
            return find(QueryKind::Queue, name);
          },
      .queues =
          [this] {
            wanted_.insert({.kind = QueryKind::Queue, .name = ""});
            return queues();
          },
      .namespace_name =
          [this](std::string_view name) {
            const client::ObjectPtr found = find(QueryKind::Namespace, name);
            if (found == nullptr && !name.empty()) {
              wanted_.insert({.kind = QueryKind::Namespace, .name = std::string(name)});
            }
            return found;
          },
      .time_zone = [](std::string_view name) { return text::load_time_zone(name).has_value(); },
      .priority_class =
          [this](std::string_view name) {
            return exists({.kind = QueryKind::PriorityClass, .name = std::string(name)});
          },
      .claim =
          [this](std::string_view namespace_name, std::string_view name) {
            return exists(
                {.kind = QueryKind::Claim, .name = std::string(name), .namespace_name = std::string(namespace_name)});
          }};
}

std::vector<LiveQuery> ReviewView::questions(bool refused) {
  std::vector<LiveQuery> open;
  for (const LiveQuery& one : std::exchange(wanted_, {})) {
    if (one.kind == QueryKind::Queue && !refused) continue;
    if (asked_.size() >= kMaxLiveQueries || !asked_.insert(one).second) continue;
    open.push_back(one);
  }
  return open;
}

void ReviewView::learn_queues(const std::vector<client::ObjectPtr>& queues) {
  has_all_queues_ = true;
  for (const client::ObjectPtr& queue : queues) {
    if (queue == nullptr || !queue->is_object()) continue;
    live_[{.kind = QueryKind::Queue, .name = std::string(api::name_of(queue->get_object()))}] = queue;
  }
}

client::ObjectPtr ReviewView::find(QueryKind kind, std::string_view name) const {
  if (const auto live = live_.find({.kind = kind, .name = std::string(name)}); live != live_.end()) return live->second;
  if (kind == QueryKind::Queue && has_all_queues_) return nullptr;
  return known_.find(kind == QueryKind::Queue ? CachedKind::Queue : CachedKind::Namespace, name);
}

bool ReviewView::exists(LiveQuery question) {
  if (const auto live = live_.find(question); live != live_.end()) return live->second != nullptr;
  wanted_.insert(std::move(question));
  return true;
}

std::vector<client::ObjectPtr> ReviewView::queues() const {
  std::vector<client::ObjectPtr> all;
  if (!has_all_queues_) {
    for (client::ObjectPtr& queue : known_.queues()) {
      const LiveQuery question{.kind = QueryKind::Queue, .name = std::string(api::name_of(queue->get_object()))};
      if (!live_.contains(question)) all.push_back(std::move(queue));
    }
  }
  for (const auto& [question, object] : live_) {
    if (question.kind == QueryKind::Queue && object != nullptr) all.push_back(object);
  }
  return all;
}

}  // namespace basalt::webhook
