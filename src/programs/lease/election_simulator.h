// Candidates for one Lease in virtual time: their clocks disagree, run at different speeds and are set;
// requests and answers are slow or lost; candidates freeze, crash, and give the lease up.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "programs/lease/lease_rules.h"

namespace basalt::lease {

// The API server, as far as one Lease goes.
class LeaseServer {
 public:
  struct Answer {
    int code = 200;
    client::ObjectPtr lease;
  };
  Answer get() const { return lease_ ? Answer{200, lease_} : Answer{404, nullptr}; }
  Answer create(const text::Value& body) {
    if (lease_) return {409, nullptr};
    return store(body);
  }
  Answer update(const text::Value& body) {
    if (!lease_) return {404, nullptr};
    if (version_in(body) != version_in(*lease_)) return {409, nullptr};
    return store(body);
  }

 private:
  static std::string version_in(const text::Value& lease) {
    return std::string(api::ObjectView(lease).metadata().resource_version());
  }
  Answer store(text::Value body) {
    api::metadata_of(body.get_object())["resourceVersion"] = std::to_string(++version_);
    lease_ = std::make_shared<const text::Value>(std::move(body));
    return {200, lease_};
  }
  client::ObjectPtr lease_;
  int version_ = 0;
};

struct LeaseFaults {
  double lost = 0;           // of a request, and of an answer
  double slow = 0;           // takes up to 20 s instead of some milliseconds
  double freeze = 0;         // at each step, for up to 40 s
  double crash = 0;          // at each step, and comes back with another name
  double release = 0;        // likewise, but gives the lease up first
  double set_clock = 0;      // at each step, the wall clock, by up to an hour
  int64_t speed_spread = 0;  // clocks run at 1000 ± so many thousandths
};

class ElectionSimulator {
 public:
  ElectionSimulator(uint64_t seed, int replicas, const LeaseFaults& faults, const LeaseTimes& times = {})
      : rng_(seed), faults_(faults), times_(times) {
    for (int i = 0; i < replicas; ++i) {
      replicas_.push_back(std::make_unique<SimulatedReplica>());
      SimulatedReplica& replica = *replicas_.back();
      replica.offset = rng_.between(0, 1'000'000'000'000);
      replica.wall_offset = rng_.between(-3'600'000'000'000, 3'600'000'000'000);
      replica.speed = 1000 + rng_.between(-faults.speed_spread, faults.speed_spread);
      start_candidate(replica);
    }
  }

  void run_for(Duration length) { ASSERT_FALSE(two_leaders_within(length)) << "two leaders at " << real_; }
  // Stops at the moment when two lead.
  [[nodiscard]] bool two_leaders_within(Duration length) {
    const int64_t end = real_ + length.nanos;
    while (!events_.empty() && events_.begin()->first <= end) {
      auto node = events_.extract(events_.begin());
      real_ = node.key();
      node.mapped()();
      if (leaders() > 1) return true;
    }
    real_ = end;
    return false;
  }
  void calm() { faults_ = {.speed_spread = faults_.speed_spread}; }

  [[nodiscard]] int leaders() const {
    return static_cast<int>(std::ranges::count_if(replicas_, [this](const auto& replica) { return leads(*replica); }));
  }
  [[nodiscard]] int terms() const { return terms_; }
  LeaseServer server;

 private:
  struct SimulatedReplica {
    std::unique_ptr<Candidate> candidate;
    int64_t offset = 0, wall_offset = 0, speed = 1000;
    int64_t frozen_until = 0;
    uint64_t life = 0;      // events of an earlier one do not count
    uint64_t question = 0;  // likewise answers that came too late
    bool leaving = false;   // gives the lease up: leads no more
    bool has_led = false;
  };

  [[nodiscard]] Instant local(const SimulatedReplica& replica) const {
    return {replica.offset + real_ / 1000 * replica.speed};
  }
  [[nodiscard]] Instant wall(const SimulatedReplica& replica) const {
    return {1'700'000'000'000'000'000 + real_ + replica.wall_offset};
  }
  [[nodiscard]] int64_t real_length(const SimulatedReplica& replica, Duration length) const {
    return std::max<int64_t>(0, (length.nanos / replica.speed + 1) * 1000);
  }
  [[nodiscard]] bool leads(const SimulatedReplica& replica) const {
    return !replica.leaving && local(replica) < replica.candidate->leads_until();
  }

  void at(int64_t when, SimulatedReplica& replica, std::function<void()> work) {
    events_.emplace(std::max(when, real_), [this, &replica, life = replica.life, work = std::move(work)]() mutable {
      if (replica.life != life) return;
      if (real_ < replica.frozen_until) {
        at(replica.frozen_until, replica, std::move(work));
      } else {
        work();
      }
    });
  }

  void start_candidate(SimulatedReplica& replica) {
    ++replica.life;
    replica.leaving = replica.has_led = false;
    replica.candidate =
        std::make_unique<Candidate>("volcano-system", "volcano", "replica-" + std::to_string(++names_), times_);
    at(real_ + rng_.between(0, 3'000'000'000), replica, [this, &replica] { step(replica); });
  }

  void step(SimulatedReplica& replica) {
    if (rng_.chance(faults_.crash)) return start_candidate(replica);
    if (rng_.chance(faults_.set_clock)) replica.wall_offset += rng_.between(-3'600'000'000'000, 3'600'000'000'000);
    if (rng_.chance(faults_.freeze)) {
      replica.frozen_until = real_ + rng_.between(0, 40'000'000'000);
      return at(replica.frozen_until, replica, [this, &replica] { step(replica); });
    }
    if (rng_.chance(faults_.release)) return leave(replica);
    const LeaseStep next = replica.candidate->next(local(replica), wall(replica));
    switch (next.kind) {
      case LeaseStep::Kind::Wait:
        ASSERT_GT(next.until, local(replica)) << "a wait for nothing would spin";
        return at(real_ + real_length(replica, next.until - local(replica)), replica,
                  [this, &replica] { step(replica); });
      case LeaseStep::Kind::Lost:
        return start_candidate(replica);
      default:
        return ask(replica, next);
    }
  }

  void leave(SimulatedReplica& replica) {
    replica.leaving = true;
    const auto seen = server.get();
    if (seen.lease != nullptr) {
      if (const auto body = replica.candidate->released(*seen.lease, wall(replica)); body) server.update(*body);
    }
    start_candidate(replica);
  }

  [[nodiscard]] int64_t travel() {
    return rng_.chance(faults_.slow) ? rng_.between(0, 20'000'000'000) : rng_.between(100'000, 5'000'000);
  }

  void ask(SimulatedReplica& replica, const LeaseStep& step_asked) {
    const Instant sent = local(replica);
    const uint64_t question = ++replica.question;
    const int64_t there = real_ + travel();
    if (!rng_.chance(faults_.lost)) {
      // The request goes on by itself, whatever becomes of who sent it.
      events_.emplace(there, [this, &replica, life = replica.life, question, sent, step_asked] {
        const auto answer = step_asked.kind == LeaseStep::Kind::Read     ? server.get()
                            : step_asked.kind == LeaseStep::Kind::Create ? server.create(step_asked.body)
                                                                         : server.update(step_asked.body);
        if (rng_.chance(faults_.lost) || replica.life != life) return;
        at(real_ + travel(), replica, [this, &replica, question, sent, kind = step_asked.kind, answer] {
          if (replica.question == question) answered(replica, kind, answer, sent);
        });
      });
    }
    at(real_ + real_length(replica, {times_.renew.nanos / 2}), replica, [this, &replica, question] {
      if (replica.question != question) return;
      ++replica.question;
      replica.candidate->failed(local(replica));
      step(replica);
    });
  }

  void answered(SimulatedReplica& replica, LeaseStep::Kind kind, const LeaseServer::Answer& answer, Instant sent) {
    ++replica.question;
    Candidate& candidate = *replica.candidate;
    if (kind == LeaseStep::Kind::Read && (answer.code == 200 || answer.code == 404)) {
      candidate.has_read(answer.lease, local(replica));
    } else if (kind != LeaseStep::Kind::Read && answer.code == 200) {
      candidate.has_written(answer.lease, sent, local(replica));
    } else {
      candidate.failed(local(replica));
    }
    if (leads(replica) && !std::exchange(replica.has_led, true)) ++terms_;
    step(replica);
  }

  Rng rng_;
  LeaseFaults faults_;
  const LeaseTimes times_;
  std::vector<std::unique_ptr<SimulatedReplica>> replicas_;
  std::multimap<int64_t, std::function<void()>> events_;
  int64_t real_ = 0;
  int names_ = 0, terms_ = 0;
};

}  // namespace basalt::lease
