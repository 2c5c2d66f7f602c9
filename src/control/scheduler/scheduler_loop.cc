#include "control/scheduler/scheduler_loop.h"

#include <utility>

#include "control/scheduler/state_dump.h"
#include "kube/api/volcano_keys.h"

namespace basalt::scheduler {
namespace {

constexpr Duration kBatchDelay = Duration::millis(1);  // a burst of changes is one turn, not many

std::string name_of_scheduler(const state::StateOptions& options) {
  return options.scheduler_names.size() == 1 ? options.scheduler_names.front() : std::string(api::keys::kScheduler);
}

}  // namespace

Scheduler::SchedulerLoop::SchedulerLoop(client::ObjectClient& client, SchedulerOptions options)
    : client_(client),
      options_(std::move(options)),
      name_(name_of_scheduler(options_.updater)),
      kernel_(client, *this, {.clock = options_.clock, .batch_delay = kBatchDelay}),
      policy_(options_.gate_queue_admission, options_.unsupported),
      conf_(options_.conf_file),
      conf_notes_(options_.conf_map, options_.shows_conf),
      clock_(options_.clock),
      cache_(state_, options_.updater, options_.log),
      recovery_(state_, cache_),
      groups_(state_, cache_, options_.patience),
      pods_(state_, cache_, options_.patience),
      templates_(state_, cache_),
      waits_(state_, {.groups = groups_, .pods = pods_, .templates = templates_}, options_.patience),
      queues_(state_, cache_),
      events_(name_),
      write_queue_(client, kernel_.wake_up(), kMaxWritesUnderWay),
      rebuild_(client, kernel_.wake_up()),
      rng_(options_.seed),
      ids_(options_.seed) {
  const auto follow = [this](SchedulerKind kind, const std::string& fields) {
    kernel_.follow(id_of(kind), resource_of(kind), kNever, "", fields);
  };
  for (const SchedulerKindRow& row : state_kinds()) follow(row.kind, "");
  if (!options_.conf_file.empty()) return;  // the file wins
  if (const std::string fields = only_object(options_.conf_map); !fields.empty()) {
    follow(SchedulerKind::ConfMap, fields);
  }
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

void Scheduler::SchedulerLoop::stop() {
  kernel_.stop();
  rebuild_.wait();
  write_queue_.drain();
}

void Scheduler::SchedulerLoop::after_step() {
  working_.bad_objects = cache_.bad_objects();
  metrics_.bad_objects(working_.bad_objects);
  const std::lock_guard lock(counters_mutex_);
  counters_ = working_;
}

void Scheduler::SchedulerLoop::ask_dump(std::function<void(const Dump&)> done) {
  {
    const std::scoped_lock lock(dumps_mutex_);
    if (dumps_.size() >= kMaxDumpsAsked) return;
    dumps_.push_back(std::move(done));
  }
  kernel_.wake_up().notify();
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

bool Scheduler::SchedulerLoop::turn(Instant now, bool heard) {
  if (state_.version() != cycle_version_) notice_change(CycleTrigger::Change, now);

  CycleOutput out;
  bool worked = take_answers(now, out) || heard;
  if (state_.version() != cycle_version_) notice_change(CycleTrigger::CompletedWrite, now);
  if (conf_.look(now, policy_, options_.log)) policy_changed(now);
  count_policy();
  if (kernel_.is_synced()) {
    if (!queues_made_ && !(queues_at_.is_set() && now < queues_at_)) make_missing_queues(now, out);
    tell_file_policy(now, out);
    recovery_.read_due(now, out);
    worked = cycle_if_due(now, out) || worked;
    if (write_queue_.is_deciding()) groups_.busy(now);
    waits_.write_due(ids_, now, out);
    templates_.read_due(now, out);
    groups_.write_due(now, out);
    pods_.write_due(now, out);
    queues_.write_due(now, out);
    worked = self_check(now) || worked;
    metrics_.gauges(state_, policy_.spec(), now);
  }
  post(std::move(out), now);
  send_events(now);
  return write_queue_.pump() > 0 || worked;
}

std::optional<Instant> Scheduler::SchedulerLoop::work_due() const {
  std::optional<Instant> due = conf_.next_due();
  const auto also = [&](std::optional<Instant> other) { due = loop::earlier(due, other); };
  if (write_queue_.can_send() || write_queue_.has_answers()) also(kernel_.now());
  if (write_queue_.takes_event()) also(event_queue_.next_due());
  if (!kernel_.is_synced()) return due;
  if (!queues_made_) also(queues_at_.is_set() ? queues_at_ : kernel_.now());
  also(conf_notes_.next_due());
  also(recovery_.next_due());
  also(groups_.next_due());
  also(waits_.next_due());
  also(pods_.next_due());
  also(queues_.next_due());
  also(cycle_due());
  also(metrics_.gauges_due(state_));
  if (options_.self_check.nanos > 0 && !rebuild_.is_running()) also(next_check_);
  return due;
}

SchedulerCounters Scheduler::SchedulerLoop::counters() const {
  const std::lock_guard lock(counters_mutex_);
  return counters_;
}

}  // namespace basalt::scheduler
