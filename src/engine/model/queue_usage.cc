#include "engine/model/queue_usage.h"

#include <algorithm>

#include "engine/model/readiness.h"

namespace basalt::model {

namespace {

template <class Held>
void add_minimum(const Job& job, ResourceVec& sum, Held held) {
  if (!job.min_resources) return;
  const bool gated = !job.gated.is_empty();
  for (size_t i = 0; i < job.min_resources->amount.size(); ++i) {
    const ResourceId id(i);
    if (!job.min_resources->has(id)) continue;
    Amount rest = std::max<Amount>(0, (*job.min_resources)[id] - held(id));
    if (gated) rest = std::max<Amount>(0, rest - job.gated[id]);
    sum.at(id) += rest;
  }
}

}  // namespace

bool holds_promise(const Job& job) {
  if (!job.min_resources) return false;
  if (job.status.phase == PodGroupPhase::Inqueue) return true;
  return job.status.phase == PodGroupPhase::Running && allocated_tasks(job.counts) >= job.min_available;
}

void add_uncovered_minimum(const Job& job, ResourceVec& sum) {
  add_minimum(job, sum, [&](ResourceId id) { return job.allocated[id]; });
}

void add_promised_minimum(const Job& job, ResourceVec& sum) {
  add_minimum(job, sum, [](ResourceId) { return Amount{0}; });
}

void QueueUsage::charge(const Job& job) {
  allocated.add(job.allocated);
  request.add(job.allocated);
  request.add(job.pending);
  if (holds_promise(job)) add_uncovered_minimum(job, inqueue);
  for (size_t i = 0; i < job.allocated.size(); ++i) {
    const ResourceId id(i);
    const Amount minimum = job.min_resources ? (*job.min_resources)[id] : 0;
    elastic.at(id) += std::max<Amount>(0, job.allocated[id] - minimum);
  }
}

void QueueUsage::add(const QueueUsage& other) {
  allocated.add(other.allocated);
  request.add(other.request);
  inqueue.add(other.inqueue);
  elastic.add(other.elastic);
}

std::vector<ResourceId> QueueUsage::exceeded_with(const Quota& minimum, const RealVec& limit) const {
  std::vector<ResourceId> exceeded;
  for (size_t i = 0; i < minimum.amount.size(); ++i) {
    const ResourceId id(i);
    if (id == kPods || minimum[id] <= 0) continue;
    // Evictions of this cycle may have taken more than was elastic when it began.
    const Amount needed = std::max<Amount>(0, minimum[id] + allocated[id] + inqueue[id] - elastic[id]);
    if (static_cast<double>(needed) > limit[id]) exceeded.push_back(id);
  }
  return exceeded;
}

RealVec real_capability(const RealVec& whole, const RealVec& all_guarantees, const QueueSpec& queue) {
  RealVec real = exceeded_part(whole, all_guarantees);
  real.add(RealVec(queue.guarantee));
  if (queue.capability.given.none()) return real;
  RealVec capability(queue.capability);
  if (capability[kCpu] <= 0) capability.set(kCpu, kUnlimited);
  if (capability[kMemory] <= 0) capability.set(kMemory, kUnlimited);
  real.cap_by(capability, Absent::Unlimited);
  return real;
}

std::string refusal_text(std::string_view what, std::string_view verb, std::vector<ResourceId> dims,
                         const ResourceSchema& schema) {
  std::sort(dims.begin(), dims.end(), [&](ResourceId a, ResourceId b) {
    const bool a_first = a == kCpu || a == kMemory;
    const bool b_first = b == kCpu || b == kMemory;
    if (a_first || b_first) return a_first && (!b_first || a < b);
    return schema.name(a) < schema.name(b);
  });
  std::string text(what);
  for (size_t i = 0; i < dims.size(); ++i) {
    text += i == 0 ? ": " : ", ";
    text += verb;
    text += ' ';
    text += schema.name(dims[i]);
  }
  return text;
}

}  // namespace basalt::model
