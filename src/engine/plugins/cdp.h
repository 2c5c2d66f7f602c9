// cdp: cooldown protection. A pod that has just started is left alone for a while.
//
// A pod says for how long, by label or annotation volcano.sh/cooldown-time. No arguments.
//
//   preemptable, reclaimable   all candidates but running pods for which (time of scheduling + cooldown) is to come
//
// Answers change with time, but only while some victim is protected: only then is a quiet cluster looked at again.
// Cost: O(1) a candidate.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/core/plugin.h"

namespace basalt::plugins {

class Cdp {
 public:
  static constexpr std::string_view kName = "cdp";
  static Result<Cdp> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  engine::Vote victims(model::TaskId preemptor, std::span<const model::TaskId> candidates,
                       std::vector<model::TaskId>& chosen);

 private:
  engine::Session* session_ = nullptr;
};

}  // namespace basalt::plugins
