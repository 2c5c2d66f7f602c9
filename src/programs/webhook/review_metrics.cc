#include "programs/webhook/review_metrics.h"

#include <algorithm>

#include "kube/text/prometheus.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {
namespace {

constexpr std::array<std::string_view, 3> kEnds = {"allowed", "denied", "broken"};

}  // namespace

ReviewMetrics::ReviewMetrics() {
  for (size_t i = 0; i < admission::webhooks().size(); ++i) rows_.push_back(std::make_unique<Row>());
}

void ReviewMetrics::count(std::string_view path, ReviewResult end, double seconds) {
  const auto all = admission::webhooks();
  const auto found = std::ranges::find(all, path, &admission::Webhook::path);
  if (found == all.end()) return;
  Row& row = *rows_[static_cast<size_t>(found - all.begin())];
  const auto bucket = std::ranges::lower_bound(kBounds, seconds) - kBounds.begin();
  ++row.ends[static_cast<size_t>(end)];
  ++row.buckets[static_cast<size_t>(bucket)];
  row.seconds.fetch_add(seconds);
}

std::string ReviewMetrics::text() const {
  constexpr std::string_view kReviews = "volcano_admission_reviews_total";
  constexpr std::string_view kTimes = "volcano_admission_review_duration_seconds";
  std::string out;
  text::append_family(out, kReviews, "counter", "Reviews by path and how they ended.");
  const auto all = admission::webhooks();
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t end = 0; end < kEnds.size(); ++end) {
      std::string labels;
      text::append_label(labels, "path", all[i].path);
      text::append_label(labels, "result", kEnds[end]);
      text::append_series(out, kReviews, labels, static_cast<double>(rows_[i]->ends[end].load()));
    }
  }
  text::append_family(out, kTimes, "histogram", "How long reviews took, questions to the API included.");
  for (size_t i = 0; i < all.size(); ++i) {
    std::string labels;
    text::append_label(labels, "path", all[i].path);
    std::array<uint64_t, kBounds.size() + 1> counts{};
    for (size_t bucket = 0; bucket < counts.size(); ++bucket) counts[bucket] = rows_[i]->buckets[bucket];
    text::append_histogram(out, kTimes, labels, kBounds, counts, rows_[i]->seconds);
  }
  return out;
}

}  // namespace basalt::webhook
