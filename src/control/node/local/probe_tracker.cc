#include "control/node/local/probe_tracker.h"

#include <algorithm>

namespace basalt::node {

std::optional<Instant> ProbeTracker::due(const ProbeSpec& spec, Instant started) const {
  if (under_way_ || over_) return std::nullopt;
  return std::max(next_, started + spec.initial_delay);
}

void ProbeTracker::sent(const ProbeSpec& spec, Instant now) {
  under_way_ = true;
  next_ = now + spec.period;
}

bool ProbeTracker::answered(const ProbeSpec& spec, ProbeKind kind, bool good) {
  under_way_ = false;
  if (over_) return false;
  in_a_row_ = in_a_row_ > 0 && last_good_ == good ? in_a_row_ + 1 : 1;
  last_good_ = good;
  if (in_a_row_ < (good ? spec.successes : spec.failures)) return false;
  const Verdict before = verdict_;
  verdict_ = good ? Verdict::Good : Verdict::Bad;
  over_ = kind == ProbeKind::Startup || (kind == ProbeKind::Liveness && !good);
  return verdict_ != before;
}

}  // namespace basalt::node
