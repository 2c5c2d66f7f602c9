// Who stands below whom (declared in queue_admission.h).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "kube/api/go_quote.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/resource_checks.h"
#include "kube/api/views/volcano_queue_view.h"
#include "kube/api/volcano_keys.h"
#include "server/admission/queue_admission.h"

namespace basalt::admission {
namespace {}  // namespace

std::string_view parent_of(const text::Object& queue) { return api::QueueView(queue).spec().parent(); }

std::string_view queue_state(const text::Object& queue) { return api::QueueView(queue).status().state(); }

bool takes_work(const text::Object& queue) {
  const std::string_view state = queue_state(queue);
  return state.empty() || state == "Open";
}

std::string queue_not_found(std::string_view name) {
  return fmt::format("queue.scheduling.volcano.sh {} not found", api::go_quote(name));
}

int64_t allocated_pods(const text::Object& queue) {
  const text::Value* pods = member_of(part_of(part_of(queue, "status"), "allocated"), "pods");
  return pods == nullptr ? 0 : api::rules::amount_of(*pods).value();
}

bool is_inner(std::string_view parent) { return !parent.empty() && parent != api::keys::kRootQueue; }

QueueTree::QueueTree(std::vector<ObjectPtr> queues) : queues_(std::move(queues)) {
  for (const ObjectPtr& one : queues_) {
    if (one == nullptr || !one->is_object()) continue;
    const text::Object& queue = one->get_object();
    by_name_.emplace(api::name_of(queue), &queue);
    if (const std::string_view parent = parent_of(queue); !parent.empty()) children_[parent].push_back(&queue);
  }
}

const text::Object* QueueTree::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const std::vector<const text::Object*>& QueueTree::children(std::string_view name) const {
  static const std::vector<const text::Object*> kNone;
  const auto found = children_.find(name);
  return found == children_.end() ? kNone : found->second;
}

int QueueTree::height(std::string_view name) const {
  std::unordered_set<std::string_view> seen{name};
  std::vector<std::string_view> level{name};
  int levels = 0;
  for (; !level.empty(); ++levels) {
    std::vector<std::string_view> next;
    for (const std::string_view one : level) {
      for (const text::Object* child : children(one)) {
        if (seen.insert(api::name_of(*child)).second) next.push_back(api::name_of(*child));
      }
    }
    level = std::move(next);
  }
  return levels;
}

bool QueueTree::is_below(std::string_view name, std::string_view top) const {
  for (int step = 0; step < kMaxQueueSteps; ++step) {
    if (name == top) return true;
    const text::Object* queue = find(name);
    if (queue == nullptr || !is_inner(parent_of(*queue))) return false;
    name = parent_of(*queue);
  }
  return false;
}

}  // namespace basalt::admission
