#include "programs/cli/follow/job_feed.h"

#include <fmt/format.h>

#include "kube/api/object_fields.h"
#include "kube/api/volcano_keys.h"

namespace basalt::cli::follow {
namespace {

vcctl::Scope named(std::string namespace_name, std::string_view name) {
  return {.namespace_name = std::move(namespace_name), .field_selector = fmt::format("metadata.name={}", name)};
}

}  // namespace

JobFeed::JobFeed(vcctl::Session& session, std::string namespace_name, std::string job_name)
    : session_(session),
      namespace_(std::move(namespace_name)),
      scene_(std::move(job_name)),
      mailbox_(std::make_shared<Mailbox<Letter>>(kMaxLetters)) {
  const std::string name(scene_.job_name());
  add_line(Part::Job, vcctl::kJob, named(namespace_, name));
  add_line(Part::Group, vcctl::kPodGroup, {.namespace_name = namespace_});
  add_line(Part::Pod, vcctl::kPod,
           {.namespace_name = namespace_, .label_selector = fmt::format("{}={}", api::keys::kJobName, name)});
  add_line(Part::Event, vcctl::kEvent, {.namespace_name = namespace_});
}

JobFeed::~JobFeed() { mailbox_->close(); }  // before the watches go: see Mailbox

void JobFeed::add_line(Part part, const vcctl::Kind& kind, vcctl::Scope scope) {
  lines_.push_back({.part = part, .kind = kind, .scope = std::move(scope)});
}

Result<void> JobFeed::open() {
  // A list of one name would be empty where a get says what is wrong.
  const auto job = session_.get(vcctl::kJob, namespace_, scene_.job_name());
  if (!job) return std::unexpected(job.error());
  if (const std::string_view queue = api::string_at((*job)->get_object(), {"spec", "queue"}); !queue.empty()) {
    add_line(Part::Queue, vcctl::kQueue, named("", queue));
  }
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (auto opened = open_line(i); !opened) return opened;
  }
  return {};
}

Result<void> JobFeed::open_line(size_t index) {
  Line& line = lines_[index];
  line.watch.reset();
  ++line.epoch;
  const auto listed = session_.list(line.kind, line.scope);
  if (!listed) return std::unexpected(listed.error());
  scene_.replace(line.part, listed->items);
  api::Call call{.verb = api::Verb::Watch, .resource = line.kind.resource()};
  if (line.kind.namespaced) call.namespace_name = line.scope.namespace_name;
  call.label_selector = line.scope.label_selector;
  call.field_selector = line.scope.field_selector;
  call.resource_version = listed->resource_version;
  line.watch =
      session_.api.watch(std::move(call), [mailbox = mailbox_, index, epoch = line.epoch](client::WatchEvent event) {
        mailbox->put({.line = index, .epoch = epoch, .event = std::move(event)});
      });
  return {};
}

Result<bool> JobFeed::step(std::chrono::milliseconds wait) {
  auto letter = mailbox_->take_within(wait);
  if (!letter) return false;
  for (size_t taken = 0; letter && taken < kMaxLetters; ++taken) {
    if (auto done = read(std::move(*letter)); !done) return std::unexpected(done.error());
    letter = mailbox_->take_within(std::chrono::milliseconds(0));
  }
  return true;
}

Result<void> JobFeed::read(Letter letter) {
  Line& line = lines_[letter.line];
  if (letter.epoch != line.epoch) return {};
  if (letter.event.object == nullptr || !letter.event.object->is_object()) {
    return failure(ErrorCode::Io, "the server sent an event without an object");
  }
  const text::Object& object = letter.event.object->get_object();
  switch (letter.event.type) {
    case client::EventType::Added:
    case client::EventType::Modified:
      scene_.put(line.part, letter.event.object);
      break;
    case client::EventType::Deleted:
      scene_.remove(line.part, object);
      break;
    case client::EventType::Bookmark:
      break;
    case client::EventType::Error:
      if (++line.quiet_ends > kMaxQuietEnds) {
        return failure(ErrorCode::Io, "the server ends every watch at once; try again later");
      }
      return open_line(letter.line);
  }
  line.quiet_ends = 0;
  return {};
}

}  // namespace basalt::cli::follow
