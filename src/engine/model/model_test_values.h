// Resources for the tests of this folder.
#pragma once

#include "engine/model/real_vec.h"

namespace basalt::model {

inline constexpr ResourceId kGpu{uint32_t{3}};

// No memory: absent, which is not 0.
inline RealVec real(double cpu, double memory = 0) {
  RealVec vec;
  vec.set(kCpu, cpu);
  if (memory > 0) vec.set(kMemory, memory);
  return vec;
}

}  // namespace basalt::model
