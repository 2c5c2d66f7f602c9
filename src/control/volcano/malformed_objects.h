// Objects of Volcano's kinds that its types cannot hold.
//
// Our definitions keep them out; those of another server may say less (an older CRD, one that preserves unknown
// fields). Read with tolerance, such an object would be another one: a count that is a string would be "not given", and
// the default would take its place. So it is not taken at all: what was known of it stays, as in the cache of an
// informer that cannot decode what came, and an event with the object says which field is wrong, once for each version.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/loop/write_plan.h"
#include "control/volcano/volcano_kinds.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::volcano {

inline constexpr size_t kMaxMalformed = 10'000;  // remembered; of further ones every state is told

class MalformedObjects {
 public:
  MalformedObjects();

  // Whether the object cannot be decoded; then a note about it waits. Kinds that are not Volcano's are never refused:
  // every server decodes them strictly. Cost: O(object).
  [[nodiscard]] bool refuses(VolcanoKind kind, const text::Object& object);
  void forget(VolcanoKind kind, const std::string& key);
  // What is to be told, each note once.
  [[nodiscard]] std::vector<loop::EventNote> take_notes() { return std::exchange(notes_, {}); }

 private:
  std::array<const api::Schema*, kKinds> types_{};                       // null: not looked at
  std::map<std::pair<VolcanoKind, std::string>, std::string> versions_;  // the resourceVersion that was told last
  std::vector<loop::EventNote> notes_;                                   // at most kMaxMalformed
};

}  // namespace basalt::volcano
