#include "programs/lease/lease_rules.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/lease_view.h"
#include "kube/text/go_duration.h"
#include "kube/text/rfc3339.h"

namespace basalt::lease {
namespace {

using Kind = LeaseStep::Kind;

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();  // of what the API stores as int32
constexpr int64_t kSecond = Duration::seconds(1).nanos;
// A lease that was given up is free by its holder; the length only matters to those who do not know that.
constexpr int64_t kReleasedSeconds = 1;

int64_t bounded(int64_t count) { return std::clamp<int64_t>(count, 0, kMaxCount); }

std::string in_flag(const char* flag, Duration length) {
  return std::string(flag) + " " + text::format_duration(length);
}

text::Object spec_of(const LeaseRecord& record) {
  text::Object spec;
  spec["holderIdentity"] = record.holder;
  spec["leaseDurationSeconds"] = record.duration_seconds;
  spec["acquireTime"] = record.acquire_time;
  spec["renewTime"] = record.renew_time;
  spec["leaseTransitions"] = record.transitions;
  return spec;
}

}  // namespace

Result<void> check_lease_times(const LeaseTimes& times) {
  const std::string lease = in_flag("--leader-elect-lease-duration", times.lease);
  const std::string renew = in_flag("--leader-elect-renew-deadline", times.renew);
  const std::string retry = in_flag("--leader-elect-retry-period", times.retry);
  if (times.retry.nanos <= 0) return invalid(retry + ": must be longer than 0, for example 2s");
  if (times.renew.nanos <= 0) return invalid(renew + ": must be longer than 0, for example 10s");
  if (times.lease.nanos < kSecond) return invalid(lease + ": must be at least 1s, for example 15s");
  if (times.lease.nanos / kSecond > kMaxCount) return invalid(lease + ": too long, give for example 15s");
  if (times.renew.nanos >= times.lease.nanos / kSecond * kSecond) {
    return invalid(lease + ": must be longer, in whole seconds, than " + renew);
  }
  // In these units 1.2 times a length cannot overflow.
  if (times.renew.nanos / 6 <= times.retry.nanos / 5) {
    return invalid(renew + ": must be longer than 1.2 times " + retry);
  }
  return {};
}

LeaseRecord lease_record(const text::Value& lease) {
  LeaseRecord record;
  const api::LeaseSpecView spec = api::LeaseView(lease).spec();
  if (!spec) return record;
  record.holder = spec.holder_identity();
  record.acquire_time = spec.acquire_time();
  record.renew_time = spec.renew_time();
  record.strategy = spec.strategy();
  record.duration_seconds = bounded(spec.lease_duration_seconds().value_or(0));
  record.transitions = bounded(spec.lease_transitions().value_or(0));
  return record;
}

Candidate::Candidate(std::string ns, std::string name, std::string identity, const LeaseTimes& times)
    : namespace_name_(std::move(ns)), name_(std::move(name)), identity_(std::move(identity)), times_(times) {
  check(!identity_.empty(), "a candidate has a name");
}

Instant Candidate::leads_until() const {
  if (!sent_ || !why_lost_.empty()) return kNever;
  return *sent_ + times_.renew;
}

LeaseStep Candidate::wait_until(Instant at) const {
  // The moment of loss is a moment to act, too.
  return {.kind = Kind::Wait, .until = sent_ ? std::min(at, *sent_ + times_.renew) : at};
}

LeaseStep Candidate::lose(std::string why) {
  why_lost_ = std::move(why);
  return {.kind = Kind::Lost};
}

LeaseStep Candidate::next(Instant now, Instant wall) {
  if (!why_lost_.empty()) return {.kind = Kind::Lost};
  if (sent_ && now >= *sent_ + times_.renew) {
    return lose("it could not be renewed for " + text::format_duration(times_.renew));
  }
  if (now < next_try_) return wait_until(next_try_);
  if (!is_fresh_) return {.kind = Kind::Read};
  return decide(now, wall);
}

LeaseStep Candidate::decide(Instant now, Instant wall) {
  if (sent_ && lease_ != nullptr && !is_ours()) {
    return lose(seen_.holder.empty() ? "it names no holder any more" : "it is held by " + seen_.holder);
  }
  if (is_coordinated()) {
    if (sent_) return lose("it was put under coordinated election");
    is_fresh_ = has_read_ = false;
    next_try_ = now + times_.retry;
    return wait_until(next_try_);
  }
  const Instant expires = seen_at_ + Duration::seconds(seen_.duration_seconds);
  if (!seen_.holder.empty() && !is_ours() && now < expires) {
    is_fresh_ = has_read_ = false;
    next_try_ = std::min(now + times_.retry, expires);
    return wait_until(next_try_);
  }
  return {.kind = lease_ == nullptr ? Kind::Create : Kind::Update, .body = written(wall)};
}

text::Value Candidate::written(Instant wall) const {
  LeaseRecord record{.holder = identity_, .renew_time = text::format_micro_time(wall)};
  // A clock that stands still must not make a renewal look like none.
  if (record.renew_time == seen_.renew_time) record.renew_time = text::format_micro_time({wall.nanos + 1000});
  record.duration_seconds = times_.lease.nanos / kSecond;
  record.acquire_time = is_ours() && !seen_.acquire_time.empty() ? seen_.acquire_time : record.renew_time;
  record.transitions = is_ours() ? seen_.transitions : bounded(seen_.transitions + 1);
  if (lease_ != nullptr) {
    text::Value body = *lease_;
    body.get_object()["spec"] = spec_of(record);
    return body;
  }
  record.transitions = 0;
  text::Object body;
  body["apiVersion"] = "coordination.k8s.io/v1";
  body["kind"] = "Lease";
  text::Object& metadata = api::metadata_of(body);
  metadata["namespace"] = namespace_name_;
  metadata["name"] = name_;
  body["spec"] = spec_of(record);
  return body;
}

void Candidate::see(client::ObjectPtr lease, Instant now) {
  if (lease != nullptr && !lease->is_object()) lease = nullptr;  // no server of ours answers so
  LeaseRecord record = lease != nullptr ? lease_record(*lease) : LeaseRecord{};
  if (record != seen_) {
    seen_ = std::move(record);
    seen_at_ = now;
  }
  lease_ = std::move(lease);
  is_fresh_ = true;
}

void Candidate::has_read(client::ObjectPtr lease, Instant now) {
  see(std::move(lease), now);
  has_read_ = true;
}

void Candidate::has_written(client::ObjectPtr lease, Instant sent, Instant now) {
  see(std::move(lease), now);
  has_read_ = false;
  next_try_ = sent + times_.retry;
  // An answer that does not name us is none to lead by; the next step sees it.
  if (is_ours()) sent_ = sent;
}

void Candidate::failed(Instant now) {
  // A renewal is tried without reading first: if that fails, the lease may only have changed, and is read at once.
  const bool again = sent_ && is_fresh_ && !has_read_;
  is_fresh_ = has_read_ = false;
  next_try_ = again ? now : now + times_.retry;
}

std::optional<text::Value> Candidate::released(const text::Value& lease, Instant wall) const {
  LeaseRecord record = lease_record(lease);
  if (record.holder != identity_ || !record.strategy.empty()) return {};
  record.holder.clear();
  record.duration_seconds = kReleasedSeconds;
  record.acquire_time = record.renew_time = text::format_micro_time(wall);
  text::Value body = lease;
  body.get_object()["spec"] = spec_of(record);
  return body;
}

}  // namespace basalt::lease
