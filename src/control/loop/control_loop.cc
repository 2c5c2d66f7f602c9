#include "control/loop/control_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "control/loop/readable_object.h"

namespace basalt::loop {
namespace {

constexpr Duration kLongestWait = Duration::seconds(60);

}  // namespace

ControlLoop::ControlLoop(client::ObjectClient& client, LoopWork& work, ControlLoopOptions options)
    : work_(work), options_(std::move(options)), informer_(client, wake_up_) {}

void ControlLoop::follow(KindId kind, const api::GroupVersionResource& resource, Instant now, const std::string& labels,
                         const std::string& fields) {
  kinds_[kind] = resource.plural;
  informer_.follow(kind, resource, now, labels, fields);
}

void ControlLoop::leave(KindId kind) {
  kinds_.erase(kind);
  informer_.leave(kind);
}

void ControlLoop::start() {
  in_thread_ = true;
  thread_ = std::thread([this] { run(); });
}

void ControlLoop::stop() {
  stopping_ = true;
  wake_up_.notify();
  if (thread_.joinable()) thread_.join();
  informer_.close();
}

void ControlLoop::run() {
  while (!stopping_) {
    step(options_.clock());
    const std::optional<Instant> due = next_due();
    const Instant now = options_.clock();
    const Duration wait = due ? std::clamp(*due - now, Duration{0}, kLongestWait) : kLongestWait;
    if (wake_up_.wait(wait) && !stopping_) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(options_.batch_delay.nanos));
    }
  }
}

void ControlLoop::step(Instant now) {
  now_ = now;
  health_.mark_busy();
  work_.before_step(now);
  for (size_t turns = 0; turns < kMaxTurnsPerStep && !stopping_ && turn(); ++turns) {
    if (in_thread_) now_ = options_.clock();
    health_.mark_busy();
  }
  work_.after_step();
  report_unsynced();
  health_.mark_idle();
}

bool ControlLoop::turn() {
  informer_.open_due(now_, [this](const Informer::Listed& listed) { take_list(listed); });
  const std::vector<Informer::Change> changes = informer_.take(now_);
  for (const Informer::Change& change : changes) take_change(change);
  const bool worked = work_.turn(now_, !changes.empty());
  const std::optional<Instant> due = informer_.next_due();
  return worked || (due && *due <= now_);
}

void ControlLoop::take_list(const Informer::Listed& listed) {
  for (const client::ObjectPtr& object : listed.objects) {
    if (is_readable(object)) work_.object_changed(listed.kind, object, LoopWork::Source::List, now_);
  }
  for (const std::string& key : relist_.gone(listed, [&] { return work_.keys(listed.kind); })) {
    work_.object_gone(listed.kind, key, now_);
  }
}

void ControlLoop::take_change(const Informer::Change& change) {
  const client::ObjectPtr& object = change.event.object;
  if (!is_readable(object)) return;
  if (change.event.type == client::WatchEventType::Deleted) {
    work_.object_deleted(change.kind, object->get_object(), now_);
  } else {
    work_.object_changed(change.kind, object, LoopWork::Source::Watch, now_);
  }
}

std::optional<Instant> ControlLoop::next_due() const { return earlier(informer_.next_due(), work_.work_due()); }

// Which kinds were not listed yet, for those who ask how it goes.
void ControlLoop::report_unsynced() {
  if (reported_all_) return;
  std::string unsynced;
  for (const auto& [kind, plural] : kinds_) {
    if (synced().contains(kind)) continue;
    if (!unsynced.empty()) unsynced += ", ";
    unsynced += plural;
  }
  reported_all_ = unsynced.empty();
  health_.set_unsynced(std::move(unsynced));
}

}  // namespace basalt::loop
