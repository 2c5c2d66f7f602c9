#include "control/node/simulated/behaviour.h"

#include <gtest/gtest.h>

#include "control/node/simulated/simulated_nodes.h"

namespace basalt::node {
namespace {

Behaviour behaviour_with(std::initializer_list<std::pair<std::string_view, text::Value>> annotations,
                         const std::optional<RunRange>& run) {
  text::Object list;
  for (const auto& [key, value] : annotations) list[key] = value;
  return behaviour_of(api::StringMapView(&list), run);
}

TEST(Behaviour, ReadsRunTimes) {
  EXPECT_EQ(parse_run_range("30")->low, Duration::seconds(30));
  EXPECT_EQ(parse_run_range("0.25")->high, Duration::millis(250));
  EXPECT_EQ(parse_run_range("0")->high, Duration{});
  const auto range = parse_run_range("10..60");
  EXPECT_EQ(range->low, Duration::seconds(10));
  EXPECT_EQ(range->high, Duration::seconds(60));
  for (const std::string_view wrong :
       {"", "x", "-1", "1..", "..1", "2..1", "1...2", "nan", "inf", "1e30", "1 ", "1s"}) {
    EXPECT_FALSE(parse_run_range(wrong).has_value()) << wrong;
  }
}

TEST(Behaviour, TakesAWrongAnnotationAsAbsentAndSaysSo) {
  const Behaviour good = behaviour_with({{"basalt.sh/run-seconds", "5"},
                                         {"basalt.sh/exit-code", "7"},
                                         {"basalt.sh/fail-chance", "0.5"},
                                         {"basalt.sh/start-seconds", "2"},
                                         {"basalt.sh/stop-seconds", "3"}},
                                        {});
  EXPECT_TRUE(good.wrong.empty());
  EXPECT_EQ(good.run->low, Duration::seconds(5));
  EXPECT_EQ(good.exit_code, 7);
  EXPECT_EQ(good.fail_chance, 0.5);
  EXPECT_EQ(good.start, Duration::seconds(2));
  EXPECT_EQ(good.stop, Duration::seconds(3));

  const RunRange usual{.low = Duration::seconds(9), .high = Duration::seconds(9)};
  const Behaviour bad = behaviour_with({{"basalt.sh/run-seconds", "soon"},
                                        {"basalt.sh/exit-code", "256"},
                                        {"basalt.sh/fail-chance", "2"},
                                        {"basalt.sh/start-seconds", text::Value(std::string(1'000, 'x'))}},
                                       usual);
  ASSERT_EQ(bad.wrong.size(), 4U);
  EXPECT_EQ(bad.wrong[0],
            "annotation basalt.sh/run-seconds: \"soon\": expected seconds, such as 30, or a range of them, such as "
            "10..60");
  EXPECT_LT(bad.wrong[1].size(), 200U);
  EXPECT_EQ(bad.run->low, Duration::seconds(9));
  EXPECT_EQ(bad.exit_code, 0);
  EXPECT_TRUE(behaviour_with({{"basalt.sh/run-seconds", 5}}, {}).wrong.empty()) << "no string, no annotation";
  EXPECT_FALSE(behaviour_of({}, {}).run.has_value());
}

TEST(Behaviour, IsByChanceOfSeedAndUid) {
  Behaviour behaviour{.run = parse_run_range("10..60").value(), .fail_chance = 0.25};
  size_t failed = 0;
  for (int i = 0; i < 1'000; ++i) {
    const std::string uid = "uid-" + std::to_string(i);
    const Duration length = run_length(behaviour, 1, uid).value();
    EXPECT_GE(length, Duration::seconds(10));
    EXPECT_LE(length, Duration::seconds(60));
    EXPECT_EQ(length, run_length(behaviour, 1, uid).value());
    failed += exit_code_of(behaviour, 1, uid, "main", 0) == 1 ? 1 : 0;
  }
  EXPECT_GT(failed, 200U);
  EXPECT_LT(failed, 300U);
  behaviour.fail_chance = 1;
  EXPECT_EQ(exit_code_of(behaviour, 1, "u", "main", 0), 1);
  EXPECT_FALSE(run_length({}, 1, "u").has_value());
}

TEST(SimulatedNodeGroup, IsOneWord) {
  const auto group = parse_simulated_group(
      "1000:cpu=64,memory=256Gi,nvidia.com/gpu=8,name=gpu,label=zone=a,label=tier=,taint=gpu=yes:NoSchedule,taint=x:"
      "NoExecute,annotation=a=b");
  ASSERT_TRUE(group.has_value()) << group.error().message;
  EXPECT_EQ(group->count, 1000);
  EXPECT_EQ(group->name, "gpu");
  EXPECT_EQ(group->capacity.at("nvidia.com/gpu").value(), 8);
  EXPECT_EQ(group->capacity.size(), 3U);
  EXPECT_EQ(group->labels, (api::StringMap{{"zone", "a"}, {"tier", ""}}));
  EXPECT_EQ(group->annotations.at("a"), "b");
  EXPECT_EQ(group->taints, (std::vector<std::string>{"gpu=yes:NoSchedule", "x:NoExecute"}));
  EXPECT_EQ(parse_simulated_group("8")->name, "sim");
}

TEST(SimulatedNodeGroup, SaysWhatIsWrong) {
  const auto error = [](std::string_view text) {
    const auto group = parse_simulated_group(text);
    return group ? std::string() : group.error().message;
  };
  EXPECT_NE(error("").find("COUNT"), std::string::npos);
  EXPECT_NE(error("-1").find("COUNT"), std::string::npos);
  EXPECT_NE(error("100001").find("100000"), std::string::npos);
  EXPECT_NE(error("x:cpu=1").find("COUNT"), std::string::npos);
  EXPECT_NE(error("1:cpu").find("RESOURCE=AMOUNT"), std::string::npos);
  EXPECT_NE(error("1:cpu=much").find("such as 64"), std::string::npos);
  EXPECT_NE(error("1:cpu=-1").find("such as 64"), std::string::npos);
  EXPECT_NE(error("1:cpu=1,cpu=2").find("twice"), std::string::npos);
  EXPECT_NE(error("1:,cpu=2").find("RESOURCE=AMOUNT"), std::string::npos);
  EXPECT_NE(error("1:label=zone").find("label=KEY=VALUE"), std::string::npos);
  EXPECT_NE(error("1:label=zone=?"), "");
  EXPECT_EQ(error("3:cpus=4"), "simulated nodes: \"cpus\": unknown; did you mean \"cpu\"?");
  EXPECT_EQ(error("3:gpu=4"), "simulated nodes: \"gpu\": unknown; did you mean \"nvidia.com/gpu\"?");
  EXPECT_NE(error("3:flops=4").find("with a domain, such as nvidia.com/gpu"), std::string::npos);
  EXPECT_EQ(error("3:hugepages-2Mi=4Gi,ephemeral-storage=1Gi"), "");
  EXPECT_NE(error("1:name=A"), "");
  EXPECT_NE(error("1:taint=a=b").find("key=value:Effect"), std::string::npos);
  EXPECT_NE(error("1:taint=a=b:Never").find("key=value:Effect"), std::string::npos);
  EXPECT_NE(error(std::string(100'000, '1')).find("too long"), std::string::npos);
}

}  // namespace
}  // namespace basalt::node
