// Random queues, groups, Commands and crashes: whatever happens, planning comes to rest, and then all promises hold.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "control/volcano/controllers_fixture.h"
#include "control/volcano/queue/queue_controller.h"
#include "control/volcano/queue/queue_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

constexpr int kQueues = 5;
constexpr size_t kMaxRoundsToRest = 100;

class Hazard {
 public:
  explicit Hazard(uint64_t seed) : rng_(seed) { see_queue("root", ""); }

  void step() {
    const std::string queue = fmt::format("q{}", below(kQueues));
    switch (below(6)) {
      case 0:
        // A parent has a smaller number, as admission would have it: no circles.
        if (fixture.seen().find(VolcanoKind::Queue, queue) == nullptr) see_queue(queue, parent_for(queue));
        break;
      case 1:
        see_command(queue);
        break;
      case 2:
        see_group(queue);
        break;
      case 3:
        fixture.lose(VolcanoKind::PodGroup, fmt::format("n/g{}", below(6)));
        break;
      default:
        fixture.run(controller, queue, below(3));  // dies after so many writes
        break;
    }
    fixture.now = fixture.now + Duration::seconds(static_cast<int64_t>(below(3)));
  }

  // Plans everything until nobody has anything to do.
  bool rest() {
    fixture.now = fixture.now + kParentOpenTimeout;
    for (size_t round = 0; round < kMaxRoundsToRest; ++round) {
      bool quiet = true;
      for (const VolcanoKind kind : {VolcanoKind::Queue, VolcanoKind::Command}) {
        for (const std::string& item : fixture.seen().keys(kind)) {
          quiet = fixture.run(controller, item).empty() && quiet;
        }
      }
      if (quiet) return true;
    }
    return false;
  }

  ControllersFixture fixture;
  const VolcanoController controller = queue_controller();

 private:
  uint64_t below(uint64_t bound) { return rng_.below(bound); }
  std::string parent_for(const std::string& queue) {
    const uint64_t number = std::stoull(queue.substr(1));
    const uint64_t pick = below(number + 1);
    return pick == 0 ? (below(2) == 0 ? "" : "root") : fmt::format("q{}", pick - 1);
  }
  void see_queue(const std::string& name, const std::string& parent) {
    fixture.see(fmt::format(R"({{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{{"name":"{}"}},
                              "spec":{{"parent":"{}"}}}})",
                            name, parent));
  }
  void see_command(const std::string& queue) {
    fixture.see(fmt::format(
        R"({{"apiVersion":"bus.volcano.sh/v1alpha1","kind":"Command","metadata":{{"namespace":"n","name":"c{}",
            "creationTimestamp":"{}"}},"action":"{}","target":{{"apiVersion":"scheduling.volcano.sh/v1beta1",
            "kind":"Queue","name":"{}","uid":"uid-{}"}}}})",
        commands_++, text::format_time(fixture.now), below(2) == 0 ? "OpenQueue" : "CloseQueue", queue, queue));
  }
  void see_group(const std::string& queue) {
    fixture.see(fmt::format(R"({{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",
                              "metadata":{{"namespace":"n","name":"g{}"}},"spec":{{"queue":"{}"}},
                              "status":{{"phase":"{}"}}}})",
                            below(6), queue, below(2) == 0 ? "Running" : "Inqueue"));
  }

  Rng rng_;
  int commands_ = 0;
};

void expect_promises(const Hazard& hazard, uint64_t seed) {
  const ControllerCache& seen = hazard.fixture.seen();
  EXPECT_TRUE(seen.keys(VolcanoKind::Command).empty()) << "seed " << seed;
  for (const auto& [name, object] : seen.all(VolcanoKind::Queue)) {
    const text::Object& queue = object->get_object();
    const std::string_view parent_name = api::string_at(queue, {"spec", "parent"});
    const bool marked = api::string_at(queue, {"metadata", "annotations", "volcano.sh/closed-by-parent"}) == "true";
    const QueueLifecycleState state = queue_state(queue);
    EXPECT_NE(state, QueueLifecycleState::None) << name << " seed " << seed;
    EXPECT_TRUE(!marked || is_shut(state)) << name << " seed " << seed;
    EXPECT_TRUE(state != QueueLifecycleState::Closing || !seen.groups_in(name).empty()) << name << " seed " << seed;
    EXPECT_EQ(api::int_at(queue, {"status", "running"}), seen.group_counts(name).running) << name << " seed " << seed;
    EXPECT_EQ(api::int_at(queue, {"status", "inqueue"}), seen.group_counts(name).inqueue) << name << " seed " << seed;
    if (name == "root") continue;
    EXPECT_FALSE(parent_name.empty()) << name << " seed " << seed;
    const text::Object* parent = seen.find(VolcanoKind::Queue, parent_name);
    if (parent == nullptr || parent_name == "root") continue;
    const bool parent_shut = is_shut(queue_state(*parent));
    EXPECT_TRUE(!parent_shut || is_shut(state)) << name << " seed " << seed;
    EXPECT_TRUE(parent_shut || !marked) << name << " seed " << seed;
  }
}

TEST(QueueProperties, EverythingComesToRestAndHolds) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Hazard hazard(seed);
    for (int step = 0; step < 60; ++step) hazard.step();
    ASSERT_TRUE(hazard.rest()) << "no rest with seed " << seed;
    expect_promises(hazard, seed);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace basalt::volcano
