#include "kube/client/protobuf/watch_frame_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace basalt::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string frame(std::string_view message) {
  std::string text;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) text += static_cast<char>(message.size() >> shift & 0xFFU);
  return text.append(message);
}

TEST(WatchFrameSplitter, AreTheSameHoweverTheBytesAreCut) {
  const std::string stream = frame("one") + frame("") + frame(std::string(300, 'x')) + frame("last");
  for (size_t size = 1; size <= stream.size(); ++size) {
    WatchFrameSplitter frames(1000);
    std::vector<std::string> taken;
    for (size_t at = 0; at < stream.size(); at += size) {
      const auto fed = frames.feed(std::string_view(stream).substr(at, size), [&](std::string_view message) {
        taken.emplace_back(message);
        return Result<bool>(true);
      });
      ASSERT_TRUE(fed.has_value());
    }
    EXPECT_THAT(taken, ElementsAre("one", "", std::string(300, 'x'), "last")) << "pieces of " << size;
  }
}

TEST(WatchFrameSplitter, AFrameThatPromisesTooMuchIsAnErrorAtOnce) {
  WatchFrameSplitter frames(10);
  const auto keep = [](std::string_view) { return Result<bool>(true); };
  EXPECT_TRUE(frames.feed(frame("1234567890"), keep));
  const auto fed = frames.feed(std::string_view("\0\0\0\x0b", 4), keep);
  ASSERT_FALSE(fed.has_value());
  EXPECT_THAT(fed.error().message, HasSubstr("longer than 10 bytes"));
  EXPECT_FALSE(WatchFrameSplitter(10).feed("\xff\xff\xff\xff", keep));
}

TEST(WatchFrameSplitter, StopWhereTheTakerStops) {
  WatchFrameSplitter frames(10);
  int taken = 0;
  const auto once = [&](std::string_view) { return Result<bool>(++taken > 1); };
  EXPECT_TRUE(frames.feed(frame("a") + frame("b"), once));
  EXPECT_EQ(taken, 1);
  const auto refuse = [](std::string_view) -> Result<bool> { return invalid("no"); };
  EXPECT_FALSE(WatchFrameSplitter(10).feed(frame("a"), refuse));
}

}  // namespace
}  // namespace basalt::client
