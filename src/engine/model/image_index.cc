#include "engine/model/image_index.h"

#include <algorithm>
#include <cstddef>

namespace basalt::model {

namespace {

// Whether images[i] has a name that no earlier entry has.
bool first_of_its_name(std::span<const ImageState> images, size_t i) {
  return std::none_of(images.begin(), images.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const ImageState& earlier) { return earlier.name == images[i].name; });
}

}  // namespace

void ImageIndex::replace(std::span<const ImageState> old_images, std::span<const ImageState> new_images) {
  if (std::equal(old_images.begin(), old_images.end(), new_images.begin(), new_images.end())) return;
  ++version_;
  for (size_t i = 0; i < new_images.size(); ++i) {
    if (first_of_its_name(new_images, i)) ++nodes_[new_images[i].name];
  }
  for (size_t i = 0; i < old_images.size(); ++i) {
    if (!first_of_its_name(old_images, i)) continue;
    const auto at = nodes_.find(old_images[i].name);
    if (--at->second == 0) nodes_.erase(at);
  }
}

}  // namespace basalt::model
