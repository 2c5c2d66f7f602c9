#include "controllers/gc/gc_controller.h"

#include <algorithm>
#include <optional>

#include "api/object_fields.h"
#include "api/quota_usage.h"
#include "api/rules/fields.h"
#include "controllers/writes.h"
#include "text/time.h"

namespace basalt::controllers {
namespace {

using api::string_at;

constexpr int64_t kMaxTtlSeconds = api::kMaxGraceSeconds;  // beyond: as good as never

bool is_over(std::string_view phase) { return phase == "Completed" || phase == "Failed" || phase == "Terminated"; }

// When the job is to go; nothing: not by itself.
std::optional<Instant> expiry_of(const text::Object& job) {
  if (is_leaving(job) || !is_over(string_at(job, {"status", "state", "phase"}))) return std::nullopt;
  const std::optional<int64_t> ttl = api::rules::int_at(api::rules::part_of(job, "spec"), "ttlSecondsAfterFinished");
  const auto ended = text::parse_time(string_at(job, {"status", "state", "lastTransitionTime"}));
  if (!ttl || !ended || !ended->is_set()) return std::nullopt;
  const int64_t seconds = std::clamp<int64_t>(*ttl, 0, kMaxTtlSeconds);
  if (ended->nanos > INT64_MAX - Duration::seconds(seconds).nanos) {
    return std::nullopt;  // later than time reaches
  }
  return *ended + Duration::seconds(seconds);
}

void wake(const World& /*world*/, const Change& change, std::vector<std::string>& items) {
  if (change.kind != Kind::Job || change.now == nullptr || !expiry_of(*change.now)) return;
  items.emplace_back(change.key);
}

Plan plan(const World& world, const std::string& item, Instant now) {
  Plan plan;
  const text::Object* job = world.seen.find(Kind::Job, item);
  const std::optional<Instant> expiry = job == nullptr ? std::nullopt : expiry_of(*job);
  if (!expiry) return plan;
  if (now < *expiry) {
    plan.look_again(*expiry);
  } else {
    plan.write(delete_object(Kind::Job, *job, "Foreground", Unless::Changed));
  }
  return plan;
}

}  // namespace

Controller gc_controller() { return {.name = "gc-controller", .wake = wake, .plan = plan}; }

}  // namespace basalt::controllers
