#include "control/node/local/start_request.h"

#include <cstring>
#include <string_view>

namespace basalt::node {
namespace {

class Block {
 public:
  Block() : bytes_(sizeof(RequestHeader), '\0') {}

  RequestText text(std::string_view text) {
    if (text.empty()) return {};
    const size_t at = bytes_.size();
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back('\0');
    return {.at = at};
  }

  RequestList list(const std::vector<std::string>& texts) {
    std::vector<uint64_t> offsets;
    offsets.reserve(texts.size() + 1);
    for (const std::string& each : texts) {
      offsets.push_back(bytes_.size());  // an empty text is a text here, not the end of the list
      bytes_.insert(bytes_.end(), each.begin(), each.end());
      bytes_.push_back('\0');
    }
    offsets.push_back(0);
    return {.at = put(offsets.data(), offsets.size() * sizeof(uint64_t))};
  }

  uint64_t put(const void* data, size_t size) {
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    const size_t at = bytes_.size();
    bytes_.resize(at + size);
    if (size > 0) std::memcpy(bytes_.data() + at, data, size);
    return at;
  }

  std::vector<char> finish(RequestHeader head) {
    head.size = bytes_.size();
    std::memcpy(bytes_.data(), &head, sizeof head);
    return std::move(bytes_);
  }

 private:
  std::vector<char> bytes_;
};

}  // namespace

std::vector<char> flatten(const StartRequest& order) {
  Block block;
  std::vector<RequestStep> steps;
  steps.reserve(order.steps.size());
  for (const RootStep& step : order.steps) {
    steps.push_back(RequestStep{.kind = step.kind,
                                .tolerated = step.tolerated,
                                .source = block.text(step.source),
                                .below = block.text(step.below),
                                .target = block.text(step.target),
                                .type = block.text(step.type),
                                .data = block.text(step.data),
                                .flags = step.flags,
                                .read_only = step.read_only ? 1U : 0U});
  }
  RequestHeader head{};
  head.programs = block.list(order.programs);
  head.argv = block.list(order.argv);
  head.environment = block.list(order.environment);
  head.directory = block.text(order.directory);
  head.hostname = block.text(order.hostname);
  head.cgroup_procs = block.text(order.cgroup_procs);
  head.uid_map = block.text(order.uid_map);
  head.gid_map = block.text(order.gid_map);
  head.stage = block.text(order.stage);
  head.groups = block.put(order.groups.data(), order.groups.size() * sizeof(gid_t));
  head.group_count = order.groups.size();
  head.filter_size = order.filter.size();
  if (!order.filter.empty()) {
    head.filter = block.put(order.filter.data(), order.filter.size() * sizeof(sock_filter));
  }
  head.socket_filter_size = order.socket_filter.size();
  if (!order.socket_filter.empty()) {
    head.socket_filter = block.put(order.socket_filter.data(), order.socket_filter.size() * sizeof(sock_filter));
  }
  head.addresses = order.addresses;
  if (order.own_ports) {
    head.own_ports = block.put(order.own_ports->data(), order.own_ports->size() * sizeof(DeclaredPort));
    head.own_port_count = order.own_ports->size();
  }
  head.capabilities = order.capabilities;
  head.sets_groups = order.sets_groups ? 1 : 0;
  head.limits_capabilities = order.limits_capabilities ? 1 : 0;
  head.no_new_privileges = order.no_new_privileges ? 1 : 0;
  head.steps = block.put(steps.data(), steps.size() * sizeof(RequestStep));
  head.step_count = steps.size();
  head.uid = order.uid;
  head.gid = order.gid;
  head.namespaces = order.namespaces;
  head.joins = order.joins ? 1 : 0;
  head.only_try = order.only_try ? 1 : 0;
  head.keeps = order.keeps ? 1 : 0;
  return block.finish(head);
}

}  // namespace basalt::node
