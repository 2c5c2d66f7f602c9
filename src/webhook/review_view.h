// What one review sees of other objects: what is known, and what the API said when it was asked meanwhile.
//
// What is known may be a moment old: a queue that a person made, and the job in it a second later, must not meet
// "unable to find job queue". So a view remembers which objects a refusal may hang on, as questions for the API; their
// answers go in, and the review is made again. Pure; one review at a time.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admission/review.h"
#include "webhook/known_objects.h"
#include "webhook/review_text.h"

namespace basalt::webhook {

inline constexpr size_t kMaxQuestions = 16;  // about one review; more than the depth of a tree of queues

struct Question {
  Known kind = Known::Queue;
  std::string name;
  friend auto operator<=>(const Question&, const Question&) = default;
};

class ReviewView {
 public:
  explicit ReviewView(const KnownObjects& known) : known_(known) {}
  ReviewView(const ReviewView&) = delete;
  ReviewView& operator=(const ReviewView&) = delete;

  // It refers to the view.
  [[nodiscard]] admission::Lookup lookup();

  // What to ask before the answer to this review is given, each question once; nothing: the answer stands.
  // 1. Namespaces that the review looked for and are not known.
  // 2. After a refusal, queues by name that are not known or take no work, and the missing ancestors of a queue.
  [[nodiscard]] std::vector<Question> questions(const admission::Webhook& webhook, const Review& review, bool refused);
  // The API's answer; null: there is none.
  void learn(const Question& question, client::ObjectPtr object) { live_[question] = std::move(object); }

 private:
  [[nodiscard]] client::ObjectPtr find(Known kind, std::string_view name) const;
  [[nodiscard]] std::vector<client::ObjectPtr> queues() const;
  void want_ancestors(const Review& review);

  const KnownObjects& known_;
  std::map<Question, client::ObjectPtr> live_;
  std::set<Question> wanted_, asked_;
};

}  // namespace basalt::webhook
