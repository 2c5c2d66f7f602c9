// On how many nodes each container image is present.
//
// Kept by node events. An image that a node lists under several names counts once under each name; a name listed twice
// by one node counts once. version() moves when any count does, so that scores which use the counts can be dropped.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "engine/model/ids.h"
#include "engine/model/node.h"

namespace basalt::model {

class ImageIndex {
 public:
  // A node that had `old_images` has `new_images` now. Cost: O(images of the node), nothing if they are equal.
  void replace(std::span<const ImageState> old_images, std::span<const ImageState> new_images);

  [[nodiscard]] int64_t nodes_with(NameId image) const {
    const auto at = nodes_.find(image);
    return at == nodes_.end() ? 0 : at->second;
  }
  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  [[nodiscard]] uint64_t version() const { return version_; }

 private:
  std::unordered_map<NameId, int64_t> nodes_;  // asked by name, never walked
  uint64_t version_ = 0;
};

}  // namespace basalt::model
