#include "control/volcano/hyper_node/hyper_node_discovery_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "kube/api/name_validation.h"
#include "kube/text/yaml.h"

namespace basalt::volcano {
namespace {

constexpr std::string_view kHostName = "kubernetes.io/hostname";  // a node, not a group of nodes

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What is wrong with it; "": nothing.
std::string fault_of(const LabelTopology& topology) {
  if (topology.name.size() > kMaxTopologyNameBytes) {
    return fmt::format("its name is longer than {} bytes", kMaxTopologyNameBytes);
  }
  if (topology.labels.size() > kMaxTiers) return fmt::format("it has more than {} tiers", kMaxTiers);
  std::set<std::string_view> seen;
  for (const std::string& label : topology.labels) {
    if (!api::qualified_name(label).empty()) return fmt::format("{:?} is no label of a node", label);
    if (!seen.insert(label).second) return fmt::format("it has the label {} twice", label);
  }
  const std::string name = hyper_node_prefix(topology, 1) + "0";
  if (!api::dns1123_subdomain(name).empty()) return fmt::format("{} would be no name for a HyperNode", name);
  return "";
}

Result<LabelTopology> read_topology(std::string_view name, const text::Field& at) {
  LabelTopology topology{.name = std::string(name), .labels = {}};
  const Result<void> read = at.each([&](const text::Field& entry) -> Result<void> {
    auto label = entry.field("nodeLabel").as_string();
    if (!label) return std::unexpected(std::move(label.error()));
    topology.labels.push_back(std::move(*label));
    return {};
  });
  if (!read) return std::unexpected(read.error());
  return topology;
}

Result<void> read_topologies(const text::Field& at, LabelDiscovery& out) {
  Result<void> read = at.each_member([&](std::string_view name, const text::Field& member) -> Result<void> {
    if (out.topologies.size() >= kMaxTopologies) {
      return std::unexpected(at.error(fmt::format("has more than {} topologies", kMaxTopologies)));
    }
    auto topology = read_topology(name, member);
    const std::string fault = topology ? fault_of(*topology) : topology.error().message;
    if (!fault.empty()) {
      out.complaints.push_back(fmt::format("topology {:?} is left out: {}", name, fault));
      return {};
    }
    if (!topology->labels.empty() && topology->labels.back() == kHostName) topology->labels.pop_back();
    std::ranges::reverse(topology->labels);
    out.topologies.push_back(std::move(*topology));
    return {};
  });
  std::ranges::sort(out.topologies, {}, &LabelTopology::name);
  return read;
}

}  // namespace

Result<LabelDiscovery> read_label_discovery(std::string_view yaml) {
  auto document = text::parse_yaml(yaml);
  if (!document) return std::unexpected(std::move(document.error()));
  LabelDiscovery out;
  const Result<void> read =
      document->root().field("networkTopologyDiscovery").each([&](const text::Field& entry) -> Result<void> {
        const auto source = entry.field("source").string_or("");
        if (!source) return std::unexpected(source.error());
        const auto enabled = entry.field("enabled").bool_or(false);
        if (!enabled) return std::unexpected(enabled.error());
        if (*source != "label" || !*enabled || out.enabled) return {};
        out.enabled = true;
        return read_topologies(entry.field("config").field("networkTopologyTypes"), out);
      });
  if (!read) return std::unexpected(read.error());
  return out;
}

std::string hyper_node_prefix(const LabelTopology& topology, size_t tier) {
  std::string clean = lower(topology.name);
  for (char& c : clean) {
    if (!is_letter(c) && !is_digit(c) && c != '.' && c != '-') c = '-';
  }
  return fmt::format("hypernode-{}-tier{}-", clean, tier);
}

}  // namespace basalt::volcano
