#include "api/schema/place.h"

#include <vector>

namespace basalt::api {
namespace {

std::string written(const Place& place, bool brackets) {
  std::vector<const Place*> steps;
  for (const Place* step = &place; step != nullptr; step = step->outer) steps.push_back(step);
  std::string path;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const Place& part = **step;
    if (part.step == Place::Step::Element) {
      path.append("[").append(std::to_string(part.index)).append("]");
    } else if (part.step == Place::Step::Entry && brackets) {
      path.append("[").append(part.key).append("]");
    } else {
      if (!path.empty()) path += '.';
      path.append(part.key);
    }
  }
  return path;
}

}  // namespace

std::string Place::text() const { return written(*this, false); }
std::string Place::bracket_text() const { return written(*this, true); }

std::string Place::root_text() const {
  const Place* root = this;
  while (root->outer != nullptr) root = root->outer;
  return root->key.empty() ? "<nil>" : std::string(root->key);
}

}  // namespace basalt::api
