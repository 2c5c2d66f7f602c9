// binpack: fill nodes that are already full, so that large pods find empty ones.
//
// Arguments:
//   binpack.weight             multiplies the whole score; 0 turns it off (1)
//   binpack.cpu                weight of cpu (1)
//   binpack.memory             weight of memory (1)
//   binpack.resources          further resources that count, separated by commas ("")
//   binpack.resources.<name>   weight of each of them (1)
// Negative resource weights mean 1.
//
//   score   over the requested resources r that have a weight w:
//             100 · binpack.weight · Σ w · (used + requested) / allocatable  /  Σ w
//           A resource with weight 0, or of which the node has none, adds nothing above the line but its weight below.
//           0 if the node has not room for the request now (pods waiting for releasing resources).
//           "used" leaves out pipelined pods.
//
// Cost: one multiplication and one division per requested resource and node.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/plugin.h"
#include "engine/model/resource_vec.h"

namespace basalt::plugins {

class Binpack {
 public:
  static constexpr std::string_view kName = "binpack";
  static Result<Binpack> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  void score(const engine::ScoreCall& call) const;
  void sign(model::TaskId task, engine::ClassKey& key) const;

 private:
  static constexpr int64_t kNoWeight = -1;  // the resource does not count
  [[nodiscard]] double node_score(model::DemandSpan request, model::NodeId node) const;

  int64_t weight_ = 1;
  std::map<std::string, int64_t, std::less<>> resource_weights_;
  const engine::Session* session_ = nullptr;
  std::vector<int64_t> weights_;  // by ResourceId
};

}  // namespace basalt::plugins
