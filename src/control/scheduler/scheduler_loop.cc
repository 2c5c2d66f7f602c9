#include "control/scheduler/scheduler_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "control/scheduler/state_dump.h"
#include "kube/api/volcano_keys.h"

namespace basalt::scheduler {
namespace {

constexpr Duration kLongestWait = Duration::seconds(60);
constexpr Duration kBatchDelay = Duration::millis(1);  // a burst of changes is one turn, not many

std::string name_of_scheduler(const state::StateOptions& options) {
  return options.scheduler_names.size() == 1 ? options.scheduler_names.front() : std::string(api::keys::kScheduler);
}

void keep_earlier(std::optional<Instant>& first, std::optional<Instant> other) {
  if (other && (!first || *other < *first)) first = other;
}

}  // namespace

Scheduler::SchedulerLoop::SchedulerLoop(client::ObjectClient& client, SchedulerOptions options)
    : client_(client),
      options_(std::move(options)),
      name_(name_of_scheduler(options_.updater)),
      policy_(options_.gate_queue_admission, options_.unsupported),
      conf_(options_.conf_file),
      conf_notes_(options_.conf_map, options_.shows_conf),
      clock_(options_.clock),
      cache_(state_, options_.updater, options_.log),
      recovery_(state_, cache_),
      groups_(state_, cache_, options_.patience),
      pods_(state_, cache_, options_.patience),
      waits_(state_, groups_, pods_, options_.patience),
      queues_(state_, cache_),
      events_(name_),
      informer_(client, wake_up_),
      write_queue_(client, wake_up_, kMaxWritesUnderWay),
      rebuild_(client, wake_up_),
      rng_(options_.seed),
      ids_(options_.seed) {
  const auto follow = [this](SchedulerKind kind, std::string fields) {
    informer_.follow(id_of(kind), resource_of(kind), kNever, "", std::move(fields));
    ++followed_;
  };
  for (const SchedulerKindRow& row : state_kinds()) follow(row.kind, "");
  if (!options_.conf_file.empty()) return;  // the file wins
  if (std::string fields = only_object(options_.conf_map); !fields.empty())
    follow(SchedulerKind::ConfMap, std::move(fields));
}

Scheduler::SchedulerLoop::~SchedulerLoop() { stop(); }

Result<void> Scheduler::SchedulerLoop::load_conf() {
  auto done = conf_.first(policy_);
  for (const std::string& warning : policy_.warnings()) {
    log(Severity::Warning, options_.conf_file + ": " + warning);
  }
  count_policy();
  if (done || options_.conf_required) return done;
  log(Severity::Error, done.error().message + "; the built-in policy is in force until that is right");
  return {};
}

void Scheduler::SchedulerLoop::start() {
  in_thread_ = true;
  thread_ = std::thread([this] { run(); });
}

void Scheduler::SchedulerLoop::stop() {
  stopping_ = true;
  wake_up_.notify();
  if (thread_.joinable()) thread_.join();
  rebuild_.wait();
  write_queue_.drain();
  informer_.close();
}

void Scheduler::SchedulerLoop::run() {
  while (!stopping_) {
    step(options_.clock());
    const std::optional<Instant> due = next_due();
    const Instant now = options_.clock();
    const Duration wait = due ? std::clamp(*due - now, Duration{0}, kLongestWait) : kLongestWait;
    if (wake_up_.wait(wait) && !stopping_) std::this_thread::sleep_for(std::chrono::nanoseconds(kBatchDelay.nanos));
  }
}

void Scheduler::SchedulerLoop::step(Instant now) {
  now_ = now;
  health_.mark_busy();
  answer_dumps(now);
  for (size_t turns = 0; turns < kMaxTurnsPerStep && !stopping_ && turn(now); ++turns) {
    // Time goes on while changes keep coming, or no cycle would ever be due under load.
    if (in_thread_) now_ = now = options_.clock();
    health_.mark_busy();
  }
  working_.bad_objects = cache_.bad_objects();
  metrics_.bad_objects(working_.bad_objects);
  report_unsynced();
  health_.mark_idle();
  const std::lock_guard lock(counters_mutex_);
  counters_ = working_;
}

// Which kinds were not listed yet, for those who ask how it goes.
void Scheduler::SchedulerLoop::report_unsynced() {
  if (knows_all_) return;
  std::string unsynced;
  for (const SchedulerKindRow& row : kind_rows().first(kFollowedKinds)) {
    const bool is_followed = row.kind != SchedulerKind::ConfMap || followed_ > kStateKinds;
    if (!is_followed || informer_.synced().contains(id_of(row.kind))) continue;
    if (!unsynced.empty()) unsynced += ", ";
    unsynced += row.plural;
  }
  knows_all_ = unsynced.empty();
  health_.set_unsynced(std::move(unsynced));
}

void Scheduler::SchedulerLoop::ask_dump(std::function<void(const Dump&)> done) {
  {
    const std::scoped_lock lock(dumps_mutex_);
    if (dumps_.size() >= kMaxDumpsAsked) return;
    dumps_.push_back(std::move(done));
  }
  wake_up_.notify();
}

void Scheduler::SchedulerLoop::answer_dumps(Instant now) {
  std::vector<std::function<void(const Dump&)>> asked;
  {
    const std::scoped_lock lock(dumps_mutex_);
    asked.swap(dumps_);
  }
  if (asked.empty()) return;
  const Dump dump{.state = dump_of(state_, counters(), now), .lines = dump_lines(state_, counters())};
  for (const auto& done : asked) done(dump);
}

bool Scheduler::SchedulerLoop::turn(Instant now) {
  informer_.open_due(now, [&](const loop::Informer::Listed& listed) { take_list(listed, now); });
  const std::vector<loop::Informer::Change> changes = informer_.take(now);
  for (const loop::Informer::Change& one : changes) take_event(one, now);
  if (state_.version() != cycle_version_) notice_change(CycleTrigger::Change, now);

  CycleOutput out;
  bool worked = take_answers(now, out) || !changes.empty();
  if (state_.version() != cycle_version_) notice_change(CycleTrigger::CompletedWrite, now);
  if (conf_.look(now, policy_, options_.log)) policy_changed(now);
  count_policy();
  if (is_synced()) {
    if (!queues_made_ && !(queues_at_.is_set() && now < queues_at_)) make_missing_queues(now, out);
    tell_file_policy(now, out);
    recovery_.read_due(now, out);
    worked = cycle_if_due(now, out) || worked;
    if (write_queue_.is_deciding()) groups_.busy(now);
    waits_.write_due(ids_, now, out);
    groups_.write_due(now, out);
    pods_.write_due(now, out);
    queues_.write_due(now, out);
    worked = self_check(now) || worked;
    metrics_.gauges(state_, policy_.spec(), now);
  }
  post(std::move(out), now);
  send_events(now);
  worked = write_queue_.pump() > 0 || worked;
  const std::optional<Instant> line = informer_.next_due();
  return worked || (line && *line <= now);
}

std::optional<Instant> Scheduler::SchedulerLoop::next_due() const {
  std::optional<Instant> due = informer_.next_due();
  keep_earlier(due, conf_.next_due());
  if (write_queue_.can_send() || write_queue_.has_answers()) keep_earlier(due, now_);
  if (write_queue_.takes_event()) keep_earlier(due, event_queue_.next_due());
  if (!is_synced()) return due;
  if (!queues_made_) keep_earlier(due, queues_at_.is_set() ? queues_at_ : now_);
  keep_earlier(due, conf_notes_.next_due());
  keep_earlier(due, recovery_.next_due());
  keep_earlier(due, groups_.next_due());
  keep_earlier(due, waits_.next_due());
  keep_earlier(due, pods_.next_due());
  keep_earlier(due, queues_.next_due());
  keep_earlier(due, cycle_due());
  keep_earlier(due, metrics_.gauges_due(state_));
  if (options_.self_check.nanos > 0 && !rebuild_.is_running()) keep_earlier(due, next_check_);
  return due;
}

SchedulerCounters Scheduler::SchedulerLoop::counters() const {
  const std::lock_guard lock(counters_mutex_);
  return counters_;
}

}  // namespace basalt::scheduler
