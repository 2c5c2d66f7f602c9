// The HTTP side of reviews: which path is asked, whether it is a review at all, and the answer to it.
//
//   200  an AdmissionReview that says allowed or not      404  no such path, or it is not enabled
//   400  the body is no AdmissionReview; the text says why  405  another method than POST (pages: GET, HEAD)
//   413  more than kMaxReviewBytes (net::ServerLimits)          415  another content type than application/json
//   503  queues are not known yet: kube-apiserver goes by the failurePolicy
//
// GET /healthz answers ok, GET /readyz says why not.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kube/net/http.h"
#include "kube/net/server.h"
#include "programs/webhook/live_reviews.h"
#include "programs/webhook/review_metrics.h"
#include "programs/webhook/webhook_log.h"

namespace basalt::webhook {

struct ReviewHandler {
  std::map<std::string, const admission::Webhook*, std::less<>> paths;
  LiveReviews* reviews = nullptr;    // never null while requests come
  ReviewMetrics* metrics = nullptr;  // likewise
  std::function<std::string()> not_ready;
  std::function<bool()> knows_queues;
  std::function<std::shared_ptr<const admission::VolcanoAdmissionOptions>()> options;
  WebhookLog log;
};

// By its header alone: 404, 405 and 415 come before a body is read.
[[nodiscard]] net::BodyAdmission admit_body(const ReviewHandler& handler, const net::HttpRequest& head);

// Answers at once, or when the API has told what the review hangs on. Never waits.
void serve(const std::shared_ptr<const ReviewHandler>& handler, const std::shared_ptr<net::HttpExchange>& exchange);

}  // namespace basalt::webhook
