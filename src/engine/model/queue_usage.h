// What the jobs of a queue use and have been promised, and the limit that the queue has.
//
// All in integers, so that adding and taking away are exact inverses.
//   allocated  requests of tasks in the allocated set (and, within a cycle, of pipelined ones)
//   request    the same plus Pending tasks
//   inqueue    promised at admission and not yet used: for jobs that are Inqueue, or Running with their gang complete,
//              minResources less what they hold, less what waits behind foreign gates
//   elastic    held above minResources; it may go when others need it
// Cost of charge(): O(dimensions), no allocation once the vectors have grown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/job.h"
#include "engine/model/queue.h"
#include "engine/model/real_vec.h"

namespace basalt::model {

struct QueueUsage {
  ResourceVec allocated, request, inqueue, elastic;

  void charge(const Job& job);
  void add(const QueueUsage& other);
  // The dimensions of `minimum`, pods aside, in which minimum + allocated + inqueue − elastic is above `limit`.
  [[nodiscard]] std::vector<ResourceId> exceeded_with(const Quota& minimum, const RealVec& limit) const;
};

// The job was admitted, and part of its minResources may still be unused.
bool holds_promise(const Job& job);
// Adds minResources less what the job holds (uncovered) or in full (promised), less what waits behind foreign gates.
void add_uncovered_minimum(const Job& job, ResourceVec& sum);
void add_promised_minimum(const Job& job, ResourceVec& sum);

// What one queue may use: all that is not guaranteed to others, up to its capability. A capability of 0 cpu or memory
// is none.
RealVec real_capability(const RealVec& whole, const RealVec& all_guarantees, const QueueSpec& queue);

// "<what>: <verb> cpu, <verb> memory": cpu, memory, then the others by name.
std::string refusal_text(std::string_view what, std::string_view verb, std::vector<ResourceId> dims,
                         const ResourceSchema& schema);

}  // namespace basalt::model
