// Groups of nodes as one word of the command line.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest_name.h"
#include "control/node/node_object.h"
#include "control/node/simulated/simulated_nodes.h"
#include "kube/api/name_validation.h"
#include "kube/text/scalar.h"

namespace basalt::node {
namespace {

constexpr size_t kMaxGroupBytes = 64 * 1024;

struct Pair {
  std::string_view key, value;
};

Result<Pair> split_pair(std::string_view text, std::string_view expected) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return invalid(fmt::format("\"{}\": expected {}", text, expected));
  }
  return Pair{.key = text.substr(0, equals), .value = text.substr(equals + 1)};
}

Result<void> complain(std::string_view part, const api::ValidationMessages& complaints) {
  if (complaints.empty()) return {};
  return invalid(fmt::format("\"{}\": {}", part, complaints.front()));
}

// A label or annotation.
Result<void> add_entry(std::string_view kind, std::string_view text, api::StringMap& map) {
  const auto pair = split_pair(text, fmt::format("{}=KEY=VALUE", kind));
  if (!pair) return std::unexpected(pair.error());
  if (auto good = complain(pair->key, api::qualified_name(pair->key)); !good) return good;
  if (kind == "label") {
    if (auto good = complain(pair->value, api::label_value(pair->value)); !good) return good;
  }
  map[std::string(pair->key)] = pair->value;
  return {};
}

// Kubernetes' own resources have plain names, all others one with a domain: "cpus" is neither, and a node with it would
// have no more cpu than the default.
Result<void> check_resource(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kPlain = {
      "annotation", "cpu", "ephemeral-storage", "label", "memory", "name", "pods", "taint"};
  if (name.find('/') != std::string_view::npos || name.starts_with("hugepages-")) return {};
  if (std::ranges::find(kPlain, name) != kPlain.end()) return {};
  const bool is_gpu = name == "gpu" || name == "gpus";  // close to cpu by its letters only
  if (const std::string_view near = is_gpu ? "nvidia.com/gpu" : nearest(name, kPlain); !near.empty()) {
    return invalid(fmt::format("\"{}\": unknown; did you mean \"{}\"?", name, near));
  }
  return invalid(fmt::format("\"{}\": unknown; known are {}, and resources with a domain, such as nvidia.com/gpu", name,
                             fmt::join(kPlain, ", ")));
}

Result<void> add_resource(const Pair& pair, SimulatedNodeGroup& group) {
  if (auto good = complain(pair.key, api::qualified_name(pair.key)); !good) return good;
  if (auto known = check_resource(pair.key); !known) return known;
  const auto amount = text::Quantity::parse(pair.value);
  if (!amount || amount->is_negative()) {
    return invalid(fmt::format("{}=\"{}\": expected an amount, such as 64 or 256Gi", pair.key, pair.value));
  }
  if (!group.capacity.emplace(pair.key, *amount).second) return invalid(fmt::format("{} is given twice", pair.key));
  return {};
}

Result<void> add_part(std::string_view part, SimulatedNodeGroup& group) {
  const auto pair = split_pair(part, "RESOURCE=AMOUNT, name=NAME, label=KEY=VALUE or taint=KEY=VALUE:EFFECT");
  if (!pair) return std::unexpected(pair.error());
  if (pair->key == "label") return add_entry("label", pair->value, group.labels);
  if (pair->key == "annotation") return add_entry("annotation", pair->value, group.annotations);
  if (pair->key == "name") {
    group.name = pair->value;
    return complain(pair->value, api::dns1123_label(pair->value));
  }
  if (pair->key != "taint") return add_resource(*pair, group);
  const auto taint = parse_taint(pair->value);
  if (!taint) return std::unexpected(taint.error());
  group.taints.emplace_back(pair->value);
  return {};
}

}  // namespace

Result<SimulatedNodeGroup> parse_simulated_group(std::string_view text) {
  const std::string place = "simulated nodes";
  if (text.size() > kMaxGroupBytes) return invalid(place + ": the text is too long");
  const size_t colon = std::min(text.find(':'), text.size());
  const auto count = text::parse_int(text.substr(0, colon));
  if (!count || *count < 0 || *count > kMaxSimulatedNodes) {
    return invalid(fmt::format("{}: \"{}\": expected COUNT or COUNT:cpu=64,memory=256Gi,… with a count up to {}", place,
                               text.substr(0, colon), kMaxSimulatedNodes));
  }
  SimulatedNodeGroup group;
  group.count = *count;
  std::string_view rest = text.substr(std::min(colon + 1, text.size()));
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (auto added = add_part(rest.substr(0, comma), group); !added) {
      return std::unexpected(added.error().within(place));
    }
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return group;
}

}  // namespace basalt::node
