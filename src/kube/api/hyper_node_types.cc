#include "kube/api/hyper_node_types.h"

namespace basalt::api {

Result<void> read(const text::Field& at, HyperNodeMember& out) {
  if (Result<void> done = read_fields(at, "type", out.type); !done) return done;
  const text::Field selector = at.field("selector");
  if (Result<void> done = read_fields(selector, "labelMatch", out.label_match); !done) return done;
  if (Result<void> done = read_fields(selector.field("exactMatch"), "name", out.exact_name); !done) return done;
  return read_fields(selector.field("regexMatch"), "pattern", out.regex_pattern);
}

Result<void> read(const text::Field& at, HyperNodeSpec& out) {
  return read_fields(at, "tier", out.tier, "tierName", out.tier_name, "members", out.members);
}

Result<void> read(const text::Field& at, HyperNode& out) {
  if (Result<void> done = read_cluster_scoped(at, out.metadata); !done) return done;
  return read_fields(at, "spec", out.spec);
}

Result<HyperNode> decode_hyper_node(const text::Value& value) {
  return decode_object<HyperNode>(text::Field(value), "HyperNode");
}

}  // namespace basalt::api
