#include "lab/bench/bench_kubernetes.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "lab/bench/bench_kubernetes_table.h"
#include "lab/bench/bench_pod_timeline.h"
#include "lab/bench/null_scheduler.h"

namespace basalt::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

client::ObjectPtr parsed(std::string_view json) {
  return std::make_shared<const text::Value>(text::parse_json(json).value());
}

client::WatchEvent changed(std::string_view json) {
  return {.type = client::WatchEventType::Modified, .object = parsed(json)};
}

TEST(BenchUsage, ReadsProc) {
  EXPECT_DOUBLE_EQ(cpu_of_stat("12 (a b) c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0", 100), 3.0);
  EXPECT_DOUBLE_EQ(cpu_of_stat("12 (a) S 1 2", 100), -1);
  EXPECT_DOUBLE_EQ(cpu_of_stat("", 100), -1);
  EXPECT_DOUBLE_EQ(mib_of_status("Name:\tx\nVmHWM:\t   4096 kB\nVmRSS:\t   2048 kB\n", "VmRSS"), 2.0);
  EXPECT_DOUBLE_EQ(mib_of_status("VmRSSx: 3", "VmRSS"), 0.0);
  const auto self = usage_of({.role = "self", .pid = getpid()});
  ASSERT_TRUE(self.has_value());
  EXPECT_GT(self->resident_mib, 1.0);
  EXPECT_GE(self->cpu_seconds, 0.0);
  EXPECT_FALSE(usage_of({.role = "nobody", .pid = 1 << 30}).has_value());
}

TEST(BenchUsage, WatchedProcesses) {
  const auto process = parse_watched("scheduler=12");
  ASSERT_TRUE(process.has_value());
  EXPECT_EQ(process->role, "scheduler");
  EXPECT_EQ(process->pid, 12);
  for (const char* bad : {"", "12", "=12", "a=", "a=b", "a=-1", "a=0", "a=12x", "a=99999999999"}) {
    EXPECT_FALSE(parse_watched(bad).has_value()) << bad;
  }
}

TEST(PodTimeline, CountsEachPodOnce) {
  PodTimeline schedule;
  schedule.send("bench-00000-0");
  for (int i = 0; i < 2; ++i) {
    schedule.take(changed(R"({"metadata":{"name":"bench-00000-0"},"spec":{"nodeName":"n"}})"));
    schedule.take(
        changed(R"({"metadata":{"name":"bench-00000-0"},"spec":{"nodeName":"n"},"status":{"phase":"Running"}})"));
    schedule.take(changed(R"({"metadata":{"name":"other"},"spec":{"nodeName":"n"}})"));
    schedule.take(changed(R"({"metadata":{"name":"misfit-1"},"status":{"conditions":[
        {"type":"PodScheduled","status":"False"}]}})"));
    schedule.take(changed("[]"));
    schedule.take({.type = client::WatchEventType::Error, .object = nullptr});
  }
  EXPECT_EQ(schedule.sent(), 1U);
  EXPECT_EQ(schedule.bound(), 1U);
  EXPECT_EQ(schedule.running(), 1U);
  EXPECT_EQ(schedule.misfits(), 1U);
  EXPECT_GE(schedule.bound_after(0.99), 0.0);
}

constexpr std::string_view kOurs =
    R"({"label":"ours","load":"gangs","gangs":100,"size":50,"nodes":1000,"allBoundSeconds":11.0,"p50Seconds":1,
"p99Seconds":2,"processes":[{"role":"scheduler","cpuSeconds":3.0,"residentMib":30,"peakMib":31,"idlePercent":0.6}]})";

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? ' ' : c;
  return line + "\n";
}

TEST(BenchTable, HasVerdicts) {
  const std::string null = R"({"label":"null","load":"gangs","gangs":100,"size":50,"nodes":1000,"allBoundSeconds":10})";
  const auto table = comparison(on_one_line(kOurs) + on_one_line(null) + "\n");
  ASSERT_TRUE(table.has_value()) << table.error().message;
  EXPECT_THAT(*table, HasSubstr("| Volcano | 55–69 s | 18–22 s / 25–40 s | 42–55 s, 380–470 MB | – |"));
  EXPECT_THAT(*table, HasSubstr("| basalt (1 run) | 11.0 s | 1.00 s / 2.00 s | 3.0 s, 31 MB (peak 33) | – |"));
  EXPECT_THAT(*table, HasSubstr("- ok: all bound, to the null scheduler's time 1.10 of at most 1.20\n"));
  EXPECT_THAT(*table, HasSubstr("- ok: scheduler CPU 3.00 s of at most 4.20 s\n"));
  EXPECT_THAT(*table, HasSubstr("- ok: scheduler memory 31.46 MB of at most 38.00 MB\n"));
  EXPECT_THAT(*table, HasSubstr("- MISSED: scheduler idle"));
}

TEST(BenchTable, OfABadFileNamesTheLine) {
  const auto table = comparison(on_one_line(kOurs) + "{\n");
  ASSERT_FALSE(table.has_value());
  EXPECT_THAT(table.error().message, HasSubstr("line 2 "));
  EXPECT_TRUE(comparison(R"({"processes":[1,{"role":2}],"label":3})").has_value());
  EXPECT_FALSE(comparison_table("/nonexistent/file").has_value());
}

TEST(BenchTable, ReadsWhatAResultWrites) {
  KubeBenchOptions bench;
  bench.label = "ours";
  KubeBenchResult measured{.all_bound = 5, .bound_p99 = 1};
  measured.processes.push_back(
      {.role = "scheduler", .cpu_seconds = 1, .resident_mib = 10, .peak_mib = 11, .idle_percent = {}});
  const auto table = comparison(result_json(bench, measured) + "\n");
  ASSERT_TRUE(table.has_value());
  EXPECT_THAT(*table, HasSubstr("- ok: scheduler CPU 1.00 s of at most 4.20 s"));
  EXPECT_THAT(*table, Not(HasSubstr("idle")));
}

TEST(BenchKubernetes, RefusesWrongWords) {
  const auto run = [](std::vector<std::string_view> words) { return run_bench_kubernetes(words); };
  EXPECT_EQ(run({"--nodes", "0"}), 2);
  EXPECT_EQ(run({"--load", "dunno"}), 2);
  EXPECT_EQ(run({"--raw", "--null"}), 2);
  EXPECT_EQ(run({"--pid", "12"}), 2);
  EXPECT_EQ(run({"--kubeconfig", "/nonexistent/file"}), 1);
}

// A server of two nodes and some pods, whose binds it remembers.
class SmallServer final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    if (call.verb != api::Verb::List) {
      {
        const std::lock_guard lock(mutex_);
        writes_.push_back(call.resource.plural + "/" + call.name + " " + text::to_json(call.body));
      }
      written_.notify_all();
      return done(client::Reply{});
    }
    client::Reply reply;
    const std::string& plural = call.resource.plural;
    if (plural == "nodes")
      reply.items = {parsed(R"({"metadata":{"name":"a"}})"), parsed(R"({"metadata":{"name":"b"}})")};
    if (plural == "pods") {
      reply.items = {
          parsed(R"({"metadata":{"name":"p","namespace":"x","uid":"1"},"spec":{"schedulerName":"volcano"}})"),
          parsed(R"({"metadata":{"name":"q","namespace":"x","uid":"2"},"spec":{"schedulerName":"other"}})"),
          parsed(R"({"metadata":{"name":"r","uid":"3"},"spec":{"schedulerName":"volcano","nodeName":"a"}})"),
          parsed(R"({"metadata":{"name":"s","namespace":"x","uid":"4"},"spec":{"schedulerName":"volcano"}})")};
    }
    if (plural == "podgroups") {
      reply.items = {parsed(R"({"metadata":{"name":"g","uid":"5","ownerReferences":[]}})"),
                     parsed(R"({"metadata":{"name":"h","uid":"6"}})")};
    }
    done(std::move(reply));
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call /*call*/,
                                                     std::function<void(client::WatchEvent)> /*receive*/) override {
    return std::make_unique<client::Watch>();
  }
  // Once there are so many.
  std::vector<std::string> writes(size_t count) {
    std::unique_lock lock(mutex_);
    written_.wait(lock, [&] { return writes_.size() >= count; });
    return writes_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable written_;
  std::vector<std::string> writes_;
};

TEST(NullScheduler, BindsItsPodsInTurnAndLetsGroupsOfControllersIn) {
  SmallServer server;
  const NullScheduler scheduler(server, "volcano");
  const std::vector<std::string> writes = server.writes(3);
  EXPECT_THAT(writes, ElementsAre(AllOf(HasSubstr("pods/p "), HasSubstr(R"("target":{"kind":"Node","name":"a"})")),
                                  AllOf(HasSubstr("pods/s "), HasSubstr(R"("target":{"kind":"Node","name":"b"})")),
                                  AllOf(HasSubstr("podgroups/g "), HasSubstr(R"("phase":"Inqueue")"))));
  EXPECT_EQ(scheduler.binds(), 2U);
}

}  // namespace
}  // namespace basalt::lab
