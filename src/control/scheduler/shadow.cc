#include "control/scheduler/shadow.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "control/loop/wake_up.h"
#include "control/scheduler/scheduler_kinds.h"
#include "control/scheduler/shadow_text.h"
#include "kube/api/verbs.h"
#include "kube/api/views/binding_view.h"
#include "kube/api/views/delete_options_view.h"

namespace basalt::scheduler {
namespace {

constexpr Duration kShortestNap = Duration::millis(100);  // one difference more or less a moment later does not matter

bool is_about(const api::Call& call, SchedulerKind kind) {
  return call.resource.plural == row_of(kind).plural && call.resource.group == row_of(kind).group;
}

}  // namespace

// Everything that is remembered. Shared with watches, which may end after the Shadow.
class Shadow::Observer {
 public:
  explicit Observer(ShadowOptions options) : options_(std::move(options)), ledger_(options_.rules) {}

  void see_pod(client::WatchEventType type, const client::ObjectPtr& object) {
    if (object == nullptr || !object->is_object()) return;
    const std::lock_guard lock(mutex_);
    if (type == client::WatchEventType::Deleted) {
      ledger_.pod_gone(object->get_object());
    } else {
      ledger_.saw_pod(object->get_object(), options_.clock());
    }
    tell_findings();
  }
  void see_group(client::WatchEventType type, const client::ObjectPtr& object) {
    if (object == nullptr || !object->is_object()) return;
    const std::lock_guard lock(mutex_);
    if (type == client::WatchEventType::Deleted) {
      ledger_.group_gone(object->get_object());
    } else {
      ledger_.saw_group(object->get_object());
    }
  }
  void pod_missing(std::string_view key) {
    const std::lock_guard lock(mutex_);
    ledger_.pod_gone(key);
  }
  // A write that is not made.
  void decide(const api::Call& call) {
    if (!is_about(call, SchedulerKind::Pod) || !call.body.is_object()) return;
    const text::Object& body = call.body.get_object();
    const std::lock_guard lock(mutex_);
    if (call.verb == api::Verb::Create && call.subresource == "binding") {
      ledger_.we_bind(api::BindingView(body).metadata().uid(), api::BindingView(body).target().name(),
                      options_.clock());
    } else if (call.verb == api::Verb::Delete) {
      ledger_.we_evict(api::DeleteOptionsView(body).preconditions().uid(), call.namespace_name + "/" + call.name,
                       options_.clock());
    }
    tell_findings();
  }

  void step(Instant now) {
    const std::lock_guard lock(mutex_);
    ledger_.pass_time(now);
    tell_findings();
    if (!summary_at_.is_set()) summary_at_ = now + options_.summary_every;
    if (now < summary_at_) return;
    summary_at_ = now + options_.summary_every;
    tell_summary(now);
  }
  [[nodiscard]] Instant next_due() const {
    const std::lock_guard lock(mutex_);
    const Instant due = ledger_.next_due();
    return due.is_set() && (!summary_at_.is_set() || due < summary_at_) ? due : summary_at_;
  }
  [[nodiscard]] ShadowSummary summary() const {
    const std::lock_guard lock(mutex_);
    return ledger_.summary();
  }

  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void stop() {
    if (stopping_.exchange(true)) return;
    wake_up_.notify();
    if (thread_.joinable()) thread_.join();
    const Instant now = options_.clock();
    const std::lock_guard lock(mutex_);
    ledger_.pass_time(now);
    tell_findings();
    tell_summary(now);
  }

 private:
  void run() {
    while (!stopping_) {
      const Instant now = options_.clock();
      step(now);
      const Instant due = next_due();
      wake_up_.wait(due.is_set() ? std::clamp(due - now, kShortestNap, options_.summary_every)
                                 : options_.summary_every);
    }
  }
  // Requires: mutex_ is held.
  void tell_findings() {
    for (const ShadowFinding& finding : ledger_.take_findings()) {
      if (!is_difference(finding.verdict)) continue;
      if (options_.report) options_.report(finding_json(finding));
      if (options_.tell) options_.tell(finding_text(finding));
    }
  }
  void tell_summary(Instant now) {
    const ShadowSummary summary = ledger_.summary();
    if (options_.report) options_.report(summary_json(summary, now));
    if (options_.tell) options_.tell(summary_text(summary));
  }

  const ShadowOptions options_;
  mutable std::mutex mutex_;
  ShadowComparison ledger_;
  Instant summary_at_;
  loop::WakeUp wake_up_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

Shadow::Shadow(client::ObjectClient& client, ShadowOptions options)
    : observer_(std::make_shared<Observer>(std::move(options))), client_(client) {}

Shadow::~Shadow() { stop(); }

void Shadow::send(api::Call call, std::function<void(client::ReplyOrError)> done) {
  if (api::is_write(call.verb)) {
    observer_->decide(call);
    client::Reply reply;
    reply.created = call.verb == api::Verb::Create;
    return done(std::move(reply));
  }
  if (!is_about(call, SchedulerKind::Pod) && !is_about(call, SchedulerKind::PodGroup))
    return client_.send(std::move(call), std::move(done));
  const bool pods = is_about(call, SchedulerKind::Pod);
  const bool one = call.verb == api::Verb::Get;
  std::string key = call.namespace_name + "/" + call.name;
  client_.send(std::move(call), [observer = observer_, pods, one, key = std::move(key),
                                 done = std::move(done)](client::ReplyOrError outcome) {
    const auto see = [&](const client::ObjectPtr& object) {
      pods ? observer->see_pod(client::WatchEventType::Added, object)
           : observer->see_group(client::WatchEventType::Added, object);
    };
    if (outcome && one) see(outcome->object);
    if (outcome && !one) std::ranges::for_each(outcome->items, see);
    if (!outcome && one && pods && outcome.error().code == 404) observer->pod_missing(key);
    done(std::move(outcome));
  });
}

std::unique_ptr<client::Watch> Shadow::watch(api::Call call, std::function<void(client::WatchEvent)> receive) {
  using client::WatchEventType;
  const bool pods = is_about(call, SchedulerKind::Pod);
  if (!pods && !is_about(call, SchedulerKind::PodGroup)) return client_.watch(std::move(call), std::move(receive));
  return client_.watch(
      std::move(call), [observer = observer_, pods, receive = std::move(receive)](client::WatchEvent event) {
        if (event.type != WatchEventType::Bookmark && event.type != WatchEventType::Error) {
          pods ? observer->see_pod(event.type, event.object) : observer->see_group(event.type, event.object);
        }
        receive(std::move(event));
      });
}

void Shadow::step(Instant now) { observer_->step(now); }
Instant Shadow::next_due() const { return observer_->next_due(); }
void Shadow::start() { observer_->start(); }
void Shadow::stop() { observer_->stop(); }
ShadowSummary Shadow::summary() const { return observer_->summary(); }
std::string Shadow::metrics_text() const { return summary_metrics(observer_->summary()); }

}  // namespace basalt::scheduler
