#include "control/node/local/gpu_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace basalt::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Wishes = std::vector<DeviceRequest>;

TEST(DevicesTest, FindsNumberedDevicesOnly) {
  std::string directory = (std::filesystem::temp_directory_path() / "basalt-devices-XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  for (const char* name : {"nvidia10", "nvidia2", "nvidia0", "nvidiactl", "nvidia-uvm", "nvidia1x", "nvidia", "null"}) {
    std::ofstream(std::filesystem::path(directory) / name) << "";
  }
  EXPECT_THAT(detect_gpus(directory), ElementsAre(0, 2, 10));
  std::filesystem::remove_all(directory);
  EXPECT_THAT(detect_gpus(directory), IsEmpty());
}

TEST(DevicesTest, ContainersOfAPodGetDistinctDevicesInOrder) {
  GpuAllocator devices = GpuAllocator::counted(8);
  ASSERT_TRUE(devices.assign("a", Wishes{{"main", 2}, {"none", 0}, {"side", 1}}));
  EXPECT_THAT(devices.held("a", "main"), ElementsAre(0, 1));
  EXPECT_THAT(devices.held("a", "none"), IsEmpty());
  EXPECT_THAT(devices.held("a", "side"), ElementsAre(2));
  ASSERT_TRUE(devices.assign("b", Wishes{{"main", 3}}));
  EXPECT_THAT(devices.held("b", "main"), ElementsAre(3, 4, 5));
  EXPECT_EQ(devices.free(), 2U);
}

TEST(DevicesTest, AllOrNothing) {
  GpuAllocator devices({4, 7});
  const auto assigned = devices.assign("a", Wishes{{"x", 1}, {"y", 2}});
  ASSERT_FALSE(assigned);
  EXPECT_THAT(assigned.error().message, HasSubstr("asks for 3 GPUs, but only 2 of 2 are free"));
  EXPECT_EQ(devices.free(), 2U);
  EXPECT_FALSE(devices.assign("a", Wishes{{"x", -1}}));
}

TEST(DevicesTest, ReleasedDevicesAreGivenAgainAndARepeatChangesNothing) {
  GpuAllocator devices = GpuAllocator::counted(3);
  ASSERT_TRUE(devices.assign("a", Wishes{{"x", 1}}));
  ASSERT_TRUE(devices.assign("b", Wishes{{"x", 1}}));
  ASSERT_TRUE(devices.assign("b", Wishes{{"x", 1}}));
  EXPECT_EQ(devices.free(), 1U);
  devices.release("a");
  devices.release("unknown");
  ASSERT_TRUE(devices.assign("c", Wishes{{"x", 2}}));
  EXPECT_THAT(devices.held("c", "x"), ElementsAre(0, 2));
}

TEST(DevicesTest, TheEnvironmentSaysWhichDevices) {
  const std::vector<int> held = {0, 3};
  EXPECT_THAT(device_environment(held, 8), ElementsAre("CUDA_VISIBLE_DEVICES=0,3", "NVIDIA_VISIBLE_DEVICES=0,3"));
  EXPECT_THAT(device_environment({}, 8), ElementsAre("CUDA_VISIBLE_DEVICES=", "NVIDIA_VISIBLE_DEVICES=void"));
  EXPECT_THAT(device_environment({}, 0), IsEmpty());
}

TEST(DevicesTest, ACountIsBounded) { EXPECT_EQ(GpuAllocator::counted(1'000'000'000).total(), 1024U); }

TEST(GpuAllocator, WhatAContainerHadBeforeARestart) {
  GpuAllocator devices = GpuAllocator::counted(4);
  const std::vector<int> had = {2, 3, 9};
  devices.restore("p", "a", had);
  EXPECT_THAT(devices.held("p", "a"), testing::ElementsAre(2, 3));
  const std::vector<DeviceRequest> requests = {{.container = "a", .count = 2}, {.container = "b", .count = 1}};
  ASSERT_TRUE(devices.assign("p", requests));
  EXPECT_THAT(devices.held("p", "a"), testing::ElementsAre(2, 3));
  EXPECT_THAT(devices.held("p", "b"), testing::ElementsAre(0));
  const std::vector<int> taken = {3};
  devices.restore("q", "a", taken);
  EXPECT_TRUE(devices.held("q", "a").empty()) << "it is another's";
}

}  // namespace
}  // namespace basalt::node
