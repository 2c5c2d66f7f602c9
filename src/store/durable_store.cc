#include "store/durable_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace basalt::store {

namespace {

constexpr size_t kMinDroppedRows = 64;    // per commit, besides two for each write: garbage never piles up
constexpr size_t kMaxUpkeepRows = 4'000;  // in a commit without writes

std::unexpected<StoreError> refuse(Refusal why, std::string message) {
  return std::unexpected(StoreError{.why = why, .message = std::move(message)});
}

}  // namespace

DurableStore::DurableStore(ObjectTable table, std::unique_ptr<Journal> journal)
    : TableStore(std::move(table)),
      journal_(std::move(journal)),
      used_(table_.highest()),
      committer_([this] { run(); }) {}

DurableStore::~DurableStore() {
  {
    const std::lock_guard guard(queue_lock_);
    stopping_ = true;
  }
  work_.notify_one();
  committer_.join();
}

StoreResult<void> DurableStore::admits(size_t bytes) const {
  if (!broken_.empty()) return refuse(Refusal::Broken, broken_);
  const std::lock_guard guard(queue_lock_);
  if (waiting_ < kMaxWaitingWrites && waiting_bytes_ + bytes <= kMaxWaitingBytes) return {};
  return refuse(Refusal::Busy, fmt::format("{} writes of {} bytes are waiting for the disk: try again later", waiting_,
                                           waiting_bytes_));
}

StoreResult<RecordPtr> DurableStore::write_steps(std::span<Write> steps, Done done) {
  size_t bytes = 0;
  for (Write& step : steps) {
    settle(step);
    bytes += step.bytes.size();
  }
  std::unique_lock guard(lock_);
  const StoreResult<void> admitted = admits(bytes);
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
    for (ObjectTable::Ordered& step : *ordered) queue_.push_back({.ordered = std::move(step), .goes_on = true});
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

// Waits for work. False: there is none and there will be none.
bool DurableStore::take(Batch& batch) {
  std::unique_lock guard(queue_lock_);
  work_.wait(guard, [this] { return !queue_.empty() || upkeep_ || stopping_; });
  if (queue_.empty() && !upkeep_) return false;
  upkeep_ = false;
  size_t bytes = 0;
  const auto has_room = [&] { return batch.size() < kMaxCommitWrites && bytes < kMaxCommitBytes; };
  while (!queue_.empty() && (has_room() || (!batch.empty() && batch.back().goes_on))) {
    bytes += queue_.front().ordered.record->bytes().size();
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return true;
}

void DurableStore::run() {
  Batch batch;
  while (take(batch)) {
    commit(batch);
    batch.clear();
  }
  commit(batch);  // so that a start after an orderly stop finds little to tidy
}

void DurableStore::commit(Batch& batch) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<JournalEntry> entries;
  entries.reserve(batch.size());
  for (const Waiting& waiting : batch) {
    entries.push_back({.resource = waiting.ordered.shelf->resource, .record = waiting.ordered.record.get()});
  }
  std::vector<Revision> drop;
  JournalBatch job{.writes = entries};
  {
    const std::shared_lock guard(lock_);
    if (!broken_.empty()) return;
    const std::deque<Revision>& garbage = table_.history().garbage();
    const size_t most = batch.empty() ? kMaxUpkeepRows : kMinDroppedRows + 2 * batch.size();
    drop.assign(garbage.begin(), garbage.begin() + static_cast<ptrdiff_t>(std::min(most, garbage.size())));
    job.drop = drop;
    job.compacted = table_.history().compacted();
  }
  if (batch.empty() && drop.empty() && job.compacted == compacted_) return;
  job.highest = batch.empty() ? used_ : batch.back().ordered.record->revision();
  if (const auto done = journal_->commit(job); !done) return give_up(batch, done.error());
  used_ = job.highest;
  compacted_ = job.compacted;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  publish(batch, drop.size(), spent.count());
  journal_->tidy();
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
      const std::string_view resource = waiting.ordered.shelf->resource;
      if (std::ranges::find(touched, resource) == touched.end()) touched.push_back(resource);
    }
    ++figures_.commits;
    figures_.writes += batch.size();
    figures_.last_commit_seconds = seconds;
    const std::lock_guard queue_guard(queue_lock_);
    waiting_ -= batch.size(), waiting_bytes_ -= bytes;
  }
  subscriptions_.ring(touched);
  for (Waiting& waiting : batch) answer(std::move(waiting.ordered.record), waiting.done);
}

void DurableStore::give_up(Batch& batch, const JournalFailure& failure) {
  {
    const std::unique_lock guard(lock_);
    const std::lock_guard queue_guard(queue_lock_);
    // Those that were ordered behind the failed ones may expect their revisions.
    std::ranges::move(queue_, std::back_inserter(batch));
    queue_.clear();
    for (const Waiting& waiting : batch) table_.fall_back(waiting.ordered);
    waiting_ = waiting_bytes_ = 0;
    if (failure.for_good) broken_ = failure.message;
    used_ = table_.highest();
  }
  for (const Waiting& waiting : batch) {
    answer(refuse(Refusal::Broken, failure.message), waiting.done);
  }
}

}  // namespace basalt::store
