// The walk that every action makes: queues in queue order, in each queue its jobs in job order.
//
// The queue taken goes back after each turn, so that shares changed by the turn count for the next one. In a hierarchy
// a turn also changes the shares of queues that wait, so each turn looks at all of them: O(queues). Jobs wait in a
// heap.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/heap.h"
#include "engine/core/session.h"

namespace basalt::actions {

class QueueOfJobs {
 public:
  explicit QueueOfJobs(engine::Session& session) : session_(session) {}

  void add_queue(model::QueueId queue) {
    if (jobs_.try_emplace(queue, JobsBefore{&session_}).second) put_back(queue);
  }
  void add(model::JobId job) {
    const model::QueueId queue = session_.state.job(job).queue_id;
    add_queue(queue);
    jobs_.at(queue).push(job);
  }
  // The first queue in order, taken out.
  std::optional<model::QueueId> take_queue() {
    if (queues_.empty()) return std::nullopt;
    const auto first = std::min_element(queues_.begin(), queues_.end(), [this](model::QueueId a, model::QueueId b) {
      return session_.queue_before(a, b);
    });
    const model::QueueId queue = *first;
    queues_.erase(first);
    return queue;
  }
  void put_back(model::QueueId queue) {
    queues_.insert(std::lower_bound(queues_.begin(), queues_.end(), queue, NamesBefore{&session_}), queue);
  }
  // The first job of the queue, taken out.
  std::optional<model::JobId> take_job(model::QueueId queue) {
    auto& jobs = jobs_.at(queue);
    if (jobs.empty()) return std::nullopt;
    return jobs.pop();
  }
  void put_back(model::JobId job) { jobs_.at(session_.state.job(job).queue_id).push(job); }

 private:
  struct JobsBefore {
    const engine::Session* session;
    bool operator()(model::JobId a, model::JobId b) const { return session->job_before(a, b); }
  };
  struct NamesBefore {
    const engine::Session* session;
    bool operator()(model::QueueId a, model::QueueId b) const {
      return session->state.queue(a).name < session->state.queue(b).name;
    }
  };
  engine::Session& session_;
  std::vector<model::QueueId> queues_;  // by name: should the order be circular, arrival still has no say
  std::map<model::QueueId, engine::Heap<model::JobId, JobsBefore>> jobs_;
};

}  // namespace basalt::actions
