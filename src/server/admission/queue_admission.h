// Queues as a tree, and messages about them that several kinds share.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/admission/webhook_handlers.h"

namespace basalt::admission {

// Steps of a walk upwards. Stored parents may form a circle; no sound tree comes near this depth.
inline constexpr int kMaxQueueSteps = 256;

[[nodiscard]] std::string_view parent_of(const text::Object& queue);  // spec.parent, "" when not given
[[nodiscard]] std::string_view queue_state(const text::Object& queue);
// Open, or no state yet: a queue takes work from its first second, also before a controller has looked at it.
[[nodiscard]] bool takes_work(const text::Object& queue);
[[nodiscard]] std::string queue_not_found(std::string_view name);  // as Kubernetes says it
// status.allocated.pods; 0 when not given.
[[nodiscard]] int64_t allocated_pods(const text::Object& queue);
// A parent that is a queue like others: "" and "root" stand for the top.
[[nodiscard]] bool is_inner(std::string_view parent);

// All queues as they are now, and who stands below whom. Cost to build: O(queues).
class QueueTree {
 public:
  explicit QueueTree(std::vector<ObjectPtr> queues);

  [[nodiscard]] const text::Object* find(std::string_view name) const;  // null: there is none
  // In the order of the list. Empty when it has none.
  [[nodiscard]] const std::vector<const text::Object*>& children(std::string_view name) const;
  // How many levels there are from `name` down, itself included; circles end where they close. Cost: O(subtree).
  [[nodiscard]] int height(std::string_view name) const;
  // Is `name` below `top`, or `top` itself?
  [[nodiscard]] bool is_below(std::string_view name, std::string_view top) const;

 private:
  std::vector<ObjectPtr> queues_;  // keeps the objects alive
  std::unordered_map<std::string_view, const text::Object*> by_name_;
  std::unordered_map<std::string_view, std::vector<const text::Object*>> children_;
};

// Amounts of a queue as Volcano's scheduler counts them: cpu and others in thousandths, memory and pods in whole units;
// names that it does not schedule by are left out. Sums stop at the largest number.
class QueueAmounts {
 public:
  QueueAmounts() = default;
  explicit QueueAmounts(const text::Object& list);

  void add(const QueueAmounts& other);
  [[nodiscard]] int64_t of(std::string_view resource) const;  // 0: not given
  // The names with an amount above zero: cpu, memory, then the others by name.
  [[nodiscard]] std::vector<std::string_view> names() const;
  // Does `other` have more of anything?
  [[nodiscard]] bool exceeded_by(const QueueAmounts& other) const;
  // "cpu 9000.00, memory 19327352832.00, nvidia.com/gpu 1000.00"
  [[nodiscard]] std::string text() const;

 private:
  int64_t cpu_ = 0, memory_ = 0;
  std::map<std::string, int64_t, std::less<>> others_;
};

// One amount as a person reads it: "10" cpus, "50Gi" of memory, others in thousandths with two digits ("8000.00").
[[nodiscard]] std::string amount_text(std::string_view resource, int64_t amount);

// spec.capability and so on, as amounts.
[[nodiscard]] QueueAmounts capability_of(const text::Object& queue);
[[nodiscard]] QueueAmounts deserved_of(const text::Object& queue);
[[nodiscard]] QueueAmounts guarantee_of(const text::Object& queue);

// The place in the tree: no circle, not too deep, under a parent that may have children.
[[nodiscard]] WebhookResult check_queue_place(const AdmissionRequest& request, const QueueTree& tree);
// Capability within that of the ancestors, sums of guarantees and deserved within the parent's, children within own.
[[nodiscard]] WebhookResult check_queue_resources(const AdmissionRequest& request, const QueueTree& tree);

}  // namespace basalt::admission
