#include "control/scheduler/desk.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "control/scheduler/state_dump.h"
#include "kube/api/volcano_keys.h"

namespace basalt::scheduler {
namespace {

constexpr Duration kLongestWait = Duration::seconds(60);
constexpr Duration kGathering = Duration::millis(1);  // a burst of news is one turn, not many

std::string name_of_scheduler(const state::FeedOptions& options) {
  return options.scheduler_names.size() == 1 ? options.scheduler_names.front() : std::string(api::keys::kScheduler);
}

void keep_earlier(std::optional<Instant>& first, std::optional<Instant> other) {
  if (other && (!first || *other < *first)) first = other;
}

}  // namespace

Scheduler::Desk::Desk(client::ObjectClient& client, SchedulerOptions options)
    : client_(client),
      options_(std::move(options)),
      name_(name_of_scheduler(options_.feed)),
      policy_(options_.gate_queue_admission, options_.unsupported),
      conf_(options_.conf_file),
      clock_(options_.clock),
      picture_(state_, options_.feed, options_.log),
      repair_(state_, picture_),
      groups_(state_, picture_, options_.patience),
      pods_(state_, picture_, options_.patience),
      waits_(state_, groups_, pods_, options_.patience),
      queues_(state_, picture_),
      events_(name_),
      feed_(client, bell_),
      outbox_(client, bell_, kMaxWritesUnderWay),
      check_run_(client, bell_),
      rng_(options_.seed),
      ids_(options_.seed) {
  const auto follow = [this](Kind kind, std::string fields) {
    feed_.follow(id_of(kind), resource_of(kind), kNever, "", std::move(fields));
    ++followed_;
  };
  for (const KindRow& row : state_kinds()) follow(row.kind, "");
  if (!options_.conf_file.empty()) return;  // the file wins
  if (std::string fields = only_object(options_.conf_map); !fields.empty()) follow(Kind::ConfMap, std::move(fields));
}

Scheduler::Desk::~Desk() { stop(); }

Result<void> Scheduler::Desk::load_conf() {
  auto done = conf_.first(policy_);
  for (const std::string& warning : policy_.warnings()) {
    log(Severity::Warning, options_.conf_file + ": " + warning);
  }
  count_policy();
  if (done || options_.conf_required) return done;
  log(Severity::Error, done.error().message + "; the built-in policy is in force until that is right");
  return {};
}

void Scheduler::Desk::start() {
  in_thread_ = true;
  thread_ = std::thread([this] { run(); });
}

void Scheduler::Desk::stop() {
  stopping_ = true;
  bell_.ring();
  if (thread_.joinable()) thread_.join();
  check_run_.wait();
  outbox_.drain();
  feed_.close();
}

void Scheduler::Desk::run() {
  while (!stopping_) {
    step(options_.clock());
    const std::optional<Instant> due = next_due();
    const Instant now = options_.clock();
    const Duration wait = due ? std::clamp(*due - now, Duration{0}, kLongestWait) : kLongestWait;
    if (bell_.wait(wait) && !stopping_) std::this_thread::sleep_for(std::chrono::nanoseconds(kGathering.nanos));
  }
}

void Scheduler::Desk::step(Instant now) {
  now_ = now;
  pulse_.beat();
  answer_dumps(now);
  for (size_t turns = 0; turns < kMaxTurnsPerStep && !stopping_ && turn(now); ++turns) {
    // Time goes on while news keep coming, or no cycle would ever be due under load.
    if (in_thread_) now_ = now = options_.clock();
    pulse_.beat();
  }
  working_.bad_objects = picture_.bad_objects();
  metrics_.bad_objects(working_.bad_objects);
  tell_awaited();
  pulse_.rest();
  const std::lock_guard lock(figures_mutex_);
  figures_ = working_;
}

// Which kinds were not listed yet, for those who ask how it goes.
void Scheduler::Desk::tell_awaited() {
  if (knows_all_) return;
  std::string awaited;
  for (const KindRow& row : kind_rows().first(kFollowedKinds)) {
    const bool is_followed = row.kind != Kind::ConfMap || followed_ > kStateKinds;
    if (!is_followed || feed_.synced().contains(id_of(row.kind))) continue;
    if (!awaited.empty()) awaited += ", ";
    awaited += row.plural;
  }
  knows_all_ = awaited.empty();
  pulse_.await(std::move(awaited));
}

void Scheduler::Desk::ask_dump(std::function<void(const Dump&)> done) {
  {
    const std::scoped_lock lock(dumps_mutex_);
    if (dumps_.size() >= kMaxDumpsAsked) return;
    dumps_.push_back(std::move(done));
  }
  bell_.ring();
}

void Scheduler::Desk::answer_dumps(Instant now) {
  std::vector<std::function<void(const Dump&)>> asked;
  {
    const std::scoped_lock lock(dumps_mutex_);
    asked.swap(dumps_);
  }
  if (asked.empty()) return;
  const Dump dump{.state = dump_of(state_, figures(), now), .lines = dump_lines(state_, figures())};
  for (const auto& done : asked) done(dump);
}

bool Scheduler::Desk::turn(Instant now) {
  feed_.open_due(now, [&](const loop::ObjectFeed::Listed& listed) { take_list(listed, now); });
  const std::vector<loop::ObjectFeed::News> news = feed_.take(now);
  for (const loop::ObjectFeed::News& one : news) take_event(one, now);
  if (state_.version() != cycle_version_) notice_change(Wake::News, now);

  Written out;
  bool worked = take_answers(now, out) || !news.empty();
  if (state_.version() != cycle_version_) notice_change(Wake::Answer, now);
  if (conf_.look(now, policy_, options_.log)) policy_changed(now);
  count_policy();
  if (is_synced()) {
    if (!queues_made_ && !(queues_at_.is_set() && now < queues_at_)) make_missing_queues(now, out);
    repair_.read_due(now, out);
    worked = cycle_if_due(now, out) || worked;
    if (outbox_.is_deciding()) groups_.busy(now);
    waits_.tell_due(ids_, now, out);
    groups_.write_due(now, out);
    pods_.write_due(now, out);
    queues_.write_due(now, out);
    worked = self_check(now) || worked;
    metrics_.gauges(state_, policy_.spec(), now);
  }
  post(std::move(out), now);
  tell_events(now);
  worked = outbox_.pump() > 0 || worked;
  const std::optional<Instant> line = feed_.next_due();
  return worked || (line && *line <= now);
}

std::optional<Instant> Scheduler::Desk::next_due() const {
  std::optional<Instant> due = feed_.next_due();
  keep_earlier(due, conf_.next_due());
  if (outbox_.can_send() || outbox_.has_answers()) keep_earlier(due, now_);
  if (outbox_.takes_event()) keep_earlier(due, pace_.next_due());
  if (!is_synced()) return due;
  if (!queues_made_) keep_earlier(due, queues_at_.is_set() ? queues_at_ : now_);
  keep_earlier(due, repair_.next_due());
  keep_earlier(due, groups_.next_due());
  keep_earlier(due, waits_.next_due());
  keep_earlier(due, pods_.next_due());
  keep_earlier(due, queues_.next_due());
  keep_earlier(due, cycle_due());
  keep_earlier(due, metrics_.gauges_due(state_));
  if (options_.self_check.nanos > 0 && !check_run_.is_running()) keep_earlier(due, next_check_);
  return due;
}

SchedulerFigures Scheduler::Desk::figures() const {
  const std::lock_guard lock(figures_mutex_);
  return figures_;
}

}  // namespace basalt::scheduler
