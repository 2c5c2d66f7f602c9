// Admission of Volcano's kinds: may this object come in, and what is filled in first?
//
// Pure functions over one request and what it may look up; the embedded server calls them in process, and the webhook
// server wraps them in AdmissionReview. A row of webhooks() is one of Volcano's paths: "/jobs/mutate" fills in
// defaults, "/jobs/validate" refuses what cannot work. A refusal is one message in Volcano's words, naming field, value
// and remedy: Volcano's own text as it is, then the remedy in parentheses.
//
// Whatever an object holds (wrong types, huge maps, cycles of queues), a review answers. Objects enter by call(), which
// refuses what Volcano's programs could not decode: behind it, nothing of a wrong type is taken for "not given" and
// replaced by a default. Cost: O(object), and O(queues) where a rule is about the tree of queues.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/text/json.h"

namespace basalt::admission {

using text::ObjectPtr;

enum class WebhookOperation : uint8_t { Create = 1, Update = 2, Delete = 4 };

// One group of `--admission-conf`: pods that match it get its scheduler, labels, tolerations and affinity.
struct ResourceGroup {
  std::string name, key;  // key: "namespace", "annotation" or "" (by the annotation volcano.sh/resource-group)
  std::vector<std::string> values;
  std::string scheduler_name;
  text::Object labels;
  text::Array tolerations;
  text::Value affinity;  // null: none
};

struct VolcanoAdmissionOptions {
  std::vector<std::string> scheduler_names{"volcano"};
  int max_queue_depth = 5;
  bool check_allocated_pods = false;  // a queue with allocated pods cannot be deleted
  bool protect_root_queue = true;     // the root queue's resources cannot be changed
  bool gate_queue_admission = false;  // SchedulingGatesQueueAdmission
  bool pod_level_resources = true;    // Kubernetes' gate: off, templates' spec.resources do not count
  std::vector<ResourceGroup> resource_groups;
};

// Other objects, as they are now. Values stay alive while the review holds them.
struct ObjectLookup {
  std::function<ObjectPtr(std::string_view name)> queue;  // null: there is none
  std::function<std::vector<ObjectPtr>()> queues;
  std::function<ObjectPtr(std::string_view name)> namespace_name;
  // Is there a time zone of this name? Unset: every well-formed name is believed.
  std::function<bool(std::string_view name)> time_zone;
  // Does it exist? For warnings only (create_warnings.h). Unset: not known.
  std::function<bool(std::string_view name)> priority_class = {};
  std::function<bool(std::string_view namespace_name, std::string_view name)> claim = {};
};

struct AdmissionRequest {
  WebhookOperation operation = WebhookOperation::Create;
  std::string_view name, namespace_name;
  const text::Object* object = nullptr;  // null: Delete
  const text::Object* old = nullptr;     // null: Create
  const ObjectLookup& lookup;
  const VolcanoAdmissionOptions& options;
  // Both objects were decoded strictly before (built-in kinds in the embedded server): call() need not do it again.
  bool decoded = false;
};

using WebhookResult = std::expected<void, std::string>;  // the error is the message of the refusal

struct Webhook {
  std::string_view path;  // "/jobs/mutate"
  std::string_view name;  // "mutatejob.volcano.sh"
  std::string_view group, version, plural;
  unsigned operations;               // of WebhookOperation, or-ed
  std::string_view other_operation;  // what is said to any other one; "{}" stands for its name
  // One of the two, for call() only. `mutate` changes `object`, which is the request's own.
  WebhookResult (*mutate)(const AdmissionRequest& request, text::Object& object) = nullptr;
  WebhookResult (*validate)(const AdmissionRequest& request) = nullptr;
};

// Calls the webhook. What Volcano could not decode is refused first, as it refuses it: "json: cannot unmarshal string
// into Go struct field spec.minAvailable of type int32". Requires: the operation is among `webhook.operations`; where
// the webhook mutates, `object` is what request.object points to (otherwise it is not looked at).
[[nodiscard]] WebhookResult call(const Webhook& webhook, const AdmissionRequest& request, text::Object* object);

// The refusal of an operation that is not among `webhook.operations`; `operation` is its name ("CONNECT").
[[nodiscard]] std::string refuse_operation(const Webhook& webhook, std::string_view operation);

// In the order in which they run: all that mutate, then all that validate.
[[nodiscard]] std::span<const Webhook> webhooks();

}  // namespace basalt::admission
