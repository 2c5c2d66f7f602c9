#include "lab/bench/bench_pod_timeline.h"

#include <algorithm>
#include <utility>

#include "kube/api/views/pod_view.h"
#include "kube/client/wall_clock.h"
#include "lab/bench/bench_process.h"

namespace basalt::lab {
namespace {

constexpr Duration kLongestPause = Duration::seconds(1);

bool says_unschedulable(api::PodView pod) {
  for (const api::PodConditionView condition : pod.status().conditions()) {
    if (condition.type() == "PodScheduled" && condition.status() == "False") return true;
  }
  return false;
}

}  // namespace

void PodTimeline::send(const std::string& name) {
  ++sent_;
  const std::lock_guard lock(mutex_);
  pods_[name].begun = Clock::now();
}

void PodTimeline::take(const client::WatchEvent& event) {
  using client::WatchEventType;
  if (event.type != WatchEventType::Added && event.type != WatchEventType::Modified) return;
  if (event.object == nullptr || !event.object->is_object()) return;
  const api::PodView pod(*event.object);
  const std::string_view name = pod.metadata().name();
  const Clock::time_point now = Clock::now();
  if (name.starts_with(kMisfitPrefix)) {
    if (!says_unschedulable(pod)) return;
    const std::lock_guard lock(mutex_);
    if (misfit_pods_.emplace(name, true).second) ++misfits_;
    return;
  }
  if (!name.starts_with(kBenchPrefix)) return;
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = pods_.try_emplace(std::string(name));
  PodProgress& stage = at->second;
  if (fresh) stage.begun = now;
  if (!stage.bound && !pod.spec().node_name().empty()) {
    stage.bound = true;
    waits_.push_back(std::chrono::duration<double>(now - stage.begun).count());
    last_bound_ = now;
    ++bound_;
  }
  if (!stage.running && pod.status().phase() == "Running") {
    stage.running = true;
    last_running_ = now;
    ++running_;
  }
}

PodTimeline::Clock::time_point PodTimeline::last_bound() const {
  const std::lock_guard lock(mutex_);
  return last_bound_;
}

PodTimeline::Clock::time_point PodTimeline::last_running() const {
  const std::lock_guard lock(mutex_);
  return last_running_;
}

double PodTimeline::bound_after(double part) const {
  std::vector<double> waits;
  {
    const std::lock_guard lock(mutex_);
    waits = waits_;
  }
  return value_below(part, std::move(waits));
}

std::unique_ptr<client::Watch> PodObservingClient::watch(api::Call call,
                                                         std::function<void(client::WatchEvent)> receive) {
  if (call.resource.plural != "pods") return client_.watch(std::move(call), std::move(receive));
  return client_.watch(std::move(call), [this, receive = std::move(receive)](client::WatchEvent event) {
    schedule_.take(event);
    receive(std::move(event));
  });
}

KindWatcher::KindWatcher(client::ObjectClient& client, const std::vector<Kind>& kinds, Take take,
                         std::function<void()> tick)
    : informer_(client, wake_up_), take_(std::move(take)), tick_(std::move(tick)) {
  for (size_t i = 0; i < kinds.size(); ++i) {
    informer_.follow(loop::KindId(static_cast<uint32_t>(i)), kinds[i].resource, client::wall_clock(), "",
                     kinds[i].fields);
  }
  thread_ = std::thread([this] { run(); });
}

KindWatcher::~KindWatcher() {
  stopping_ = true;
  wake_up_.notify();
  thread_.join();
  informer_.close();
}

void KindWatcher::run() {
  while (!stopping_) {
    const Instant now = client::wall_clock();
    informer_.open_due(now, [this](const loop::Informer::Listed& listed) {
      for (const client::ObjectPtr& object : listed.objects) {
        take_(listed.kind.value, {.type = client::WatchEventType::Added, .object = object});
      }
    });
    for (const loop::Informer::Change& change : informer_.take(now)) take_(change.kind.value, change.event);
    if (tick_) tick_();
    const std::optional<Instant> due = informer_.next_due();
    const Duration wait = due ? std::clamp(*due - client::wall_clock(), Duration{0}, kLongestPause) : kLongestPause;
    wake_up_.wait(wait);
  }
}

}  // namespace basalt::lab
