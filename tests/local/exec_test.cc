// Commands inside containers, as kubectl exec wants them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <optional>

#include "kube/api/object_fields.h"
#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

// One who talks with a command.
class Listener {
 public:
  api::ExecCallbacks callbacks() {
    return {.output =
                [this](api::ExecStream stream, std::string_view bytes) {
                  const std::lock_guard lock(mutex_);
                  (stream == api::ExecStream::Stdout ? out : errors) += bytes;
                  changed_.notify_all();
                  return !full_;
                },
            .room =
                [this] {
                  const std::lock_guard lock(mutex_);
                  room_ = true;
                  changed_.notify_all();
                },
            .ended =
                [this](const api::ExecResult& end) {
                  const std::lock_guard lock(mutex_);
                  end_ = end;
                  changed_.notify_all();
                }};
  }

  api::ExecResult wait_end() {
    wait([this] { return end_.has_value(); });
    const std::lock_guard lock(mutex_);
    return end_.value_or(api::ExecResult{.code = -1, .problem = "it never ended"});
  }
  bool wait_out(std::string_view text) {
    return wait([&] { return out.find(text) != std::string::npos; });
  }
  bool wait_room() {
    return wait([this] { return room_; });
  }
  size_t size() {
    const std::lock_guard lock(mutex_);
    return out.size();
  }
  void fill(bool full) {
    const std::lock_guard lock(mutex_);
    full_ = full;
  }
  bool has_ended() {
    const std::lock_guard lock(mutex_);
    return end_.has_value();
  }

  std::string out, errors;  // after wait_end()

 private:
  bool wait(const std::function<bool()>& is_so) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kTestTimeout, is_so);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool full_ = false, room_ = false;
  std::optional<api::ExecResult> end_;
};

class LocalExec : public testing::Test {
 protected:
  LocalExec() {
    fixture.start_node();
    fixture.create_pod("p",
                       fmt::format("terminationGracePeriodSeconds: 0, containers: [{{name: a, image: x, env: [{{name: "
                                   "WHO, value: me}}, {{name: MARK, value: '{}'}}], command: [sleep, '1000']}}]",
                                   fixture.mark()));
    EXPECT_TRUE(fixture.wait_ready("p"));
  }
  std::shared_ptr<api::ExecHandle> run(Listener& listener, std::string_view script, bool input = false) {
    return fixture.node().exec(request({"sh", "-c", std::string(script)}, input), listener.callbacks());
  }
  api::ExecRequest request(std::vector<std::string> argv, bool input = false) {
    return {.namespace_name = "default",
            .pod = "p",
            .uid = fixture.at("p", "metadata.uid"),
            .node = std::string(LocalNodeFixture::kNode),
            .container = "a",
            .argv = std::move(argv),
            .input = input};
  }
  LocalNodeFixture fixture;
};

TEST_F(LocalExec, BothStreamsAndTheExitCode) {
  Listener listener;
  run(listener, "echo $WHO; echo oh >&2; cat; exit 5");
  EXPECT_EQ(listener.wait_end().code, 5);
  EXPECT_EQ(listener.out, "me\n");
  EXPECT_EQ(listener.errors, "oh\n");
}

TEST_F(LocalExec, ASignalIsACode) {
  Listener listener;
  run(listener, "kill -TERM $$");
  EXPECT_EQ(listener.wait_end().code, 128 + 15);
}

TEST_F(LocalExec, AConversation) {
  Listener listener;
  const auto command = run(listener, "while read line; do echo \"<$line>\"; done; echo over", true);
  EXPECT_TRUE(command->input("one\n"));
  ASSERT_TRUE(listener.wait_out("<one>"));
  EXPECT_TRUE(command->input("two\n"));
  ASSERT_TRUE(listener.wait_out("<two>"));
  command->end_input();
  EXPECT_EQ(listener.wait_end().code, 0);
  EXPECT_EQ(listener.out, "<one>\n<two>\nover\n");
  EXPECT_TRUE(command->input("late"));  // goes nowhere
}

TEST_F(LocalExec, InputWaitsUntilItIsRead) {
  Listener listener;
  const auto command = run(listener, "read go; wc -c", true);
  const std::string piece(64 * 1024, 'x');
  size_t given = 0;
  while (command->input(piece)) {
    given += piece.size();
    ASSERT_LT(given, size_t{8} << 20U) << "it is never full";
  }
  given += piece.size();
  command->input("\n");
  ASSERT_TRUE(listener.wait_room());
  command->end_input();
  EXPECT_EQ(listener.wait_end().code, 0);
  EXPECT_EQ(std::stoul(listener.out), 0U);  // all of it was the first line
}

TEST_F(LocalExec, OutputWaitsForAListenerThatIsFull) {
  Listener listener;
  listener.fill(true);
  const auto command = run(listener, "head -c 3000000 /dev/zero; echo done >&2");
  ASSERT_TRUE(listener.wait_out(std::string_view("\0", 1)));
  EXPECT_LT(listener.size(), 100'000U);  // one piece, and not another before resume()
  EXPECT_FALSE(listener.has_ended());
  listener.fill(false);
  command->resume();
  EXPECT_EQ(listener.wait_end().code, 0);
  EXPECT_EQ(listener.out.size(), 3'000'000U);
  EXPECT_EQ(listener.errors, "done\n");
}

TEST_F(LocalExec, InputThatNobodyReadsIsThrownAway) {
  Listener listener;
  const auto command = run(listener, "exec 0<&-; echo closed; read x < /dev/null; exit 0", true);
  ASSERT_TRUE(listener.wait_out("closed"));
  command->input(std::string(1 << 20U, 'x'));
  EXPECT_EQ(listener.wait_end().code, 0);
}

TEST_F(LocalExec, WhatCannotRunIsExplained) {
  Listener missing;
  fixture.node().exec(request({"no-such-program"}), missing.callbacks());
  EXPECT_NE(missing.wait_end().problem.find("no-such-program"), std::string::npos);
  Listener nobody;
  api::ExecRequest other = request({"true"});
  other.container = "b";
  fixture.node().exec(other, nobody.callbacks());
  EXPECT_NE(nobody.wait_end().problem.find("container b of pod default/p does not run"), std::string::npos);
}

TEST_F(LocalExec, ACommandIsKilledWithItsListenerItsContainerAndTheNode) {
  Listener first, second, third;
  const auto command = run(first, "echo up; sleep 1000");
  ASSERT_TRUE(first.wait_out("up"));
  command->stop();
  EXPECT_EQ(first.wait_end().code, 137);
  run(second, "echo up; sleep 1000");
  ASSERT_TRUE(second.wait_out("up"));
  fixture.remove_pod("p", 0);
  EXPECT_EQ(second.wait_end().code, 137);
  ASSERT_TRUE(fixture.wait_gone("p"));
  fixture.create_pod("p", "containers: [{name: a, image: x, command: [sleep, '1000']}]");
  ASSERT_TRUE(fixture.wait_ready("p"));
  run(third, "echo up; sleep 1000");
  ASSERT_TRUE(third.wait_out("up"));
  third.fill(true);
  fixture.stop_node();
  EXPECT_EQ(third.wait_end().code, 137);
  EXPECT_TRUE(fixture.marked().empty());
}

TEST_F(LocalExec, ManyAtOnce) {
  constexpr size_t kMany = 40;
  std::array<Listener, kMany> listeners;
  for (size_t i = 0; i < kMany; ++i) run(listeners[i], fmt::format("echo {0}; exit {0}", i));
  for (size_t i = 0; i < kMany; ++i) {
    EXPECT_EQ(listeners[i].wait_end().code, static_cast<int>(i));
    EXPECT_EQ(listeners[i].out, fmt::format("{}\n", i));
  }
}

}  // namespace
}  // namespace basalt
