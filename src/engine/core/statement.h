// A transaction on the state: do, checkpoint, undo, commit.
//
// Operations apply at once, so later questions see them. rollback() undoes in reverse order through the same hooks; a
// statement that ends neither committed nor held is rolled back. commit() makes allocations binds and evictions final;
// pipelined tasks keep their place until the cycle ends. hold() keeps everything visible until then and binds nothing.
//
// Law (tests/property): the state's hash after rollback equals the hash before.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/core/session.h"

namespace basalt::engine {

class Statement {
 public:
  explicit Statement(Session& session) : session_(session) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { rollback(0); }

  void allocate(TaskId task, NodeId node);
  void pipeline(TaskId task, NodeId node, bool evicted);
  void evict(TaskId victim, TaskId preemptor, std::string_view reason);

  using Checkpoint = size_t;
  [[nodiscard]] Checkpoint checkpoint() const { return ops_.size(); }
  void rollback(Checkpoint to);
  // Rolls back to the checkpoint and remembers what each task had, for the report.
  void discard_to(Checkpoint to);
  void discard() { discard_to(0); }
  void commit();
  void hold();
  [[nodiscard]] bool empty() const { return ops_.empty(); }
  [[nodiscard]] bool evicts() const;

 private:
  enum class Kind : uint8_t { Allocate, Pipeline, Evict };
  struct Op {
    Kind kind;
    bool evicted = false;  // Pipeline: something was evicted for it
    TaskId task;
    NodeId node;
    model::TaskStatus previous;  // Evict: the status to restore
    TaskId preemptor;
    std::string_view reason;
  };
  void undo(const Op& op);

  Session& session_;
  std::vector<Op> ops_;
};

}  // namespace basalt::engine
