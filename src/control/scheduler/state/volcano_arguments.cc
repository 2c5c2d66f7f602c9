#include "control/scheduler/state/volcano_arguments.h"

#include <algorithm>
#include <array>

namespace basalt::state {
namespace {

struct IgnoredArgument {
  std::string_view owner, key;  // a key that ends in '.': all that begin with it
  VolcanoArgument how;
};

constexpr VolcanoArgument kChecked = VolcanoArgument::Checked, kUnread = VolcanoArgument::Unread;
constexpr std::array kIgnored = {
    // Volumes and claims for devices.
    IgnoredArgument{"predicates", "predicate.NodeVolumeLimitsEnable", kChecked},
    IgnoredArgument{"predicates", "predicate.VolumeZoneEnable", kChecked},
    IgnoredArgument{"predicates", "predicate.VolumeBindingEnable", kChecked},
    IgnoredArgument{"predicates", "predicate.DynamicResourceAllocationEnable", kChecked},
    IgnoredArgument{"predicates", "volumebinding.bindTimeoutSeconds", kChecked},
    IgnoredArgument{"predicates", "volumebinding.weight", kChecked},
    IgnoredArgument{"predicates", "volumebinding.shape", kUnread},
    IgnoredArgument{"predicates", "dynamicresources.filterTimeoutSeconds", kChecked},
    IgnoredArgument{"capacity", "capacity.DynamicResourceAllocationEnable", kChecked},
    IgnoredArgument{"capacity", "capacity.DRAConsumableCapacityEnable", kChecked},
    // Shared GPUs, until 1.8 here and then in deviceshare.
    IgnoredArgument{"predicates", "predicate.GPUSharingEnable", kUnread},
    IgnoredArgument{"predicates", "predicate.GPUNumberEnable", kUnread},
    IgnoredArgument{"predicates", "predicate.VGPUEnable", kUnread},
    IgnoredArgument{"predicates", "predicate.NodeLockEnable", kUnread},
    // Proportional use of nodes with GPUs, now in resource-strategy-fit.
    IgnoredArgument{"predicates", "predicate.ProportionalEnable", kUnread},
    IgnoredArgument{"predicates", "predicate.resources", kUnread},
    IgnoredArgument{"predicates", "predicate.resources.", kUnread},
    // Dropped by Volcano.
    IgnoredArgument{"nodeorder", "selectorspread.weight", kUnread},
    IgnoredArgument{"tdm", "tdm.evict.max-step", kUnread},
    IgnoredArgument{"enqueue", "overcommit-factor", kUnread},
};

}  // namespace

VolcanoArgument volcano_argument(std::string_view owner, std::string_view key) {
  const auto row = std::ranges::find_if(kIgnored, [&](const IgnoredArgument& ignored) {
    return ignored.owner == owner && (ignored.key.ends_with('.') ? key.starts_with(ignored.key) : key == ignored.key);
  });
  return row == kIgnored.end() ? VolcanoArgument::No : row->how;
}

}  // namespace basalt::state
