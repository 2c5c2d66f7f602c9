// base/nearest.h, for those who read texts.
#pragma once

#include "base/nearest.h"

namespace basalt::text {

using basalt::nearest;

}  // namespace basalt::text
