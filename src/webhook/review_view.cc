#include "webhook/review_view.h"

#include <utility>

#include "admission/queues.h"
#include "api/object_fields.h"
#include "text/time_zone.h"

namespace basalt::webhook {

admission::Lookup ReviewView::lookup() {
  return {.queue =
              [this](std::string_view name) {
                const client::ObjectPtr found = find(Known::Queue, name);
                if (found == nullptr || !admission::takes_work(found->get_object())) {
                  wanted_.insert({.kind = Known::Queue, .name = std::string(name)});
                }
                return found;
              },
          .queues = [this] { return queues(); },
          .name_space =
              [this](std::string_view name) {
                const client::ObjectPtr found = find(Known::Namespace, name);
                if (found == nullptr) wanted_.insert({.kind = Known::Namespace, .name = std::string(name)});
                return found;
              },
          .time_zone = [](std::string_view name) { return text::load_time_zone(name).has_value(); }};
}

std::vector<Question> ReviewView::questions(const admission::Webhook& webhook, const Review& review, bool refused) {
  if (refused && webhook.plural == "queues") want_ancestors(review);
  std::vector<Question> open;
  for (const Question& one : std::exchange(wanted_, {})) {
    if ((one.kind == Known::Queue && !refused) || one.name.empty()) continue;
    if (asked_.size() >= kMaxQuestions || !asked_.insert(one).second) continue;
    open.push_back(one);
  }
  return open;
}

client::ObjectPtr ReviewView::find(Known kind, std::string_view name) const {
  if (const auto live = live_.find({.kind = kind, .name = std::string(name)}); live != live_.end()) return live->second;
  return known_.find(kind, name);
}

std::vector<client::ObjectPtr> ReviewView::queues() const {
  std::vector<client::ObjectPtr> all;
  for (client::ObjectPtr& queue : known_.queues()) {
    const Question question{.kind = Known::Queue, .name = std::string(api::name_of(queue->get_object()))};
    if (!live_.contains(question)) all.push_back(std::move(queue));
  }
  for (const auto& [question, object] : live_) {
    if (question.kind == Known::Queue && object != nullptr) all.push_back(object);
  }
  return all;
}

void ReviewView::want_ancestors(const Review& review) {
  if (!review.object) return;
  std::string parent(admission::parent_of(*review.object));
  for (size_t step = 0; step < kMaxQuestions && admission::is_inner(parent); ++step) {
    const client::ObjectPtr found = find(Known::Queue, parent);
    if (found == nullptr) {
      wanted_.insert({.kind = Known::Queue, .name = parent});
      return;
    }
    parent = admission::parent_of(found->get_object());
  }
}

}  // namespace basalt::webhook
