#include "programs/webhook/review_view.h"

#include <utility>

#include "kube/api/object_fields.h"
#include "kube/text/time_zone.h"

namespace basalt::webhook {

admission::Lookup ReviewView::lookup() {
  return {
      .queue =
          [this](std::string_view name) {
            if (!name.empty()) wanted_.insert({.kind = Subject::Queue, .name = std::string(name)});
            return find(Subject::Queue, name);
          },
      .queues =
          [this] {
            wanted_.insert({.kind = Subject::Queue, .name = ""});
            return queues();
          },
      .name_space =
          [this](std::string_view name) {
            const client::ObjectPtr found = find(Subject::Namespace, name);
            if (found == nullptr && !name.empty()) {
              wanted_.insert({.kind = Subject::Namespace, .name = std::string(name)});
            }
            return found;
          },
      .time_zone = [](std::string_view name) { return text::load_time_zone(name).has_value(); },
      .priority_class =
          [this](std::string_view name) { return exists({.kind = Subject::PriorityClass, .name = std::string(name)}); },
      .claim =
          [this](std::string_view name_space, std::string_view name) {
            return exists({.kind = Subject::Claim, .name = std::string(name), .name_space = std::string(name_space)});
          }};
}

std::vector<Question> ReviewView::questions(bool refused) {
  std::vector<Question> open;
  for (const Question& one : std::exchange(wanted_, {})) {
    if (one.kind == Subject::Queue && !refused) continue;
    if (asked_.size() >= kMaxQuestions || !asked_.insert(one).second) continue;
    open.push_back(one);
  }
  return open;
}

void ReviewView::learn_queues(const std::vector<client::ObjectPtr>& queues) {
  has_all_queues_ = true;
  for (const client::ObjectPtr& queue : queues) {
    if (queue == nullptr || !queue->is_object()) continue;
    live_[{.kind = Subject::Queue, .name = std::string(api::name_of(queue->get_object()))}] = queue;
  }
}

client::ObjectPtr ReviewView::find(Subject kind, std::string_view name) const {
  if (const auto live = live_.find({.kind = kind, .name = std::string(name)}); live != live_.end()) return live->second;
  if (kind == Subject::Queue && has_all_queues_) return nullptr;
  return known_.find(kind == Subject::Queue ? Known::Queue : Known::Namespace, name);
}

bool ReviewView::exists(Question question) {
  if (const auto live = live_.find(question); live != live_.end()) return live->second != nullptr;
  wanted_.insert(std::move(question));
  return true;
}

std::vector<client::ObjectPtr> ReviewView::queues() const {
  std::vector<client::ObjectPtr> all;
  if (!has_all_queues_) {
    for (client::ObjectPtr& queue : known_.queues()) {
      const Question question{.kind = Subject::Queue, .name = std::string(api::name_of(queue->get_object()))};
      if (!live_.contains(question)) all.push_back(std::move(queue));
    }
  }
  for (const auto& [question, object] : live_) {
    if (question.kind == Subject::Queue && object != nullptr) all.push_back(object);
  }
  return all;
}

}  // namespace basalt::webhook
