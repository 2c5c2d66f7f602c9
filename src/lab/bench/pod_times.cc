#include "lab/bench/pod_times.h"

#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/views/pod_view.h"
#include "lab/bench/bench_process.h"

namespace basalt::lab {

PodTimes::PodTimes(client::ObjectClient& client) {
  watch_ = client.watch({.verb = api::Verb::Watch, .resource = {.group = "", .version = "v1", .plural = "pods"}},
                        [this](const client::WatchEvent& event) { take(event); });
}

void PodTimes::take(const client::WatchEvent& event) {
  using client::WatchEventType;
  if (event.type == WatchEventType::Error) broken_ = true;
  if (event.type == WatchEventType::Bookmark || event.type == WatchEventType::Error) return;
  const text::Object& pod = event.object->get_object();
  const std::lock_guard lock(mutex_);
  const std::string key = api::key_of(pod);
  if (event.type == WatchEventType::Deleted) {
    gone_ += pods_.erase(key);
    return;
  }
  const Clock::time_point now = Clock::now();
  const auto [at, fresh] = pods_.try_emplace(key);
  PodProgress& stage = at->second;
  if (fresh) {
    stage.created = now;
    ++created_;
  }
  if (!stage.bound && !api::PodView(pod).spec().node_name().empty()) {
    stage.bound = true;
    ++bound_;
    if (waits_.size() < kMaxWaits) {
      waits_.push_back(std::chrono::duration<double, std::milli>(now - stage.created).count());
    }
  }
  if (!stage.running && api::PodView(pod).status().phase() == "Running") {
    stage.running = true;
    ++running_;
  }
}

double PodTimes::bound_after(double part) const {
  std::vector<double> waits;
  {
    const std::lock_guard lock(mutex_);
    waits = waits_;
  }
  return value_below(part, std::move(waits));
}

}  // namespace basalt::lab
