// A client that can be told to die: after so many more writes nothing reaches the server any more, as if the process
// had been killed between two of them. Answers may come later and on other threads, also when this is gone.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/client/object_client.h"

namespace basalt::lab {

class CrashableClient final : public client::ObjectClient {
 public:
  explicit CrashableClient(client::ObjectClient& server) : server_(server) {}

  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override;
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override;

  [[nodiscard]] bool streams_lists() const override { return server_.streams_lists(); }

  void crash_after(size_t writes) { left_ = writes; }
  [[nodiscard]] bool has_crashed() const { return left_ && *left_ == 0 && crashed_; }
  void restart() {
    left_.reset();
    crashed_ = false;
  }
  [[nodiscard]] size_t writes() const { return writes_; }       // that reached the server, events left out
  [[nodiscard]] size_t accepted() const { return *accepted_; }  // of them: those that the server did not refuse

  // Called for each write that reaches the server, also of events.
  std::function<void(const api::Call& call)> on_write;

 private:
  client::ObjectClient& server_;
  std::optional<size_t> left_;
  bool crashed_ = false;
  size_t writes_ = 0;
  // Shared with answers that are under way.
  std::shared_ptr<std::atomic<size_t>> accepted_ = std::make_shared<std::atomic<size_t>>(0);
};

}  // namespace basalt::lab
