// A queue among its ancestors, siblings and children.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "kube/api/object_fields.h"
#include "server/admission/queue_admission.h"
#include "server/admission/refusal_message.h"

namespace basalt::admission {
namespace {

// How deep the queue will stand (1: below root), counted upwards from its parent.
std::expected<int, std::string> depth_of(const text::Object& queue, const QueueTree& tree, int most) {
  int depth = 1;
  for (std::string_view parent = parent_of(queue); is_inner(parent);) {
    if (++depth > std::min(most, kMaxQueueSteps)) {
      return deny(fmt::format("queue {} exceeds the maximum allowed depth of {}", api::name_of(queue), most),
                  "choose a parent nearer to root, or raise --max-queue-depth");
    }
    const text::Object* above = tree.find(parent);
    if (above == nullptr) {
      return deny(fmt::format("failed to get parent queue {} of queue {}: {}", parent, api::name_of(queue),
                              queue_not_found(parent)),
                  "spec.parent must name a queue that exists");
    }
    parent = parent_of(*above);
  }
  return depth;
}

// The nearest ancestor below root that limits the resource; 0: none does.
int64_t limit_above(const text::Object& queue, std::string_view resource, const QueueTree& tree) {
  std::string_view parent = parent_of(queue);
  for (int step = 0; is_inner(parent) && step < kMaxQueueSteps; ++step) {
    const text::Object* above = tree.find(parent);
    if (above == nullptr) return 0;
    if (const int64_t limit = capability_of(*above).of(resource); limit > 0) return limit;
    parent = parent_of(*above);
  }
  return 0;
}

WebhookResult check_below_ancestors(const text::Object& queue, const QueueTree& tree) {
  const QueueAmounts capability = capability_of(queue);
  for (const std::string_view resource : capability.names()) {
    const int64_t own = capability.of(resource);
    const int64_t limit = limit_above(queue, resource, tree);
    if (limit == 0 || own <= limit) continue;
    return deny(fmt::format("queue {} capability[{}]={} exceeds its ancestor's capability={}", api::name_of(queue),
                            resource, amount_text(resource, own), amount_text(resource, limit)),
                fmt::format("lower spec.capability.{}", resource));
  }
  return {};
}

// Guarantees and deserved of several queues, held against those of the one above them.
class Sums {
 public:
  Sums(const text::Object& above, std::string_view who)
      : who_(fmt::format("{} {}", who, api::name_of(above))),
        guarantee_(guarantee_of(above)),
        deserved_(deserved_of(above)) {}

  WebhookResult add(const text::Object& queue) {
    guarantees_.add(guarantee_of(queue));
    if (guarantee_.exceeded_by(guarantees_)) return refuse("guarantee", guarantees_, guarantee_);
    deserveds_.add(deserved_of(queue));
    if (deserved_.exceeded_by(deserveds_)) return refuse("deserved", deserveds_, deserved_);
    return {};
  }

 private:
  [[nodiscard]] WebhookResult refuse(std::string_view what, const QueueAmounts& sum, const QueueAmounts& limit) const {
    return deny(fmt::format("{0} validation failed: sum of children's {1} ({2}) exceeds parent's {1} limit ({3})", who_,
                            what, sum.text(), limit.text()),
                fmt::format("lower spec.{0} of the children or raise spec.{0} of their parent", what));
  }

  std::string who_;
  QueueAmounts guarantee_, deserved_, guarantees_, deserveds_;
};

WebhookResult check_siblings(const text::Object& queue, const QueueTree& tree) {
  const text::Object* parent = tree.find(parent_of(queue));
  if (parent == nullptr) {
    return deny(fmt::format("parent queue {} not found: {}", parent_of(queue), queue_not_found(parent_of(queue))),
                "spec.parent must name a queue that exists");
  }
  if (WebhookResult fits = check_below_ancestors(queue, tree); !fits) return fits;
  Sums sums(*parent, "parent queue");
  for (const text::Object* sibling : tree.children(parent_of(queue))) {
    if (api::name_of(*sibling) == api::name_of(queue)) continue;
    if (WebhookResult fits = sums.add(*sibling); !fits) return fits;
  }
  return sums.add(queue);
}

// The largest capability below: on every branch the topmost queue that names the resource counts.
int64_t most_below(const text::Object& queue, std::string_view resource, const QueueTree& tree,
                   const std::unordered_map<const text::Object*, QueueAmounts>& capabilities) {
  int64_t most = 0;
  std::unordered_set<std::string_view> seen{api::name_of(queue)};
  std::vector<const text::Object*> open = tree.children(api::name_of(queue));
  while (!open.empty()) {
    const text::Object* one = open.back();
    open.pop_back();
    if (!seen.insert(api::name_of(*one)).second) continue;
    if (const int64_t amount = capabilities.at(one).of(resource); amount > 0) {
      most = std::max(most, amount);
      continue;
    }
    const auto& children = tree.children(api::name_of(*one));
    open.insert(open.end(), children.begin(), children.end());
  }
  return most;
}

// The capabilities of all queues below, each read once.
std::unordered_map<const text::Object*, QueueAmounts> capabilities_below(const text::Object& queue,
                                                                         const QueueTree& tree) {
  std::unordered_map<const text::Object*, QueueAmounts> capabilities;
  std::vector<const text::Object*> open = tree.children(api::name_of(queue));
  while (!open.empty()) {
    const text::Object* one = open.back();
    open.pop_back();
    if (!capabilities.emplace(one, capability_of(*one)).second) continue;
    const auto& children = tree.children(api::name_of(*one));
    open.insert(open.end(), children.begin(), children.end());
  }
  return capabilities;
}

WebhookResult check_children(const text::Object& queue, const QueueTree& tree) {
  const auto& children = tree.children(api::name_of(queue));
  if (children.empty()) return {};
  const QueueAmounts capability = capability_of(queue);
  const auto capabilities = capabilities_below(queue, tree);
  for (const std::string_view resource : capability.names()) {
    const int64_t own = capability.of(resource);
    const int64_t most = most_below(queue, resource, tree, capabilities);
    if (own >= most) continue;
    return deny(fmt::format("queue {} capability[{}]={} is smaller than its descendants' max capability={}",
                            api::name_of(queue), resource, amount_text(resource, own), amount_text(resource, most)),
                fmt::format("raise spec.capability.{} or lower it below this queue", resource));
  }
  Sums sums(queue, "queue");
  for (const text::Object* child : children) {
    if (WebhookResult fits = sums.add(*child); !fits) return fits;
  }
  return {};
}

}  // namespace

WebhookResult check_queue_place(const AdmissionRequest& request, const QueueTree& tree) {
  const text::Object& queue = *request.object;
  const std::string_view name = api::name_of(queue);
  const std::string_view parent = parent_of(queue);
  if (!is_inner(parent)) return {};
  if (parent == name) return deny(fmt::format("queue {} cannot use itself as parent", name));
  if (tree.find(name) != nullptr && tree.is_below(parent, name)) {
    return deny(fmt::format("queue {} cannot use {} as parent, which is below it", name, parent),
                "choose a parent outside of the queue's own subtree");
  }
  const int most = request.options.max_queue_depth;
  const auto depth = depth_of(queue, tree, most);
  if (!depth) return std::unexpected(depth.error());
  if (*depth + tree.height(name) - 1 > most) {
    return deny(fmt::format("queue {} exceeds the maximum allowed depth of {}", name, most),
                "the queues below it count, too");
  }
  const text::Object* above = tree.find(parent);
  if (above != nullptr && tree.children(parent).empty() && allocated_pods(*above) != 0) {
    return deny(fmt::format("queue {} cannot be the parent queue of queue {} because it has allocated Pods: {}", parent,
                            name, allocated_pods(*above)),
                "wait until its jobs are over, or choose another parent");
  }
  return {};
}

WebhookResult check_queue_resources(const AdmissionRequest& request, const QueueTree& tree) {
  const text::Object& queue = *request.object;
  if (is_inner(parent_of(queue))) {
    if (WebhookResult fits = check_siblings(queue, tree); !fits) return fits;
  }
  return check_children(queue, tree);
}

}  // namespace basalt::admission
