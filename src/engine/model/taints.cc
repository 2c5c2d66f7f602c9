#include "engine/model/taints.h"

#include <algorithm>

namespace basalt::model {

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect != TaintEffect::Any && toleration.effect != taint.effect) return false;
  if (toleration.key != kEmptyName && toleration.key != taint.key) return false;
  if (toleration.exists) return true;
  // An empty key means "every key" only together with Exists.
  return toleration.key != kEmptyName && toleration.value == taint.value;
}

bool tolerates(std::span<const Toleration> tolerations, const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& t) { return tolerates(t, taint); });
}

}  // namespace basalt::model
