// The embedded API server in memory, in virtual time: the same calls give the same objects, bit for bit.
#pragma once

#include <memory>

#include "lab/life/life_backend.h"
#include "server/api_server.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt::lab {

class InMemoryBackend final : public LifeBackend {
 public:
  InMemoryBackend();

  client::ObjectClient& user() override { return user_; }
  client::ObjectClient& upkeep() override { return upkeep_; }
  client::ObjectClient& controllers() override { return controllers_; }
  [[nodiscard]] Instant now() const override { return now_; }
  void advance_to(Instant later) override { now_ = later; }
  uint64_t revision() override;
  [[nodiscard]] bool answers_at_once() const override { return true; }
  void wait_briefly() override {}

 private:
  Instant now_;
  std::unique_ptr<store::Store> store_;
  server::ApiServer api_;
  server::InProcessClient user_, upkeep_, controllers_;
};

}  // namespace basalt::lab
