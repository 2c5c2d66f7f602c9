#include "engine/core/best_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/rng.h"

namespace basalt::engine {
namespace {

uint32_t first_largest(const std::vector<int>& scores) {
  return static_cast<uint32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

TEST(BestTree, AgreesWithAWalkForEverySize) {
  Rng rng(5);
  for (size_t places = 1; places <= 70; ++places) {
    std::vector<int> scores(places);
    for (int& score : scores) score = static_cast<int>(rng.below(5));  // many ties
    const auto better = [&](uint32_t a, uint32_t b) { return scores[b] > scores[a]; };
    BestTree tree;
    tree.build(places, better);
    ASSERT_EQ(tree.best(), first_largest(scores)) << places;
    for (int i = 0; i < 50; ++i) {
      std::vector<uint32_t> changed;  // may name a place twice
      for (uint64_t n = rng.below(5); n > 0; --n) {
        changed.push_back(static_cast<uint32_t>(rng.below(places)));
        scores[changed.back()] = static_cast<int>(rng.below(5));
      }
      tree.update(changed, better);
      ASSERT_EQ(tree.best(), first_largest(scores)) << places;
    }
  }
}

TEST(BestTree, VisitsFromTheBestToTheWorst) {
  Rng rng(6);
  for (size_t places = 1; places <= 70; ++places) {
    std::vector<int> scores(places);
    for (int& score : scores) score = static_cast<int>(rng.below(5));
    const auto better = [&](uint32_t a, uint32_t b) { return scores[b] > scores[a]; };
    BestTree tree;
    tree.build(places, better);
    std::vector<uint32_t> order(places);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return scores[a] > scores[b]; });
    const size_t wanted = 1 + rng.below(places);
    std::vector<uint32_t> visited;
    tree.visit_in_order(better, [&](uint32_t place) {
      visited.push_back(place);
      return visited.size() == wanted;
    });
    order.resize(wanted);
    ASSERT_EQ(visited, order) << places;
  }
}

TEST(BestTree, TheLeftOneWinsTies) {
  const std::vector<int> equal(9, 1);
  BestTree tree;
  tree.build(equal.size(), [&](uint32_t a, uint32_t b) { return equal[b] > equal[a]; });
  EXPECT_EQ(tree.best(), 0U);
}

TEST(BestTree, CanBeBuiltAnewSmaller) {
  BestTree tree;
  tree.build(9, [](uint32_t, uint32_t) { return true; });
  EXPECT_EQ(tree.best(), 8U);
  tree.build(2, [](uint32_t, uint32_t) { return true; });
  EXPECT_EQ(tree.best(), 1U);
}

}  // namespace
}  // namespace basalt::engine
