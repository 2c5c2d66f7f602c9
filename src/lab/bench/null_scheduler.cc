#include "lab/bench/null_scheduler.h"

#include <unistd.h>

#include <cerrno>

#include "control/loop/api_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/views/volcano_pod_group_view.h"

namespace basalt::lab {
namespace {

enum Followed : size_t { kFollowedNodes, kFollowedPods, kFollowedGroups };
const api::GroupVersionResource kPodGroups{
    .group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"};

api::GroupVersionResource core(std::string plural) {
  return {.group = "", .version = "v1", .plural = std::move(plural)};
}

}  // namespace

NullScheduler::NullScheduler(client::ObjectClient& client, std::string scheduler_name)
    : client_(client), scheduler_name_(std::move(scheduler_name)) {
  stream_ = std::make_unique<KindWatcher>(
      client_, std::vector<KindWatcher::Kind>{{core("nodes"), ""}, {core("pods"), ""}, {kPodGroups, ""}},
      [this](size_t kind, const client::WatchEvent& event) { take(kind, event); }, [this] { send_more(); });
}

NullScheduler::~NullScheduler() {
  stream_.reset();
  std::unique_lock lock(mutex_);
  stopping_ = true;
  idle_.wait(lock, [this] { return under_way_ == 0; });
}

void NullScheduler::take(size_t kind, const client::WatchEvent& event) {
  using client::WatchEventType;
  if (event.type != WatchEventType::Added && event.type != WatchEventType::Modified) return;
  if (event.object == nullptr || !event.object->is_object()) return;
  const text::Object& object = event.object->get_object();
  if (kind == kFollowedGroups) return let_in(object);
  if (kind == kFollowedPods) {
    take_pod(object);
    return send_more();
  }
  const std::lock_guard lock(mutex_);
  if (known_nodes_.emplace(api::name_of(object)).second) nodes_.emplace_back(api::name_of(object));
}

void NullScheduler::take_pod(const text::Object& object) {
  const api::PodView pod(object);
  if (pod.spec().scheduler_name() != scheduler_name_) return;
  if (!pod.spec().node_name().empty()) return;
  Pod row{.namespace_name = std::string(pod.metadata().namespace_name()),
          .name = std::string(pod.metadata().name()),
          .uid = std::string(pod.metadata().uid())};
  const std::lock_guard lock(mutex_);
  if (known_pods_.insert(row.uid).second) waiting_.push_back(std::move(row));
}

void NullScheduler::let_in(const text::Object& group) {
  const std::string_view phase = api::PodGroupView(group).status().phase();
  const bool made_by_controller = bool(api::PodGroupView(group).metadata().owner_references());
  if (!made_by_controller || (!phase.empty() && phase != "Pending")) return;
  loop::WriteTarget target = loop::target_of(kPodGroups, group);
  target.version.clear();
  {
    const std::lock_guard lock(mutex_);
    ++under_way_;
  }
  client_.send(loop::patch(target, {{"status", text::Object{{"phase", "Inqueue"}}}}),
               [this](const client::ReplyOrError& /*outcome*/) {
                 const std::lock_guard lock(mutex_);
                 if (--under_way_ == 0) idle_.notify_all();
               });
}

void NullScheduler::send_more() {
  for (;;) {
    Pod pod;
    std::string node;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_ || waiting_.empty() || nodes_.empty() || under_way_ >= kMaxNullBinds) return;
      pod = std::move(waiting_.front());
      waiting_.pop_front();
      node = nodes_[next_node_++ % nodes_.size()];
      ++under_way_;
    }
    api::Call call = loop::bind({.resource = core("pods"),
                                 .namespace_name = pod.namespace_name,
                                 .name = pod.name,
                                 .uid = pod.uid,
                                 .version = ""},
                                node);
    client_.send(std::move(call),
                 [this, pod = std::move(pod)](const client::ReplyOrError& outcome) { answered(pod, outcome); });
  }
}

void NullScheduler::answered(const Pod& pod, const client::ReplyOrError& outcome) {
  const bool again = !outcome && outcome.error().code != 404 && outcome.error().code != 409;
  if (outcome) ++binds_;
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    if (again) waiting_.push_back(pod);
    more = !waiting_.empty() && !stopping_;
  }
  // What follows is sent while this one still counts, so that nobody destroys us meanwhile. After a failure the next
  // round of news sends, or a server that is away would be asked without a pause.
  if (more && !again) send_more();
  const std::lock_guard lock(mutex_);
  if (--under_way_ == 0) idle_.notify_all();
}

int run_null_scheduler(client::ObjectClient& client, const std::string& scheduler_name, int end) {
  const NullScheduler scheduler(client, scheduler_name);
  char byte = 0;
  ssize_t got = 0;
  do {
    got = read(end, &byte, 1);
  } while (got > 0 || (got < 0 && errno == EINTR));
  return 0;
}

}  // namespace basalt::lab
