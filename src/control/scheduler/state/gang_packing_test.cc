#include "control/scheduler/state/gang_packing.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace basalt::state {
namespace {

using model::Amount;

const model::ResourceId kGpu(size_t{3}), kDisk(size_t{4});

std::vector<PackedNode> nodes(const std::vector<Amount>& gpus, uint64_t takes = UINT64_MAX) {
  std::vector<PackedNode> out;
  for (const Amount amount : gpus) out.push_back({.room = {0, 0, 0, amount}, .takes = takes});
  return out;
}

Packs packs(const std::vector<std::pair<int32_t, Amount>>& pods, const std::vector<PackedNode>& into) {
  std::vector<PackedShape> shapes;
  for (const auto& [count, gpus] : pods) shapes.push_back({.request = {{kGpu, gpus}}, .count = count});
  return pack(shapes, into).packs;
}

TEST(GangPacking, WhatFitsAtTheFirstTry) {
  EXPECT_EQ(packs({{2, 8}, {1, 6}}, nodes({8, 8, 8})), Packs::Yes);
  EXPECT_EQ(packs({{4, 5}, {4, 3}}, nodes({8, 8, 8, 8})), Packs::Yes);
}

TEST(GangPacking, WhatFitsOnlyWithThought) {
  // The largest first: 4+3 and 3+2+2, and a 2 is left. But 4+2+2 and 3+3+2 is all.
  EXPECT_EQ(packs({{1, 4}, {2, 3}, {3, 2}}, nodes({8, 8})), Packs::Yes);
}

TEST(GangPacking, WhatDoesNotFitIsProven) {
  EXPECT_EQ(packs({{2, 8}, {1, 6}}, nodes({8, 8, 3, 3})), Packs::No);
  EXPECT_EQ(packs({{1, 8}, {8, 5}}, nodes({8, 8, 8, 8, 8, 8, 8, 8})), Packs::No);
  EXPECT_EQ(packs({{1, 8}, {999, 5}}, nodes(std::vector<Amount>(999, 8))), Packs::No);
  EXPECT_EQ(packs({{1, 1}, {1, 2}}, {}), Packs::No);
}

TEST(GangPacking, ShapesHaveTheirOwnNodes) {
  std::vector<PackedNode> apart = nodes({8}, 1U);
  apart.push_back(nodes({8}, 2U).front());
  EXPECT_EQ(packs({{1, 8}, {1, 8}}, apart), Packs::Yes);
  EXPECT_EQ(packs({{2, 4}, {1, 8}}, apart), Packs::Yes);
  EXPECT_EQ(packs({{1, 8}, {1, 8}}, nodes({8, 8}, 1U)), Packs::No);
}

TEST(GangPacking, AllDimensionsCountTogether) {
  const std::vector<PackedShape> shapes = {{.request = {{kGpu, 4}, {kDisk, 1}}, .count = 2},
                                           {.request = {{kGpu, 1}, {kDisk, 4}}, .count = 2}};
  const PackedNode node{.room = {0, 0, 0, 5, 5}, .takes = UINT64_MAX};
  EXPECT_EQ(pack(shapes, std::vector{node, node}).packs, Packs::Yes);
  const PackedNode narrow{.room = {0, 0, 0, 5, 4}, .takes = UINT64_MAX};
  EXPECT_EQ(pack(shapes, std::vector{node, narrow}).packs, Packs::No);
}

// The slow twin: every pod on every node.
bool fits_somehow(std::vector<Amount> pods, std::vector<Amount> rooms) {
  if (pods.empty()) return true;
  const Amount pod = pods.back();
  pods.pop_back();
  for (Amount& room : rooms) {
    if (room < pod) continue;
    room -= pod;
    if (fits_somehow(pods, rooms)) return true;
    room += pod;
  }
  return false;
}

TEST(GangPacking, AgreesWithTryingEverything) {
  std::mt19937 random(7);
  const auto any = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::pair<int32_t, Amount>> shapes;
    std::vector<Amount> pods, rooms;
    for (int s = any(2, 3); s > 0; --s) shapes.emplace_back(any(1, 3), any(1, 8));
    for (const auto& [count, gpus] : shapes) pods.insert(pods.end(), static_cast<size_t>(count), gpus);
    for (int n = any(1, 4); n > 0; --n) rooms.push_back(any(0, 8));
    EXPECT_EQ(packs(shapes, nodes(rooms)), fits_somehow(pods, rooms) ? Packs::Yes : Packs::No) << round;
  }
}

TEST(GangPacking, TooManyWaysAreNoAnswer) {
  std::vector<PackedShape> shapes;
  for (Amount gpus = 1; gpus <= 12; ++gpus) shapes.push_back({.request = {{kGpu, gpus + 100}}, .count = 50});
  const Packing packing = pack(shapes, nodes(std::vector<Amount>(40, 1'000)));
  EXPECT_EQ(packing.packs, Packs::Unknown);
  EXPECT_LE(packing.steps, kMaxPackingSteps + 40 * 12 + 1);
}

}  // namespace
}  // namespace basalt::state
