#include "control/scheduler/queue_writes.h"

#include <algorithm>
#include <utility>

#include "engine/model/resource_units.h"
#include "kube/api/volcano_keys.h"

namespace basalt::scheduler {
namespace {

// The queue above; none above root, or where root does not exist.
model::QueueId parent_of(const model::ClusterState& state, model::QueueId queue, model::QueueId root) {
  if (!root.valid() || queue == root) return {};
  const std::string& named = state.queue(queue).parent;
  return named.empty() ? root : state.find_queue(named);
}

text::Object difference(const api::ResourceList& from, const api::ResourceList& to) {
  text::Object change;
  for (const auto& [name, amount] : to) {
    const auto known = from.find(name);
    if (known == from.end() || !(known->second == amount)) change[name] = amount.to_string();
  }
  for (const auto& [name, amount] : from) {
    if (!to.contains(name)) change[name] = nullptr;
  }
  return change;
}

}  // namespace

IdVector<model::QueueId, model::ResourceVec> allocated_by_queue(const model::ClusterState& state) {
  IdVector<model::QueueId, model::ResourceVec> own(state.queue_rows()), all(state.queue_rows());
  for (size_t j = 0; j < state.job_rows(); ++j) {
    const model::Job& job = state.job(model::JobId(j));
    if (job.schedulable()) own[job.queue_id].add(job.allocated);
  }
  const model::QueueId root = state.find_queue(api::keys::kRootQueue);
  for (size_t q = 0; q < state.queue_rows(); ++q) {
    model::QueueId at(q);
    if (!state.queue(at).alive) continue;
    for (size_t level = 0; level < kMaxQueueDepth && at.valid(); ++level) {
      all[at].add(own[model::QueueId(q)]);
      at = parent_of(state, at, root);
    }
  }
  return all;
}

api::ResourceList to_resource_list(const model::ResourceVec& amounts, const model::ResourceSchema& schema) {
  using text::Quantity;
  api::ResourceList list;
  list["cpu"] = Quantity::from_milli(amounts[model::kCpu]);
  list["memory"] = Quantity::from_units(amounts[model::kMemory], text::QuantityFormat::BinarySI);
  for (size_t r = model::kPods.index(); r < amounts.size(); ++r) {
    const model::ResourceId id(r);
    if (amounts[id] == 0) continue;
    const std::string_view name = schema.name(id);
    list[std::string(name)] =
        model::is_whole(name) ? Quantity::from_units(amounts[id]) : Quantity::from_milli(amounts[id]);
  }
  return list;
}

void QueueWrites::write_due(Instant now, CycleOutput& out) {
  if (!changed_ || now < not_before_) return;
  changed_ = false;
  not_before_ = now + kQueueStatusEvery;
  const auto allocated = allocated_by_queue(state_);
  for (size_t q = 0; q < state_.queue_rows(); ++q) {
    const model::Queue& queue = state_.queue(model::QueueId(q));
    QueueRow* row = queue.alive ? cache_.queue(queue.name) : nullptr;
    if (row == nullptr) continue;
    if (row->writing) {
      changed_ = true;  // it is compared with what comes of that
      continue;
    }
    text::Object change = difference(row->allocated, to_resource_list(allocated[model::QueueId(q)], state_.schema));
    if (change.empty()) continue;
    row->writing = true;
    PendingWrite write{.kind = WriteKind::WriteQueue, .key = queue.name, .uid = row->uid, .posted = now};
    write.call =
        loop::patch_status(target_of(SchedulerKind::Queue, queue.name, row->uid), {{"allocated", std::move(change)}});
    out.writes.push_back(std::move(write));
  }
}

void QueueWrites::answered(const PendingWrite& write, bool good, Instant now) {
  QueueRow* row = cache_.queue(write.key);
  if (row != nullptr && row->uid == write.uid) row->writing = false;
  if (good) return;
  changed_ = true;
  not_before_ = std::max(not_before_, now + kQueueStatusRetry);
}

std::optional<Instant> QueueWrites::next_due() const {
  return changed_ ? std::optional<Instant>(not_before_) : std::nullopt;
}

}  // namespace basalt::scheduler
