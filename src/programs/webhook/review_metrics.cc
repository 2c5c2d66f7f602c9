#include "programs/webhook/review_metrics.h"

#include <algorithm>
#include <array>

#include "server/admission/webhooks.h"

namespace basalt::webhook {
namespace {

constexpr std::array<std::string_view, 3> kEnds = {"allowed", "denied", "broken"};

}  // namespace

ReviewMetrics::ReviewMetrics() {
  for (const admission::Webhook& webhook : admission::webhooks()) {
    for (const std::string_view end : kEnds) static_cast<void>(reviews_.at({webhook.path, end}));
    static_cast<void>(times_.at({webhook.path}));
  }
}

void ReviewMetrics::count(std::string_view path, ReviewResult end, double seconds) {
  const auto known = [path](const admission::Webhook& webhook) { return webhook.path == path; };
  if (std::ranges::none_of(admission::webhooks(), known)) return;
  reviews_.at({path, kEnds[static_cast<size_t>(end)]}).add();
  times_.at({path}).observe(seconds);
}

}  // namespace basalt::webhook
