// Any text as objects of Volcano's kinds, before every webhook: whatever they hold, a review answers, a refusal is
// short, and what was filled in once is not changed by filling in again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"
#include "server/admission/refusal_message.h"
#include "server/admission/webhooks.h"

namespace {

using namespace basalt;

// All documents are queues at the same time, so that trees (and circles) of queues come about.
admission::ObjectLookup lookup_in(const std::vector<admission::ObjectPtr>& objects) {
  const auto find = [&objects](std::string_view name) -> admission::ObjectPtr {
    for (const admission::ObjectPtr& one : objects) {
      if (api::name_of(one->get_object()) == name) return one;
    }
    return nullptr;
  };
  return {.queue = find, .queues = [&objects] { return objects; }, .namespace_name = find, .time_zone = {}};
}

void review(const admission::Webhook& webhook, const admission::AdmissionRequest& request) {
  if (webhook.validate != nullptr) {
    const admission::WebhookResult verdict = admission::call(webhook, request, nullptr);
    check(verdict || (!verdict.error().empty() && verdict.error().size() < 2 * admission::kMaxRefusalBytes),
          "a refusal says why, in bounds");
    return;
  }
  if (request.object == nullptr) return;
  text::Object once = *request.object;
  if (!admission::call(webhook, request, &once)) return;
  if (webhook.plural == "queues") return;  // a path gets its root each time it does not start with one
  text::Object twice = once;
  admission::AdmissionRequest again = request;
  again.object = &twice;
  check(admission::call(webhook, again, &twice).has_value(), "what was allowed once is allowed again");
  // By text: YAML has numbers that do not equal themselves.
  check(text::to_json(once) == text::to_json(twice), "filling in is done after one time");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto documents = text::parse_documents({reinterpret_cast<const char*>(data), size});
  if (!documents) return 0;
  std::vector<admission::ObjectPtr> objects;
  for (const text::Document& document : *documents) {
    if (document.value.is_object()) objects.push_back(std::make_shared<const text::Value>(document.value));
  }
  const admission::ObjectLookup lookup = lookup_in(objects);
  const admission::VolcanoAdmissionOptions options;
  for (const admission::ObjectPtr& one : objects) {
    const text::Object& object = one->get_object();
    for (const admission::Webhook& webhook : admission::webhooks()) {
      for (const auto operation : {admission::WebhookOperation::Create, admission::WebhookOperation::Update,
                                   admission::WebhookOperation::Delete}) {
        const bool gone = operation == admission::WebhookOperation::Delete;
        // The rules bear wrong types too, though nothing of them comes so far.
        for (const bool decoded : {false, true}) {
          review(webhook,
                 {.operation = operation,
                  .name = api::name_of(object),
                  .namespace_name = api::namespace_of(object),
                  .object = gone ? nullptr : &object,
                  .old = operation == admission::WebhookOperation::Create ? nullptr : &objects.front()->get_object(),
                  .lookup = lookup,
                  .options = options,
                  .decoded = decoded});
        }
      }
    }
  }
  return 0;
}
