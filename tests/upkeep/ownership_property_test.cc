// Random objects that own each other, created and deleted in random order and ways. When upkeep is done: nothing is
// left whose owners are all gone, and nothing went that had a living owner and that nobody deleted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/rng.h"
#include "kube/api/object_fields.h"
#include "tests/upkeep/small_cluster.h"

namespace basalt {
namespace {

struct Thing {
  std::string kind, plural, name, uid;
  std::set<std::string> owners;  // names; empty: on its own
  bool deleted = false;          // by us
};

class Forest {
 public:
  explicit Forest(uint64_t seed) : rng_(seed) {}

  void grow() {
    Thing thing;
    const bool map = rng_.below(2) == 0;
    thing.kind = map ? "ConfigMap" : "Secret";
    thing.plural = map ? "configmaps" : "secrets";
    thing.name = fmt::format("t{:03}", things_.size());
    std::string references;
    for (uint64_t i = rng_.below(3); i > 0 && !things_.empty(); --i) {
      const Thing& owner = things_[rng_.below(things_.size())];
      if (!thing.owners.insert(owner.name).second) continue;
      references += fmt::format("{{apiVersion: v1, kind: {}, name: {}, uid: {}, blockOwnerDeletion: {}}},", owner.kind,
                                owner.name, owner.uid, rng_.below(2) == 0);
    }
    thing.uid = cluster_.create(
        fmt::format("{{apiVersion: v1, kind: {}, metadata: {{name: {}, namespace: default, ownerReferences: [{}]}}}}",
                    thing.kind, thing.name, references));
    things_.push_back(std::move(thing));
  }

  void fell() {
    Thing& thing = things_[rng_.below(things_.size())];
    if (!cluster_.exists(where(thing))) return;
    constexpr std::array<std::string_view, 3> kWays = {"Background", "Foreground", "Orphan"};
    const std::string_view way = kWays[rng_.below(kWays.size())];
    thing.deleted = true;
    cluster_.remove(where(thing), way);
  }

  void check() {
    cluster_.pass(Duration::seconds(120));
    std::map<std::string, const Thing*> by_uid;
    for (const Thing& thing : things_) by_uid[thing.uid] = &thing;
    for (const Thing& thing : things_) {
      const client::ObjectPtr object = cluster_.get(where(thing));
      if (thing.deleted) {
        EXPECT_EQ(object, nullptr) << thing.name << " was deleted and nothing holds it";
      }
      if (object != nullptr) check_survivor(thing, *object, by_uid);
      if (object == nullptr && !thing.deleted) check_victim(thing);
    }
    EXPECT_EQ(cluster_.settle(), 0U) << "quiet";
  }

  KubeControllersFixture& cluster() { return cluster_; }
  uint64_t pick(uint64_t below) { return rng_.below(below); }

 private:
  static std::string where(const Thing& thing) { return fmt::format("v1/{}/default/{}", thing.plural, thing.name); }

  void check_survivor(const Thing& thing, const text::Value& object,
                      const std::map<std::string, const Thing*>& by_uid) {
    const text::Array* references = api::array_at(object.get_object(), {"metadata", "ownerReferences"});
    if (references == nullptr || references->empty()) return;
    bool living = false;
    for (const text::Value& reference : *references) {
      const auto owner = by_uid.find(std::string(api::string_at(reference.get_object(), "uid")));
      living = living || (owner != by_uid.end() && cluster_.exists(where(*owner->second)));
    }
    EXPECT_TRUE(living) << thing.name << " is left though all its owners are gone";
  }

  // Went without being deleted by us: then it had owners, and none of them is there now.
  void check_victim(const Thing& thing) {
    EXPECT_FALSE(thing.owners.empty()) << thing.name << " was on its own";
    for (const Thing& owner : things_) {
      if (thing.owners.contains(owner.name)) {
        EXPECT_FALSE(cluster_.exists(where(owner))) << thing.name << " went though " << owner.name << " lives";
      }
    }
  }

  KubeControllersFixture cluster_;
  Rng rng_;
  std::vector<Thing> things_;
};

TEST(OwnershipProperty, NothingDanglesAndNothingOwnedIsLost) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Forest forest(seed);
    for (int i = 0; i < 120; ++i) {
      if (i < 10 || forest.pick(3) != 0) {
        forest.grow();
      } else {
        forest.fell();
      }
      if (forest.pick(4) == 0) forest.cluster().settle();
      if (forest.pick(40) == 0) forest.cluster().restart_upkeep();
    }
    forest.check();
  }
}

}  // namespace
}  // namespace basalt
