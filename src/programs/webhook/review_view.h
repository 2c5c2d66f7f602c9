// What one review sees of other objects: what is known, and what the API said when it was asked meanwhile.
//
// What is known may be a moment old: a queue that a person made, and the job in it a second later, must not meet
// "unable to find job queue", nor may a queue whose last child was deleted a moment ago be kept for that child. So a
// view remembers what a review looked at, as questions for the API; a refusal stands only when their answers are in and
// the review was made again with them. What nobody watches (PriorityClasses, claims; only warnings depend on them) is
// taken to exist until the API says otherwise. Pure; one review at a time.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "programs/webhook/admission_cache.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

inline constexpr size_t kMaxLiveQueries = 16;  // about one review; more than the depth of a tree of queues

enum class QueryKind : uint8_t { Queue, Namespace, PriorityClass, Claim };

struct LiveQuery {
  QueryKind kind = QueryKind::Queue;
  std::string name;                 // "": all of them; of queues only
  std::string namespace_name = {};  // of claims only
  friend auto operator<=>(const LiveQuery&, const LiveQuery&) = default;
};

class ReviewView {
 public:
  explicit ReviewView(const AdmissionCache& known) : known_(known) {}
  ReviewView(const ReviewView&) = delete;
  ReviewView& operator=(const ReviewView&) = delete;

  // It refers to the view.
  [[nodiscard]] admission::ObjectLookup lookup();

  // What to ask before the answer to this review is given, each question once; nothing: the answer stands.
  // 1. Namespaces, PriorityClasses and claims that the review looked for and are not known.
  // 2. After a refusal, every queue that it looked at by name, and all of them if it looked through them.
  [[nodiscard]] std::vector<LiveQuery> questions(bool refused);
  // The API's answer; null: there is none. Requires: a question about one object.
  void learn(const LiveQuery& question, client::ObjectPtr object) { live_[question] = std::move(object); }
  // Likewise about all queues.
  void learn_queues(const std::vector<client::ObjectPtr>& queues);

 private:
  [[nodiscard]] client::ObjectPtr find(QueryKind kind, std::string_view name) const;
  [[nodiscard]] bool exists(LiveQuery question);
  [[nodiscard]] std::vector<client::ObjectPtr> queues() const;

  const AdmissionCache& known_;
  std::map<LiveQuery, client::ObjectPtr> live_;
  bool has_all_queues_ = false;  // those that are not in live_ do not exist
  std::set<LiveQuery> wanted_, asked_;
};

}  // namespace basalt::webhook
