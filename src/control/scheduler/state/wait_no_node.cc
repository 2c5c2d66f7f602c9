// Nodes that are there, and are not for its pods.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "control/scheduler/state/wait_text.h"

namespace basalt::state {
namespace {

// "host port 80", "host ports 80, 443".
std::string port_words(const model::PodShape& shape) {
  std::vector<int32_t> ports;
  for (const model::HostPort& port : shape.host_ports) ports.push_back(port.port);
  std::ranges::sort(ports);
  ports.erase(std::ranges::unique(ports).begin(), ports.end());
  return fmt::format("host port{} {}", ports.size() == 1 ? "" : "s", fmt::join(ports, ", "));
}

std::string count_words(int32_t nodes) { return fmt::format("{} node{}", nodes, nodes == 1 ? "" : "s"); }

}  // namespace

WaitText::Answer WaitText::node_missing(const Ask& ask) const {
  const GangNeed& need = ask.need;
  if (need.nowhere == 0 || need.there + need.gated >= ask.job.min_available) return std::nullopt;
  return wait(WaitReason::NoNodeMatches,
              fmt::format("{} of {} pods are for a node that does not exist{}", need.nowhere,
                          std::max(ask.job.min_available, need.there + need.gated + need.nowhere), kForever));
}

WaitText::Answer WaitText::no_node(const Ask& ask) {
  if (state_.nodes_by_name().empty()) return wait(WaitReason::NoNodeMatches, "the cluster has no nodes");
  for (const PodsNeeded& pods : ask.need.pods) {
    const ShapeRoom& room = rooms_.of(pods.shape);
    if (room.matching > 0) continue;
    std::string why;
    const auto add = [&](int32_t count, std::string_view one, std::string_view many) {
      if (count == 0) return;
      const std::string number = why.empty() ? fmt::format("{} of {}", count, room.nodes) : fmt::format("{}", count);
      why += fmt::format("{}{} {}", why.empty() ? "" : ", ", number, count == 1 ? one : many);
    };
    add(room.mismatched, "has other labels than the node selector or affinity asks for",
        "have other labels than the node selector or affinity asks for");
    add(room.tainted, "has a taint that the pods do not tolerate", "have taints that the pods do not tolerate");
    add(room.cordoned, "is cordoned", "are cordoned");
    return wait(WaitReason::NoNodeMatches,
                fmt::format("no node matches: {}{}", why, room.possible == 0 ? kForever : ""));
  }
  return std::nullopt;
}

// Pods of one shape collide with each other: a node takes one of them.
WaitText::Answer WaitText::too_few_for_ports(const PodsNeeded& pods) {
  const model::PodShape& shape = state_.shapes[pods.shape];
  const ShapeRoom& room = rooms_.of(pods.shape);
  if (shape.host_ports.empty() || room.possible >= pods.count) return std::nullopt;
  return wait(WaitReason::NeverFits,
              fmt::format("needs {} on {}, {} match{}{}", port_words(shape), count_words(pods.count), room.possible,
                          room.possible == 1 ? "es" : "", kForever));
}

WaitText::Answer WaitText::ports_taken(const Ask& ask) {
  for (const PodsNeeded& pods : ask.need.pods) {
    const model::PodShape& shape = state_.shapes[pods.shape];
    const ShapeRoom& room = rooms_.of(pods.shape);
    const int32_t free = room.matching - room.ports_taken;
    if (shape.host_ports.empty() || free >= pods.count) continue;
    return wait(WaitReason::NoNodeMatches,
                fmt::format("needs {} on {}; {} free on {} of {}", port_words(shape), count_words(pods.count),
                            shape.host_ports.size() == 1 ? "it is" : "they are", free, room.matching));
  }
  return std::nullopt;
}

}  // namespace basalt::state
