// Any text as volcano-scheduler.conf: a policy that runs, or an error with a message.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "control/scheduler/state/conf.h"
#include "engine/core/cycle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace basalt;
  const auto conf = state::load_conf({reinterpret_cast<const char*>(data), size});
  if (!conf) {
    check(!conf.error().message.empty(), "a refusal says why");
    return 0;
  }
  model::ClusterState empty;
  Rng rng(1);
  (void)engine::run_cycle(empty, conf->policy, Instant::from_unix_seconds(1), rng);
  return 0;
}
