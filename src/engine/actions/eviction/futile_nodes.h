// Nodes on which a search for victims was in vain, for the tasks of one job and class.
//
// While victims go and tasks of the job are placed, nobody else becomes a victim: jobs and queues that lose are left
// with less to lose. So the job's next task need not ask there again. It holds where every plugin has a veto
// (VictimRule::EveryTier): by Volcano's own rule a tier that runs out of victims lets the next one decide.
#pragma once

#include <cstdint>

#include "engine/core/session.h"

namespace basalt::actions {

class FutileNodes {
 public:
  FutileNodes(engine::Session& session, engine::VictimRule rule)
      : session_(session), remembers_(rule == engine::VictimRule::EveryTier) {}

  // Forgets all: another job, or what was tried for it is undone.
  void clear() { ++round_; }
  // The search that follows is for this task. Forgets all if it is of another class than the one before.
  void search_for(model::TaskId task) {
    const engine::ClassId cls = session_.memory.classes.class_of(session_.columns(), task);
    if (cls != class_) clear();
    class_ = cls;
  }
  // What search(node) says. A futile node is not searched, and one that is searched in vain is futile from then on.
  template <class Search>
  bool search_unless_futile(model::NodeId node, Search search) {
    rounds_.ensure(node, 0);
    if (rounds_[node] == round_) return false;
    if (search(node)) return true;
    if (remembers_) rounds_[node] = round_;
    return false;
  }

 private:
  engine::Session& session_;
  const bool remembers_;
  engine::ClassId class_;
  uint32_t round_ = 1;
  IdVector<model::NodeId, uint32_t> rounds_;  // in which the node was found futile
};

}  // namespace basalt::actions
