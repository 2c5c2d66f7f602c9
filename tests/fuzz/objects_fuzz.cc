// Any text as a stream of Kubernetes objects, JSON or YAML: fed into a state, scheduled once, taken out again. Whatever
// the objects say, the state's own accounts stay right and nothing is left behind.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "control/scheduler/state/state_updater.h"
#include "engine/core/cycle.h"
#include "engine/policy/build_policy.h"
#include "kube/api/any_object.h"
#include "kube/text/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace basalt;
  static const auto policy = policy::build_policy(policy::default_policy_spec());
  const auto documents = text::parse_documents({reinterpret_cast<const char*>(data), size});
  if (!documents) return 0;
  const auto objects = api::decode_all(*documents);
  if (!objects) return 0;
  model::ClusterState state;
  state::StateUpdater updater(state, {.every_pod = true});
  for (const api::AnyObject& object : *objects) {
    const uint64_t before = state.hash();
    if (!updater.apply(object)) check(state.hash() == before, "a refused object changes nothing");
  }
  check(state.verify().empty(), "accounts are right after the events");
  Rng rng(1);
  (void)engine::run_cycle(state, *policy, Instant::from_unix_seconds(1'700'000'000), rng);
  check(state.verify().empty(), "accounts are right after a cycle");
  for (const api::AnyObject& object : *objects) updater.remove(object);
  check(state.verify().empty(), "accounts are right when everything is gone");
  return 0;
}
