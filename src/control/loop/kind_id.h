// The kinds a loop follows, as dense numbers that its owner gives out. The order of numbers is the order of every walk.
#pragma once

#include "base/strong_id.h"

namespace basalt::loop {

struct KindTag {};
using KindId = StrongId<KindTag>;

}  // namespace basalt::loop
