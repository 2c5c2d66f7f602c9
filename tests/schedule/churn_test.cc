// Random lives of a small cluster with faults: whenever it has come to rest, the scheduler's state is what a rebuild
// from the API would give, and no node holds more than it has.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "base/rng.h"
#include "kube/api/object_fields.h"
#include "tests/schedule/schedule_fixture.h"

namespace basalt {
namespace {

using Fault = FaultyClient::Fault;

constexpr uint64_t kSeeds = 4;
constexpr int kRounds = 25;

class Churn {
 public:
  explicit Churn(uint64_t seed) : rng_(seed) {
    for (int n = 0; n < 4; ++n) add_node();
    misbehave();
  }

  void round() {
    const uint64_t steps = rng_.below(4) + 1;
    for (uint64_t i = 0; i < steps; ++i) act();
    world_.advance(Duration::millis(rng_.between(1, 4000)));
  }

  // Without faults for long enough that every doubt is settled.
  void rest() {
    world_.wire().judge = nullptr;
    listen(true);
    world_.advance(Duration::seconds(200));
    world_.expect_sound();
    misbehave();
  }

 private:
  void add_node() { world_.create_node(fmt::format("n{}", nodes_++), std::to_string(rng_.between(2, 6))); }

  // A watch that lost something is always broken: the list after it tells what was missed.
  void listen(bool hears) {
    const bool was_deaf = std::exchange(world_.wire().deaf, !hears);
    if (!was_deaf || !hears) return;
    for (const char* plural : {"pods", "nodes", "podgroups", "queues"}) world_.wire().break_watches(plural);
  }

  void misbehave() {
    world_.wire().judge = [this](const api::Call& call) {
      if (call.verb == api::Verb::Get || !rng_.chance(0.1)) return Fault::None;
      const uint64_t kind = rng_.below(3);
      return kind == 0 ? Fault::Refuse : kind == 1 ? Fault::LoseAnswer : Fault::LoseCall;
    };
  }

  std::string some(std::string_view group_version, std::string_view plural) {
    const auto all = world_.list(group_version, plural);
    return all.empty() ? "" : std::string(api::name_of(all[rng_.below(all.size())]->get_object()));
  }

  void act() {
    switch (rng_.below(10)) {
      case 0:
      case 1:
      case 2: {
        const int replicas = static_cast<int>(rng_.between(1, 5));
        const int least = static_cast<int>(rng_.between(1, replicas));
        return world_.create_job(fmt::format("j{}", jobs_++), replicas, std::to_string(rng_.between(1, 3)), "default",
                                 least);
      }
      case 3:
      case 4:
        if (const std::string pod = some("v1", "pods"); !pod.empty()) world_.finish(pod);
        return;
      case 5:
        if (const std::string job = some("batch.volcano.sh/v1alpha1", "jobs"); !job.empty()) {
          world_.remove("batch.volcano.sh/v1alpha1", "jobs", job);
        }
        return;
      case 6:
        if (const std::string pod = some("v1", "pods"); !pod.empty()) world_.remove("v1", "pods", pod);
        return;
      case 7:
        return nodes_ < 8 ? add_node() : void();
      case 8:
        return world_.wire().break_watches(rng_.chance(0.5) ? "pods" : "podgroups");
      default:
        if (rng_.chance(0.3)) return world_.crash_scheduler();
        listen(rng_.chance(0.8));
    }
  }

  Rng rng_;
  ScheduleFixture world_;
  int nodes_ = 0, jobs_ = 0;
};

TEST(Churn, TheStateIsWhatTheApiSays) {
  const char* given = std::getenv("BASALT_SEED");
  const uint64_t first = given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
  const uint64_t last = given == nullptr ? kSeeds : first;
  for (uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(fmt::format("BASALT_SEED={}", seed));
    Churn churn(seed);
    for (int round = 1; round <= kRounds; ++round) {
      churn.round();
      if (round % 5 == 0) churn.rest();
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace basalt
