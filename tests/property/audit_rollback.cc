// Random transactions: whatever is tried and undone leaves no trace.
#include <algorithm>
#include <vector>

#include "engine/core/node_search.h"
#include "engine/core/statement.h"
#include "tests/property/audits.h"
#include "tests/property/state_digest.h"

namespace basalt::property {

namespace {

using engine::Session;
using engine::Statement;
using model::NodeId;
using model::TaskId;
using model::TaskStatus;

struct Mark {
  Statement::Checkpoint at = 0;
  uint64_t hash = 0;
  std::string state, answers;
};

class RandomTransaction {
 public:
  RandomTransaction(Session& session, Rng& rng) : session_(session), rng_(rng), statement_(session) {}

  std::string run() {
    std::vector<Mark> marks = {mark()};
    const int64_t steps = rng_.between(3, 12);
    for (int64_t i = 0; i < steps; ++i) {
      if (rng_.chance(0.2)) {
        marks.push_back(mark());
      } else if (rng_.chance(0.15)) {
        marks.resize(1 + rng_.below(marks.size()));
        statement_.rollback(marks.back().at);
        if (std::string wrong = compare(marks.back()); !wrong.empty()) return wrong;
      } else {
        step();
      }
    }
    if (rng_.chance(0.5)) {
      statement_.discard();
    } else {
      statement_.rollback(0);
    }
    return compare(marks.front());
  }

 private:
  [[nodiscard]] Mark mark() {
    return {.at = statement_.checkpoint(),
            .hash = session_.state.hash(),
            .state = digest(session_.state),
            .answers = answers(session_)};
  }

  std::string compare(const Mark& before) {
    if (std::string wrong = session_.state.verify(); !wrong.empty()) return "after rollback: " + wrong;
    if (auto wrong = first_difference(before.state, digest(session_.state)); !wrong.empty()) {
      return "rollback changed the state:" + wrong;
    }
    if (session_.state.hash() != before.hash) return "rollback changed the hash";
    if (auto wrong = first_difference(before.answers, answers(session_)); !wrong.empty()) {
      return "rollback changed an answer:" + wrong;
    }
    return "";
  }

  std::vector<TaskId> tasks_where(bool (*wanted)(TaskStatus)) const {
    std::vector<TaskId> tasks;
    for (const model::JobId job : session_.jobs()) {
      for (const TaskId task : session_.state.job(job).tasks) {
        const model::Task& row = session_.state.task(task);
        if (wanted(row.status) && (!model::is_preemptable(row.status) || row.node.valid())) tasks.push_back(task);
      }
    }
    std::sort(tasks.begin(), tasks.end(),
              [&](TaskId a, TaskId b) { return session_.state.task(a).uid < session_.state.task(b).uid; });
    return tasks;
  }

  void step() {
    if (rng_.chance(0.35)) {
      const std::vector<TaskId> running = tasks_where(model::is_preemptable);
      if (running.empty()) return;
      const TaskId victim = running[rng_.below(running.size())];
      statement_.evict(victim, victim, "audit");
      return;
    }
    const std::vector<TaskId> pending = tasks_where([](TaskStatus status) { return status == TaskStatus::Pending; });
    const auto nodes = session_.state.nodes_by_name();
    if (pending.empty() || nodes.empty()) return;
    const TaskId task = pending[rng_.below(pending.size())];
    const NodeId node = nodes[rng_.below(nodes.size())];
    const model::PodShape& shape = session_.state.shape_of(task);
    if (model::fits(shape.request, session_.state.idle(node))) {
      statement_.allocate(task, node);
    } else if (model::fits(shape.request, session_.state.future_idle(node))) {
      statement_.pipeline(task, node, /*evicted=*/rng_.chance(0.5));
    }
  }

  Session& session_;
  Rng& rng_;
  Statement statement_;
};

}  // namespace

std::string audit_rollback(Session& session, Rng& rng) { return RandomTransaction(session, rng).run(); }

}  // namespace basalt::property
