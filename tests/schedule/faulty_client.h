// A client between a scheduler and its server that does what networks do: refuse, lose answers, break watches, die.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kube/client/object_client.h"

namespace basalt {

class FaultyClient final : public client::ObjectClient {
 public:
  enum class Fault : uint8_t {
    None,
    Refuse,      // 403; the server never sees it
    LoseAnswer,  // the server does it, the caller gets 503
    LoseCall,    // the server never sees it, the caller gets 503
  };
  explicit FaultyClient(client::ObjectClient& server) : server_(server) {}

  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override;
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override;

  // Asked for every call but lists.
  std::function<Fault(const api::Call& call)> judge;
  // Told of every write that reaches the server, before it does.
  std::function<void(const api::Call& call)> on_write;
  bool deaf = false;  // watch events are lost

  // Ends all watches of this kind with 410.
  void break_watches(const std::string& plural);
  void die_after(size_t writes) { left_ = writes; }  // then nothing reaches the server any more; events do not count
  [[nodiscard]] bool is_dead() const { return died_; }
  [[nodiscard]] size_t writes() const { return writes_; }  // that reached the server, without events

 private:
  struct Line {
    std::string plural;
    std::function<void(client::WatchEvent)> receive;
  };
  client::ObjectClient& server_;
  std::vector<std::shared_ptr<Line>> lines_;
  size_t left_ = SIZE_MAX, writes_ = 0;
  bool died_ = false;
};

}  // namespace basalt
