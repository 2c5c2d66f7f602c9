// The simulated nodes: which are to be there, which are, and what is to be written about them.
//
// 1. A wanted node is made once; one that was there is brought in step once. What happens to it later is up to its
//    owner, but for a Ready condition that fell to Unknown (a missed heartbeat): it is written again.
// 2. Per node a few hundred bytes are kept, none of its object.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/loop/write_plan.h"
#include "control/node/node_object.h"
#include "control/node/simulated/simulated_nodes.h"
#include "kube/client/object_client.h"

namespace basalt::node {

class SimulatedNodeRegistry {
 public:
  // An error: a group's name is given twice or is none, a taint is wrong, there are too many nodes.
  // `alone`: see SimulatedNodesOptions.
  static Result<SimulatedNodeRegistry> make(const std::vector<SimulatedNodeGroup>& groups, bool alone);

  // A node with our label, as it is now. True: there is something to plan about it.
  bool learn(const text::Object& node, Instant now);
  void forget(const std::string& name);
  [[nodiscard]] std::vector<std::string> names() const;   // of those that are there, in order
  [[nodiscard]] std::vector<std::string> wanted() const;  // that are not there and were not deleted, in order
  // The node's address; none: it is not there.
  [[nodiscard]] const std::string* address_of(const std::string& name) const;

  [[nodiscard]] loop::WritePlan plan(const std::string& name, Instant now);

 private:
  struct Known {
    std::string uid, version, address;
    bool in_step = false;
  };
  struct Change {
    text::Object object, status;
  };
  struct Wanted {
    uint32_t group = 0;
    uint32_t position = 0;  // among all
  };
  [[nodiscard]] NodeDescription describe(const std::string& name, const Wanted& wanted) const;

  bool alone_ = false;
  std::vector<NodeDescription> groups_;                // without names and addresses
  std::map<std::string, Wanted, std::less<>> wanted_;  // all that the groups name
  std::map<std::string, Wanted, std::less<>> absent_;  // of them: not seen yet
  std::map<std::string, Known, std::less<>> known_;
  std::map<std::string, Change, std::less<>> changes_;  // to be written
};

}  // namespace basalt::node
