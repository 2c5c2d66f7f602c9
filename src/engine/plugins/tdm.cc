#include "engine/plugins/tdm.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/check.h"
#include "base/duration.h"
#include "engine/core/session.h"
#include "engine/model/readiness.h"
#include "engine/plugins/tdm_budget.h"

namespace basalt::plugins {

using engine::Fit;
using engine::HookTable;
using engine::Order;
using engine::Session;
using engine::Vote;
using model::JobId;
using model::TaskId;

namespace {

constexpr std::string_view kZonePrefix = "tdm.revocable-zone.";
constexpr double kRevocableScore = 100;
constexpr int64_t kDay = 24 * 3600;

std::optional<int64_t> number_below(std::string_view text, int64_t bound) {
  int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number >= bound) return std::nullopt;
  return number;
}

// "9:05" or "09:05" in seconds since midnight.
std::optional<int64_t> clock_time(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == 0 || colon > 2 || text.size() != colon + 3) return std::nullopt;
  const auto hour = number_below(text.substr(0, colon), 24);
  const auto minute = number_below(text.substr(colon + 1), 60);
  if (!hour || !minute) return std::nullopt;
  return *hour * 3600 + *minute * 60;
}

Result<Duration> parse_offset(std::string_view text) {
  const bool signed_text = text.starts_with('+') || text.starts_with('-');
  const auto seconds = clock_time(signed_text ? text.substr(1) : text);
  if (!seconds) return invalid("arguments.tdm.utc-offset: \"" + std::string(text) + R"(" must look like "+02:00")");
  return Duration::seconds(text.starts_with('-') ? -*seconds : *seconds);
}

int64_t second_of_day(Instant at, Duration utc_offset) {
  constexpr int64_t kDayNanos = kDay * 1'000'000'000;
  const int64_t since_midnight = (at + utc_offset).nanos % kDayNanos;
  return (since_midnight < 0 ? since_midnight + kDayNanos : since_midnight) / 1'000'000'000;
}

}  // namespace

bool Tdm::Window::covers(int64_t second) const {
  return start < end ? second >= start && second <= end : second >= start || second <= end;
}

Result<Tdm> Tdm::make(const engine::Arguments& arguments) {
  Tdm tdm;
  (void)arguments.find(kZonePrefix);  // known, with a zone behind it
  for (const auto& [key, value] : arguments.all()) {
    if (!key.starts_with(kZonePrefix)) continue;
    const Result<std::string> text = arguments.get_string(key, "");
    if (!text) return std::unexpected(text.error());
    const size_t dash = text->find('-');
    const auto start = clock_time(std::string_view(*text).substr(0, dash));
    const auto end = dash == std::string::npos ? std::nullopt : clock_time(std::string_view(*text).substr(dash + 1));
    if (!start || !end) {
      return invalid("arguments." + key + ": \"" + *text + R"(" must look like "10:00-21:00")");
    }
    tdm.windows_.push_back({.zone = key.substr(kZonePrefix.size()), .text = *text, .start = *start, .end = *end});
  }
  const Result<std::string> offset_text = arguments.get_string("tdm.utc-offset", "+00:00");
  if (!offset_text) return std::unexpected(offset_text.error());
  const Result<Duration> offset = parse_offset(*offset_text);
  if (!offset) return std::unexpected(offset.error());
  tdm.utc_offset_ = *offset;
  const Result<std::string> period_text = arguments.get_string("tdm.evict.period", "1m");
  if (!period_text) return std::unexpected(period_text.error());
  const Result<Duration> period = parse_duration(*period_text);
  if (!period) return std::unexpected(period.error().within("arguments.tdm.evict.period"));
  if (period->nanos <= 0) return invalid("arguments.tdm.evict.period: must be above 0, for example \"1m\"");
  tdm.evict_period_ = *period;
  return tdm;
}

void Tdm::open(Session& session, engine::HookBinder& binder) {
  session_ = &session;
  engine::VerdictTable& verdicts = session.memory.verdicts;
  not_revocable_ = verdicts.verdict(Fit::Never, verdicts.reason("not allow to dispatch to revocable node"));
  const int64_t second = second_of_day(session.now, utc_offset_);
  for (const model::NodeId node : session.state.nodes_by_name()) {
    if (const NameId zone = session.state.node(node).revocable_zone; zone != kEmptyName)
      add_zone(session, zone, second);
  }
  binder.bind<&Tdm::filter>(&HookTable::filter, *this);
  binder.bind<&Tdm::score>(&HookTable::score, *this);
  binder.bind<&Tdm::sign>(&HookTable::sign, *this);
  binder.bind<&Tdm::sign_epoch>(&HookTable::sign_epoch, *this);
  binder.bind<&Tdm::job_inputs>(&HookTable::job_inputs, *this);
  binder.bind<&Tdm::victims>(&HookTable::preemptable, *this);
  binder.bind<&Tdm::job_order>(&HookTable::job_order, *this);
  binder.bind<&Tdm::job_pipelined>(&HookTable::job_pipelined, *this);
  binder.bind<&Tdm::job_starving>(&HookTable::job_starving, *this);
  if (!zones_.empty() && !windows_.empty()) binder.depends_on_time();
}

void Tdm::add_zone(Session& session, NameId name, int64_t second) {
  const bool known = std::any_of(zones_.begin(), zones_.end(), [&](const Zone& zone) { return zone.name == name; });
  if (known) return;
  const std::string text(session.state.names.text(name));
  const auto window = std::find_if(windows_.begin(), windows_.end(), [&](const Window& w) { return w.zone == text; });
  std::string why = "revocable zone " + text + " not support";
  if (window != windows_.end()) why = "current time beyond revocable zone " + text + ":" + window->text;
  engine::VerdictTable& verdicts = session.memory.verdicts;
  zones_.push_back({.name = name,
                    .open = window != windows_.end() && window->covers(second),
                    .closed = verdicts.verdict(Fit::Never, verdicts.reason(why))});
}

const Tdm::Zone& Tdm::zone_of(NameId name) const {
  const auto at = std::find_if(zones_.begin(), zones_.end(), [&](const Zone& zone) { return zone.name == name; });
  check(at != zones_.end(), "every zone of a node was seen when the cycle began");
  return *at;
}

void Tdm::filter(const engine::FilterCall& call) const {
  const bool revocable = session_->state.task(call.task).revocable;
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    const NameId name = session_->state.node(call.nodes[i]).revocable_zone;
    if (name == kEmptyName || call.verdicts[i] != engine::kFits) continue;
    const Zone& zone = zone_of(name);
    if (!zone.open) {
      call.verdicts[i] = zone.closed;
    } else if (!revocable) {
      call.verdicts[i] = not_revocable_;
    }
  }
}

void Tdm::score(const engine::ScoreCall& call) const {
  if (!session_->state.task(call.task).revocable) return;
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    const NameId name = session_->state.node(call.nodes[i]).revocable_zone;
    if (name != kEmptyName && zone_of(name).open) call.scores[i] += kRevocableScore;
  }
}

void Tdm::sign(TaskId task, engine::ClassKey& key) const { key.add(uint64_t{session_->state.task(task).revocable}); }

void Tdm::sign_epoch(Fingerprint& epoch) const {
  for (const Zone& zone : zones_) epoch.add(uint64_t{zone.name.value}).add(uint64_t{zone.open});
}

void Tdm::job_inputs(JobId /*id*/, Fingerprint& inputs) const { sign_epoch(inputs); }

Vote Tdm::victims(TaskId preemptor, std::span<const TaskId> candidates, std::vector<TaskId>& chosen) {
  const model::ClusterState& state = session_->state;
  const model::Task& wants = state.task(preemptor);
  if (wants.preemptable || wants.revocable) return Vote::Reject;
  shares_.clear();
  for (const TaskId candidate : candidates) {
    const model::Task& task = state.task(candidate);
    if (!task.preemptable || task.status != model::TaskStatus::Running || !task.node.valid()) continue;
    if (state.node(task.node).revocable_zone != kEmptyName) continue;
    if (!task.job.valid() || !state.job(task.job).schedulable()) continue;
    auto share = std::find_if(shares_.begin(), shares_.end(), [&](const Share& s) { return s.job == task.job; });
    if (share == shares_.end()) {
      share = shares_.insert(shares_.end(), {.job = task.job, .left = disturbable_tasks(state.job(task.job))});
    }
    if (share->left <= 0) continue;
    --share->left;
    chosen.push_back(candidate);
  }
  return Vote::Permit;
}

Order Tdm::job_order(JobId a, JobId b) const {
  return session_->state.job(a).preemptable <=> session_->state.job(b).preemptable;
}

Vote Tdm::job_pipelined(JobId id) const {
  return model::gang_pipelined(session_->state.job(id)) ? Vote::Permit : Vote::Reject;
}

bool Tdm::job_starving(JobId id) const {
  const model::Job& job = session_->state.job(id);
  return !job.preemptable && job.count(model::TaskStatus::Pending) > 0;
}

}  // namespace basalt::plugins
