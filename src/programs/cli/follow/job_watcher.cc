#include "programs/cli/follow/job_watcher.h"

#include <fmt/format.h>

#include "kube/api/views/volcano_job_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::cli::follow {
namespace {

vcctl::ListScope named(std::string namespace_name, std::string_view name) {
  return {.namespace_name = std::move(namespace_name), .field_selector = fmt::format("metadata.name={}", name)};
}

}  // namespace

JobWatcher::JobWatcher(vcctl::CommandSession& session, std::string namespace_name, std::string job_name)
    : session_(session),
      namespace_(std::move(namespace_name)),
      objects_(std::move(job_name)),
      queue_(std::make_shared<BoundedQueue<ReceivedEvent>>(kMaxQueuedEvents)) {
  const std::string name(objects_.job_name());
  add_watch(JobObjectKind::Job, vcctl::kJob, named(namespace_, name));
  add_watch(JobObjectKind::Group, vcctl::kPodGroup, {.namespace_name = namespace_});
  add_watch(JobObjectKind::Pod, vcctl::kPod,
            {.namespace_name = namespace_, .label_selector = fmt::format("{}={}", api::keys::kJobName, name)});
  add_watch(JobObjectKind::Event, vcctl::kEvent, {.namespace_name = namespace_});
}

JobWatcher::~JobWatcher() { queue_->close(); }  // before the watches go: see BoundedQueue

void JobWatcher::add_watch(JobObjectKind part, const vcctl::VcctlKind& kind, vcctl::ListScope scope) {
  watches_.push_back({.part = part, .kind = kind, .scope = std::move(scope)});
}

Result<void> JobWatcher::open() {
  // A list of one name would be empty where a get says what is wrong.
  const auto job = session_.get(vcctl::kJob, namespace_, objects_.job_name());
  if (!job) return std::unexpected(job.error());
  if (const std::string_view queue = api::VolcanoJobView((*job)->get_object()).spec().queue(); !queue.empty()) {
    add_watch(JobObjectKind::Queue, vcctl::kQueue, named("", queue));
  }
  for (size_t i = 0; i < watches_.size(); ++i) {
    if (auto opened = open_watch(i); !opened) return opened;
  }
  return {};
}

Result<void> JobWatcher::open_watch(size_t index) {
  KindWatch& entry = watches_[index];
  entry.watch.reset();
  ++entry.epoch;
  const auto listed = session_.list(entry.kind, entry.scope);
  if (!listed) return std::unexpected(listed.error());
  objects_.replace(entry.part, listed->items);
  api::Call call{.verb = api::Verb::Watch, .resource = entry.kind.resource()};
  if (entry.kind.namespaced) call.namespace_name = entry.scope.namespace_name;
  call.label_selector = entry.scope.label_selector;
  call.field_selector = entry.scope.field_selector;
  call.resource_version = listed->resource_version;
  entry.watch =
      session_.api.watch(std::move(call), [mailbox = queue_, index, epoch = entry.epoch](client::WatchEvent event) {
        mailbox->put({.entry = index, .epoch = epoch, .event = std::move(event)});
      });
  return {};
}

Result<bool> JobWatcher::step(std::chrono::milliseconds wait) {
  auto received = queue_->take_within(wait);
  if (!received) return false;
  for (size_t taken = 0; received && taken < kMaxQueuedEvents; ++taken) {
    if (auto done = read(std::move(*received)); !done) return std::unexpected(done.error());
    received = queue_->take_within(std::chrono::milliseconds(0));
  }
  return true;
}

Result<void> JobWatcher::read(ReceivedEvent received) {
  KindWatch& entry = watches_[received.entry];
  if (received.epoch != entry.epoch) return {};
  if (received.event.object == nullptr || !received.event.object->is_object()) {
    return failure(ErrorCode::Io, "the server sent an event without an object");
  }
  const text::Object& object = received.event.object->get_object();
  switch (received.event.type) {
    case client::WatchEventType::Added:
    case client::WatchEventType::Modified:
      objects_.put(entry.part, received.event.object);
      break;
    case client::WatchEventType::Deleted:
      objects_.remove(entry.part, object);
      break;
    case client::WatchEventType::Bookmark:
      break;
    case client::WatchEventType::Error:
      if (++entry.quiet_ends > kMaxQuietEnds) {
        return failure(ErrorCode::Io, "the server ends every watch at once; try again later");
      }
      return open_watch(received.entry);
  }
  entry.quiet_ends = 0;
  return {};
}

}  // namespace basalt::cli::follow
