#include "server/store/durable_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace basalt::store {

using Condition = StoreHealth::Condition;

namespace {

constexpr size_t kMinDroppedRows = 64;    // per commit, besides two for each write: garbage never piles up
constexpr size_t kMaxUpkeepRows = 4'000;  // in a commit without writes

Condition condition_after(const JournalFailure& failure) {
  switch (failure.kind) {
    case JournalFailure::Kind::Full:
      return Condition::Full;
    case JournalFailure::Kind::Failing:
      return Condition::Failing;
    case JournalFailure::Kind::Lost:
      return Condition::Lost;
  }
  return Condition::Lost;
}

bool all_free_room(const auto& writes) {
  return std::ranges::all_of(writes, [](const auto& waiting) { return waiting.frees_room; });
}

}  // namespace

DurableStore::DurableStore(ObjectTable table, std::unique_ptr<Journal> journal, const StoreOptions& options)
    : TableStore(std::move(table)),
      journal_(std::move(journal)),
      used_(table_.highest()),
      first_retry_(options.first_retry),
      last_retry_(options.last_retry),
      delay_(options.first_retry),
      on_health_(options.on_health),
      committer_([this] { run(); }) {}

DurableStore::~DurableStore() {
  {
    const std::lock_guard guard(queue_lock_);
    stopping_ = true;
  }
  work_.notify_one();
  committer_.join();
}

StoreResult<void> DurableStore::admits(size_t bytes, bool frees_room) const {
  const bool full = health_.condition == Condition::Full;
  if (health_.condition != Condition::Writable && !(full && frees_room)) {
    return refuse(full ? StoreErrorCode::Full : StoreErrorCode::Broken, health_.message);
  }
  const std::lock_guard guard(queue_lock_);
  if (waiting_ < kMaxWaitingWrites && waiting_bytes_ + bytes <= kMaxWaitingBytes) return {};
  return refuse(StoreErrorCode::Busy, fmt::format("{} writes of {} bytes are waiting for the disk: try again later",
                                                  waiting_, waiting_bytes_));
}

StoreResult<RecordPtr> DurableStore::write_steps(std::span<StoreWrite> steps, WriteCallback done) {
  size_t bytes = 0;
  for (StoreWrite& step : steps) {
    settle(step);
    bytes += step.bytes.size();
  }
  const bool frees_room = steps.back().remove || steps.back().frees_room;
  std::unique_lock guard(lock_);
  const StoreResult<void> admitted = admits(bytes, frees_room);
  StoreResult<std::vector<ObjectTable::Ordered>> ordered =
      admitted ? table_.order_steps(steps) : std::unexpected(admitted.error());
  if (!ordered) {
    guard.unlock();
    return answer(std::unexpected(std::move(ordered.error())), done);
  }
  RecordPtr last = ordered->back().record;
  bool first = false;
  {
    const std::lock_guard queue_guard(queue_lock_);
    first = queue_.empty();
    for (ObjectTable::Ordered& step : *ordered) {
      queue_.push_back({.ordered = std::move(step), .goes_on = true, .frees_room = frees_room});
    }
    queue_.back().goes_on = false;
    queue_.back().done = std::move(done);
    waiting_ += steps.size(), waiting_bytes_ += bytes;
  }
  guard.unlock();
  if (first) work_.notify_one();
  return last;
}

void DurableStore::compact(Revision revision) {
  TableStore::compact(revision);
  {
    const std::lock_guard guard(queue_lock_);
    upkeep_ = true;
  }
  work_.notify_one();
}

Store::Figures DurableStore::figures() const {
  Figures figures = TableStore::figures();
  const std::lock_guard guard(queue_lock_);
  figures.waiting = waiting_;
  return figures;
}

StoreHealth DurableStore::health() const {
  const std::shared_lock guard(lock_);
  return health_;
}

DurableStore::Work DurableStore::next_work(Batch& batch) {
  std::unique_lock guard(queue_lock_);
  const auto ready = [this] { return !queue_.empty() || upkeep_ || stopping_; };
  if (retry_at_) {
    work_.wait_until(guard, *retry_at_, ready);
    if (!stopping_ && Clock::now() >= *retry_at_) return Work::Recover;
  } else {
    work_.wait(guard, ready);
  }
  if (queue_.empty() && !upkeep_) return stopping_ ? Work::Stop : Work::Recover;
  upkeep_ = false;
  size_t bytes = 0;
  const auto has_room = [&] { return batch.size() < kMaxCommitWrites && bytes < kMaxCommitBytes; };
  while (!queue_.empty() && (has_room() || (!batch.empty() && batch.back().goes_on))) {
    bytes += queue_.front().ordered.record->bytes().size();
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return Work::Commit;
}

void DurableStore::run() {
  Batch batch;
  for (;;) {
    switch (next_work(batch)) {
      case Work::Commit:
        commit(batch);
        batch.clear();
        break;
      case Work::Recover:
        recover();
        break;
      case Work::Stop:
        commit(batch);  // so that a start after an orderly stop finds little to tidy
        return;
    }
  }
}

// False: it failed, and who waited was told.
bool DurableStore::commit(Batch& batch) {
  const auto start = Clock::now();
  std::vector<JournalEntry> entries;
  entries.reserve(batch.size());
  for (const Waiting& waiting : batch) {
    entries.push_back({.resource = waiting.ordered.resource_state->resource, .record = waiting.ordered.record.get()});
  }
  std::vector<Revision> drop;
  JournalBatch job{.writes = entries};
  {
    const std::unique_lock guard(lock_);
    if (health_.condition != Condition::Writable && health_.condition != Condition::Full) {
      check(batch.empty(), "no write is accepted by a store that cannot write");
      return false;
    }
    job.frees_room = health_.condition == Condition::Full;
    // The last state of what is deleted would take more room than the deletion frees: it goes with the next one.
    if (job.frees_room && !batch.empty()) table_.compact(table_.committed());
    const std::deque<Revision>& garbage = table_.history().garbage();
    const size_t most = batch.empty() ? kMaxUpkeepRows : kMinDroppedRows + 2 * batch.size();
    drop.assign(garbage.begin(), garbage.begin() + static_cast<ptrdiff_t>(std::min(most, garbage.size())));
    job.drop = drop;
    job.compacted = table_.history().compacted();
  }
  if (batch.empty() && drop.empty() && job.compacted == compacted_) return true;
  job.highest = batch.empty() ? used_ : batch.back().ordered.record->revision();
  if (const auto done = journal_->commit(job); !done) {
    count_failure(done.error());
    if (turns_to_reserve(batch, done.error())) return commit(batch);
    give_up(batch, done.error());
    return false;
  }
  used_ = job.highest;
  compacted_ = job.compacted;
  const std::chrono::duration<double> spent = Clock::now() - start;
  publish(batch, drop.size(), spent.count());
  if (const auto tidied = journal_->tidy(); !tidied) {
    batch.clear();
    count_failure(tidied.error());
    give_up(batch, tidied.error());
  }
  return true;
}

void DurableStore::publish(Batch& batch, size_t dropped, double seconds) {
  std::vector<std::string_view> touched;
  size_t bytes = 0;
  {
    const std::unique_lock guard(lock_);
    // First, because what the writes below forget comes behind it.
    std::deque<Revision>& garbage = table_.history().garbage();
    garbage.erase(garbage.begin(), garbage.begin() + static_cast<ptrdiff_t>(dropped));
    for (const Waiting& waiting : batch) {
      table_.commit(waiting.ordered);
      bytes += waiting.ordered.record->bytes().size();
      const std::string_view resource = waiting.ordered.resource_state->resource;
      if (std::ranges::find(touched, resource) == touched.end()) touched.push_back(resource);
    }
    ++figures_.commits;
    figures_.writes += batch.size();
    figures_.last_commit_seconds = seconds;
    const std::lock_guard queue_guard(queue_lock_);
    waiting_ -= batch.size(), waiting_bytes_ -= bytes;
  }
  subscriptions_.wake_all(touched);
  for (Waiting& waiting : batch) answer(std::move(waiting.ordered.record), waiting.done);
}

void DurableStore::count_failure(const JournalFailure& failure) {
  const std::unique_lock guard(lock_);
  ++(failure.kind == JournalFailure::Kind::Full ? figures_.full_commits : figures_.failed_commits);
}

// A disk that turns out to be full has a reserve for deletions: when nothing else waits, none of them is refused.
bool DurableStore::turns_to_reserve(const Batch& batch, const JournalFailure& failure) {
  const StoreHealth now{.condition = condition_after(failure), .message = failure.message};
  {
    const std::unique_lock guard(lock_);
    const std::lock_guard queue_guard(queue_lock_);
    const bool turned_full = health_.condition == Condition::Writable && now.condition == Condition::Full;
    if (!turned_full || batch.empty() || !all_free_room(batch) || !all_free_room(queue_)) return false;
    health_ = now;
  }
  changed(Condition::Writable, now);
  return true;
}

// Everybody who waits is refused: those that were ordered behind the failed ones may expect their revisions.
void DurableStore::give_up(Batch& batch, const JournalFailure& failure) {
  const StoreHealth now{.condition = condition_after(failure), .message = failure.message};
  Condition before{};
  {
    const std::unique_lock guard(lock_);
    const std::lock_guard queue_guard(queue_lock_);
    before = std::exchange(health_, now).condition;
    // Deletions that came meanwhile depend on nothing that failed, and may still get through.
    const bool may_go_on = batch.empty() && now.condition == Condition::Full && all_free_room(queue_);
    if (!may_go_on) {
      std::ranges::move(queue_, std::back_inserter(batch));
      queue_.clear();
      for (const Waiting& waiting : batch) table_.roll_back(waiting.ordered);
      waiting_ = waiting_bytes_ = 0;
      used_ = table_.highest();
    }
  }
  changed(before, now);
  const StoreErrorCode why = now.condition == Condition::Full ? StoreErrorCode::Full : StoreErrorCode::Broken;
  for (const Waiting& waiting : batch) answer(refuse(why, failure.message), waiting.done);
}

// After a failure: says when to try again, and tells who wants to know.
void DurableStore::changed(Condition before, const StoreHealth& now) {
  if (!retry_at_ && now.condition != Condition::Lost) {
    if (before == Condition::Writable && Clock::now() - recovered_at_ > last_retry_) delay_ = first_retry_;
    retry_at_ = Clock::now() + delay_;
    delay_ = std::min(2 * delay_, last_retry_);
  }
  if (before != now.condition && on_health_ != nullptr) on_health_(now);
}

void DurableStore::recover() {
  if (health().condition == Condition::Full) forget_old_history();
  retry_at_.reset();
  if (const JournalResult done = journal_->recover(); !done) {
    Batch none;
    return give_up(none, done.error());
  }
  recovered_at_ = Clock::now();
  {
    const std::unique_lock guard(lock_);
    health_ = {};
  }
  if (on_health_ != nullptr) on_health_({});
}

void DurableStore::forget_old_history() {
  {
    const std::unique_lock guard(lock_);
    table_.compact(seen_at_last_try_);
    seen_at_last_try_ = table_.committed();
  }
  Batch none;
  const auto garbage = [this] {
    const std::shared_lock guard(lock_);
    return !table_.history().garbage().empty();
  };
  while (garbage() && commit(none)) {
  }
}

}  // namespace basalt::store
