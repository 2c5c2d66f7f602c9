// What one candidate does about a Lease, by the rules of client-go's leader election. Pure: it is told what it saw and
// when, and says what to do next.
//
// Two clocks. `now` is the candidate's own clock of intervals, which counts on while the machine sleeps and never jumps
// (CLOCK_BOOTTIME); all decisions are made with it. `wall` is only what gets written into renewTime and acquireTime,
// for people: clocks of machines need not agree, and may jump.
//
// 1. A lease is free when it names no holder, or when it has not changed for the holder's leaseDurationSeconds since we
//    first saw it so. A free one is taken, an absent one made; both only as it was seen (resourceVersion).
// 2. A candidate leads from the answer to a write that named it, until `renew` after it *sent* that write. Others see
//    the write later than that, and wait `lease` from when they see it: at any time at most one leads, as long as
//    clocks run at about the same speed (`lease` against `renew`: 15 s against 10 s by default).
// 3. A leader that could not renew for `renew`, or that reads another name in the lease, or none, has lost, for good.
// 4. A write without an answer may or may not have happened: the lease is read, and counts only once it was written
//    with an answer.
// 5. A lease with a `strategy` belongs to coordinated election: it is looked at, never written.
// Whoever deletes or edits the lease by hand overrides all this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "kube/client/object_client.h"

namespace basalt::lease {

struct LeaseTimes {
  Duration lease = Duration::seconds(15), renew = Duration::seconds(10), retry = Duration::seconds(2);
};

// As client-go: lease > renew > 1.2 * retry > 0; and, because a Lease has whole seconds, lease without its fraction.
// The error names the flag.
[[nodiscard]] Result<void> check_lease_times(const LeaseTimes& times);

// The spec of a Lease; what is absent or of another type is empty.
struct LeaseRecord {
  std::string holder, acquire_time, renew_time, strategy;
  int64_t duration_seconds = 0, transitions = 0;
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};
[[nodiscard]] LeaseRecord lease_record(const text::Value& lease);

struct LeaseStep {
  enum class Kind : uint8_t {
    Wait,    // until `until`, then ask again
    Read,    // get it; then has_read() or failed()
    Create,  // `body`; then has_written() or failed()
    Update,  // `body`, whole, with its resourceVersion; likewise
    Lost,    // for good
  };
  Kind kind = Kind::Wait;
  Instant until;
  text::Value body;
};

class Candidate {
 public:
  // Requires: check_lease_times(times) is well; `identity` is not empty.
  Candidate(std::string ns, std::string name, std::string identity, const LeaseTimes& times);

  [[nodiscard]] LeaseStep next(Instant now, Instant wall);
  // What came of a step. `lease` null: there is none. `sent` and `now`: when the request went out and was answered.
  void has_read(client::ObjectPtr lease, Instant now);
  void has_written(client::ObjectPtr lease, Instant sent, Instant now);
  void failed(Instant now);

  // The moment until which it leads; kNever when it does not.
  [[nodiscard]] Instant leads_until() const;
  [[nodiscard]] const std::string& holder() const { return seen_.holder; }  // as last seen
  [[nodiscard]] bool is_coordinated() const { return !seen_.strategy.empty(); }
  [[nodiscard]] const std::string& why_lost() const { return why_lost_; }

  // The lease as it is to be written to give it up; nothing when `lease`, as just read, is not ours.
  [[nodiscard]] std::optional<text::Value> released(const text::Value& lease, Instant wall) const;

 private:
  void see(client::ObjectPtr lease, Instant now);
  LeaseStep lose(std::string why);
  LeaseStep decide(Instant now, Instant wall);
  [[nodiscard]] LeaseStep wait_until(Instant at) const;
  [[nodiscard]] text::Value written(Instant wall) const;
  [[nodiscard]] bool is_ours() const { return seen_.holder == identity_; }

  const std::string namespace_name_, name_, identity_;
  const LeaseTimes times_;

  client::ObjectPtr lease_;  // null: there is none
  LeaseRecord seen_;
  Instant seen_at_;              // when seen_ became so, as far as we know
  bool is_fresh_ = false;        // lease_ is what a step may be decided on
  bool has_read_ = false;        // in this try; a renewal need not
  std::optional<Instant> sent_;  // of the last write that was answered; none: never led
  Instant next_try_;
  std::string why_lost_;
};

}  // namespace basalt::lease
