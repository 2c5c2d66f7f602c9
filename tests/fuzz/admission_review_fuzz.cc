// Any bytes as the body of a request to every webhook: a review is answered within bounds or refused with a reason, a
// patch can be applied, and a conf of resource groups loads or says why not.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/text/patch.h"
#include "programs/webhook/admission_conf.h"
#include "programs/webhook/answer_review.h"
#include "programs/webhook/match_conditions.h"
#include "programs/webhook/review_view.h"
#include "server/admission/refusal_message.h"

namespace {

using namespace basalt;

void answer(const admission::Webhook& webhook, const webhook::AdmissionReview& review,
            const webhook::AdmissionCache& known, const admission::VolcanoAdmissionOptions& options) {
  webhook::ReviewView view(known);
  const webhook::ReviewResponse given = webhook::answer_review(webhook, review, view.lookup(), options);
  const bool refused = !given.verdict.has_value();
  const auto questions = view.questions(refused);
  check(questions.size() <= webhook::kMaxLiveQueries, "questions are few");
  for (const webhook::LiveQuery& one : questions) view.learn(one, nullptr);
  const std::string text = webhook::answer_text(review.uid, given);
  check(text::parse_json(text).has_value(), "an answer is JSON");
  if (refused || given.patch.empty()) return;
  check(given.patch.size() <= text::kMaxJsonPatchOperations || review.object->size() > 1000, "a patch is in bounds");
  const auto patched = text::json_patch(*review.object, given.patch);
  check(patched.has_value() && patched->is_object(), "a patch can be applied");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  admission::VolcanoAdmissionOptions options;
  options.gate_queue_admission = true;
  if (auto groups = webhook::read_admission_conf(body)) options.resource_groups = std::move(*groups);
  webhook::AdmissionCache known;
  auto review = webhook::read_review(body);
  if (review && review->object) known.learn(webhook::CachedKind::Queue, std::make_shared<text::Value>(*review->object));
  for (const admission::Webhook& webhook : admission::webhooks()) {
    static_cast<void>(webhook::match_conditions(webhook, options));
    if (!review) continue;
    answer(webhook, *review, known, options);
    // The same object, as if it was this webhook's kind.
    webhook::AdmissionReview ours = *review;
    ours.resource = {.group = std::string(webhook.group),
                     .version = std::string(webhook.version),
                     .plural = std::string(webhook.plural)};
    ours.subresource.clear();
    answer(webhook, ours, known, options);
  }
  return 0;
}
