// The response of one webhook path to a review. Pure.
#pragma once

#include <string>
#include <string_view>

#include "programs/webhook/review_text.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

// The row of admission::webhooks() for the path; nullptr: there is none.
[[nodiscard]] const admission::Webhook* webhook_at(std::string_view path);

// 1. Another resource or operation than the webhook's is refused, in Volcano's words.
// 2. Subresources ("status", "binding") are allowed unseen: what the rules are about does not stand there.
// 3. An object that Volcano could not decode is refused with the path of the field (admission::call).
// 4. A mutating webhook answers the patch between the object before and after.
// 5. A validating one that admits a new Job or CronJob warns of names that stand for nothing
// (server/admission/create_warnings.h).
[[nodiscard]] ReviewResponse answer_review(const admission::Webhook& webhook, const AdmissionReview& review,
                                           const admission::ObjectLookup& lookup,
                                           const admission::VolcanoAdmissionOptions& options);

}  // namespace basalt::webhook
