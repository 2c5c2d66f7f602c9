// The walk that every action makes: queues in queue order, in each queue its jobs in job order.
//
// The queue taken goes back after each turn, so that shares changed by the turn count for the next one.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "engine/heap.h"
#include "engine/session.h"

namespace basalt::actions {

class QueueOfJobs {
 public:
  explicit QueueOfJobs(engine::Session& session)
      : session_(session), queues_(QueuesBefore{&session}) {}

  void add_queue(model::QueueId queue) {
    if (jobs_.try_emplace(queue, JobsBefore{&session_}).second) queues_.push(queue);
  }
  void add(model::JobId job) {
    const model::QueueId queue = session_.state.job(job).queue_id;
    add_queue(queue);
    jobs_.at(queue).push(job);
  }
  // The first queue in order, taken out.
  std::optional<model::QueueId> take_queue() {
    if (queues_.empty()) return std::nullopt;
    return queues_.pop();
  }
  void put_back(model::QueueId queue) { queues_.push(queue); }
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
  struct QueuesBefore {
    const engine::Session* session;
    bool operator()(model::QueueId a, model::QueueId b) const { return session->queue_before(a, b); }
  };
  engine::Session& session_;
  engine::Heap<model::QueueId, QueuesBefore> queues_;
  std::map<model::QueueId, engine::Heap<model::JobId, JobsBefore>> jobs_;
};

}  // namespace basalt::actions
