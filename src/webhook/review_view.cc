#include "webhook/review_view.h"

#include <utility>

#include "api/object_fields.h"
#include "text/time_zone.h"

namespace basalt::webhook {

admission::Lookup ReviewView::lookup() {
  return {.queue =
              [this](std::string_view name) {
                if (!name.empty()) wanted_.insert({.kind = Known::Queue, .name = std::string(name)});
                return find(Known::Queue, name);
              },
          .queues =
              [this] {
                wanted_.insert({.kind = Known::Queue, .name = ""});
                return queues();
              },
          .name_space =
              [this](std::string_view name) {
                const client::ObjectPtr found = find(Known::Namespace, name);
                if (found == nullptr && !name.empty()) {
                  wanted_.insert({.kind = Known::Namespace, .name = std::string(name)});
                }
                return found;
              },
          .time_zone = [](std::string_view name) { return text::load_time_zone(name).has_value(); }};
}

std::vector<Question> ReviewView::questions(bool refused) {
  std::vector<Question> open;
  for (const Question& one : std::exchange(wanted_, {})) {
    if (one.kind == Known::Queue && !refused) continue;
    if (asked_.size() >= kMaxQuestions || !asked_.insert(one).second) continue;
    open.push_back(one);
  }
  return open;
}

void ReviewView::learn_queues(const std::vector<client::ObjectPtr>& queues) {
  has_all_queues_ = true;
  for (const client::ObjectPtr& queue : queues) {
    if (queue == nullptr || !queue->is_object()) continue;
    live_[{.kind = Known::Queue, .name = std::string(api::name_of(queue->get_object()))}] = queue;
  }
}

client::ObjectPtr ReviewView::find(Known kind, std::string_view name) const {
  if (const auto live = live_.find({.kind = kind, .name = std::string(name)}); live != live_.end()) return live->second;
  if (kind == Known::Queue && has_all_queues_) return nullptr;
  return known_.find(kind, name);
}

std::vector<client::ObjectPtr> ReviewView::queues() const {
  std::vector<client::ObjectPtr> all;
  if (!has_all_queues_) {
    for (client::ObjectPtr& queue : known_.queues()) {
      const Question question{.kind = Known::Queue, .name = std::string(api::name_of(queue->get_object()))};
      if (!live_.contains(question)) all.push_back(std::move(queue));
    }
  }
  for (const auto& [question, object] : live_) {
    if (question.kind == Known::Queue && object != nullptr) all.push_back(object);
  }
  return all;
}

}  // namespace basalt::webhook
