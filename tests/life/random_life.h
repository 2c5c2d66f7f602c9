// A random life of a few jobs in a LifeCluster: pods that run, end and are evicted, orders, scaling, time, crashes.
//
// Everything is a function of the seed. Each step lets all parts come to rest and then checks what must hold
// (life_checks.h).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "lab/life/life_cluster.h"
#include "tests/life/life_checks.h"

namespace basalt::lab {

class RandomLife {
 public:
  explicit RandomLife(uint64_t seed);

  // What went wrong first; "": nothing.
  [[nodiscard]] std::string live(size_t steps);
  [[nodiscard]] const std::set<std::string>& seen_phases() const { return checks_.seen_phases(); }

 private:
  void step();
  void submit(size_t number);
  void move_pod();
  void evict_pod();
  void command();
  void scale();
  void lose_group();
  void crash();
  void pass_time();
  [[nodiscard]] text::Object random_job(size_t number);
  [[nodiscard]] text::Array random_policies();
  [[nodiscard]] std::vector<client::ObjectPtr> objects(const api::GroupVersionResource& resource);
  void create(const api::GroupVersionResource& resource, text::Object object);
  template <class List>
  [[nodiscard]] const auto& one_of(const List& list) {
    return list[rng_.below(std::size(list))];
  }

  Rng rng_;
  LifeCluster cluster_;
  LifeChecks checks_;
  std::vector<std::string> last_steps_;  // the last steps, for a failure
};

}  // namespace basalt::lab
