// An API server in memory, and replicas that each reach it by a line of their own, which can be cut.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "programs/lease/leader_elector.h"
#include "server/api_server.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt::lease {

// Far more than anything takes: a test that waits so long has failed.
inline constexpr std::chrono::seconds kTestTimeout{60};

// A client whose server may fall silent: calls are swallowed, or only the answers to writes.
class UnreliableClient final : public client::ObjectClient {
 public:
  enum class State : uint8_t { Good, LosesAnswers, Cut };
  explicit UnreliableClient(client::ObjectClient& server) : server_(server) {}

  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override;
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override;
  void become(State state);

 private:
  client::ObjectClient& server_;
  std::mutex mutex_;
  State state_ = State::Good;
};

// Something that other threads bring about.
class EventFlag {
 public:
  void raise() {
    {
      const std::scoped_lock lock(mutex_);
      ++raised_;
    }
    changed_.notify_all();
  }
  [[nodiscard]] bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kTestTimeout, [this] { return raised_ > 0; });
  }
  [[nodiscard]] int count() {
    const std::scoped_lock lock(mutex_);
    return raised_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int raised_ = 0;
};

class LeaseCluster {
 public:
  LeaseCluster();

  struct Replica {
    explicit Replica(client::ObjectClient& server, LeaderElectorOptions options)
        : line(server), leader(line, std::move(options)) {}
    void start() {
      leader.start([this] { leads.raise(); }, [this] { lost.raise(); });
    }
    EventFlag leads, lost;
    UnreliableClient line;
    LeaderElector leader;
  };
  // Its lease is "volcano-system/volcano".
  std::unique_ptr<Replica> replica(const std::string& identity, LeaderElectorOptions options);

  [[nodiscard]] client::ObjectClient& client() { return *client_; }
  [[nodiscard]] client::ObjectPtr lease();  // null: there is none
  [[nodiscard]] std::string holder();
  void overwrite_holder();  // puts another name into it

 private:
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<server::InProcessClient> client_;
};

[[nodiscard]] api::Call lease_call(api::Verb verb);

}  // namespace basalt::lease
