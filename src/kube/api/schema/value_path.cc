#include "kube/api/schema/value_path.h"

#include <vector>

#include "kube/text/utf8.h"

namespace basalt::api {
namespace {

// Paths are for people, and made for each of many faults: a key of a megabyte is not repeated in all of them.
std::string_view shown_key(const ValuePath& part) {
  constexpr size_t kMaxShownKey = 512;
  return part.step == ValuePath::Step::Root ? part.key : text::utf8_prefix(part.key, kMaxShownKey);
}

std::string written(const ValuePath& place, bool brackets) {
  std::vector<const ValuePath*> steps;
  for (const ValuePath* step = &place; step != nullptr; step = step->outer) steps.push_back(step);
  std::string path;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const ValuePath& part = **step;
    if (part.step == ValuePath::Step::Element) {
      path.append("[").append(std::to_string(part.index)).append("]");
    } else if (part.step == ValuePath::Step::Entry && brackets) {
      path.append("[").append(shown_key(part)).append("]");
    } else {
      if (!path.empty()) path += '.';
      path.append(shown_key(part));
    }
  }
  return path;
}

}  // namespace

std::string ValuePath::text() const { return written(*this, false); }
std::string ValuePath::bracket_text() const { return written(*this, true); }

std::string ValuePath::root_text() const {
  const ValuePath* root = this;
  while (root->outer != nullptr) root = root->outer;
  return root->key.empty() ? "<nil>" : std::string(root->key);
}

}  // namespace basalt::api
