// Reviews that may have to ask the API before they are answered, without a thread that waits.
//
// 1. Each review is answered once: when nothing is left to ask, when kLiveQueryTimeout is over (then as it was before
//    the question), or at stop().
// 2. At most kMaxReviewsAsking reviews ask at a time; others are answered from what is known.
// 3. The answer is given on the caller's thread or on one of the client's.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/instant.h"
#include "kube/client/object_client.h"
#include "programs/webhook/admission_cache.h"
#include "programs/webhook/review_text.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

inline constexpr size_t kMaxReviewsAsking = 256;
inline constexpr Duration kLiveQueryTimeout = Duration::seconds(3);  // well below the timeout of a webhook

class LiveReviews {
 public:
  using Done = std::function<void(const AdmissionReview&, const ReviewResponse&)>;

  // Requires: `client` outlives it and every call under way.
  LiveReviews(client::ObjectClient& client, std::shared_ptr<const AdmissionCache> known);
  ~LiveReviews() { stop(); }
  LiveReviews(const LiveReviews&) = delete;
  LiveReviews& operator=(const LiveReviews&) = delete;

  void answer(const admission::Webhook& webhook, AdmissionReview review,
              std::shared_ptr<const admission::VolcanoAdmissionOptions> options, Instant now, Done done);
  // Answers those that have asked for too long.
  void sweep(Instant now);
  // Answers all that ask, and asks no more. No answer is being given when it returns; not from a Done.
  void stop();

  [[nodiscard]] uint64_t asked() const;  // questions so far

 private:
  struct Task;
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared, const std::shared_ptr<Task>& task);
  static void finish(const std::shared_ptr<Shared>& shared, const std::shared_ptr<Task>& task);

  std::shared_ptr<Shared> shared_;  // shared with calls under way
};

}  // namespace basalt::webhook
