// Taints on nodes and the tolerations of pods.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/ids.h"

namespace basalt::model {

enum class TaintEffect : uint8_t { Any, NoSchedule, PreferNoSchedule, NoExecute };  // Any: only in tolerations

struct Taint {
  NameId key;
  NameId value;
  TaintEffect effect = TaintEffect::NoSchedule;
  friend auto operator<=>(const Taint&, const Taint&) = default;
};

struct Toleration {
  NameId key;  // kEmptyName with exists: every taint
  bool exists = false;
  NameId value;
  TaintEffect effect = TaintEffect::Any;
  friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

bool tolerates(const Toleration& toleration, const Taint& taint);
bool tolerates(std::span<const Toleration> tolerations, const Taint& taint);

}  // namespace basalt::model
