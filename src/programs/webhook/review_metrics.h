// How many reviews there were, how they ended and how long they took. From any thread; bounded by the table of paths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube/text/metric_registry.h"

namespace basalt::webhook {

enum class ReviewResult : uint8_t { Allowed, Denied, Broken };  // Broken: no review, or not ready

class ReviewMetrics {
 public:
  ReviewMetrics();
  // Other paths than those of admission::webhooks() are not counted.
  void count(std::string_view path, ReviewResult end, double seconds);
  [[nodiscard]] std::string text() const { return page_.text(); }

 private:
  text::MetricRegistry page_;
  text::Counters& reviews_ =
      page_.counters({"volcano_admission_reviews_total", "Reviews by path and how they ended.", {"path", "result"}});
  text::Histograms& times_ = page_.histograms({.name = "volcano_admission_review_duration_seconds",
                                               .help = "How long reviews took, questions to the API included.",
                                               .labels = {"path"},
                                               .bounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5}});
};

}  // namespace basalt::webhook
