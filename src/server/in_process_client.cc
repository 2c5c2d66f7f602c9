#include "server/in_process_client.h"

#include <mutex>

#include "kube/api/object_fields.h"
#include "server/rest/storage_conversion.h"

namespace basalt::server {
namespace {

constexpr size_t kEventsPerCall = 500;

client::Reply reply_of(const api::ApiResource& resource, ApiResponse answer) {
  client::Reply reply;
  reply.created = answer.created;
  reply.warnings = std::move(answer.warnings);
  if (answer.list) {
    reply.resource_version = std::to_string(answer.list->revision);
    reply.continue_token = std::move(answer.list->continue_token);
    reply.items.reserve(answer.list->records.size());
    for (const store::RecordPtr& record : answer.list->records) reply.items.push_back(shown(resource, *record));
  } else {
    reply.object = answer.record != nullptr ? shown(resource, *answer.record) : answer.value;
  }
  return reply;
}

client::WatchEvent event_of(const api::ApiResource& resource, const CursorEvent& cursor_event) {
  if (cursor_event.change != CursorEventType::Bookmark) {
    const client::WatchEventType type = cursor_event.change == CursorEventType::Added ? client::WatchEventType::Added
                                        : cursor_event.change == CursorEventType::Modified
                                            ? client::WatchEventType::Modified
                                            : client::WatchEventType::Deleted;
    return {.type = type, .object = shown(resource, *cursor_event.record)};
  }
  text::Object mark;
  mark["kind"] = resource.kind;
  mark["apiVersion"] = resource.api_version();
  text::Object& metadata = api::metadata_of(mark);
  metadata["resourceVersion"] = std::to_string(cursor_event.revision);
  if (cursor_event.initial_events_end) api::object_in(metadata, "annotations")["k8s.io/initial-events-end"] = "true";
  return {.type = client::WatchEventType::Bookmark, .object = std::make_shared<const text::Value>(std::move(mark))};
}

client::WatchEvent error_of(const api::ApiError& error) {
  return {.type = client::WatchEventType::Error, .object = std::make_shared<const text::Value>(error.to_status())};
}

// Reads the history whenever the store wakes it; one reader at a time, the others only leave a note.
class InProcessWatch : public client::Watch {
 public:
  explicit InProcessWatch(std::function<void(client::WatchEvent)> receive) : receive_(std::move(receive)) {}
  ~InProcessWatch() override {
    subscription_.reset();  // waits for a running wake
  }

  void start(store::Store& store, std::unique_ptr<WatchCursor> cursor) {
    cursor_ = std::move(cursor);
    subscription_ = store.subscribe(cursor_->resource().storage_name(), [this] { wake(); });
    wake();
  }
  void fail(const api::ApiError& error) { receive_(error_of(error)); }

 private:
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      again_ = true;
      if (busy_ || over_) return;
      busy_ = true;
    }
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (!again_ || over_) {
          busy_ = false;
          return;
        }
        again_ = false;
      }
      read();
    }
  }

  void read() {
    for (;;) {
      const auto cursor_events = cursor_->next(kEventsPerCall);
      if (!cursor_events) {
        receive_(error_of(cursor_events.error()));
        const std::lock_guard lock(mutex_);
        over_ = true;
        return;
      }
      if (cursor_events->empty()) return;
      for (const CursorEvent& cursor_event : *cursor_events) receive_(event_of(cursor_->resource(), cursor_event));
    }
  }

  std::function<void(client::WatchEvent)> receive_;
  std::unique_ptr<WatchCursor> cursor_;
  std::mutex mutex_;
  bool busy_ = false, again_ = false, over_ = false;
  std::unique_ptr<store::Store::Subscription> subscription_;
};

}  // namespace

void InProcessClient::send(api::Call call, std::function<void(client::ReplyOrError)> done) {
  const auto kinds = server_.kinds();
  const api::ApiResource* resource = kinds->find(call.resource.group, call.resource.version, call.resource.plural);
  if (resource == nullptr) return done(std::unexpected(api::no_such_path()));
  if (call.field_manager.empty()) call.field_manager = manager_;
  server_.send(user_, std::move(call), [kinds, resource, done = std::move(done)](ApiOutcome outcome) {
    if (!outcome) return done(std::unexpected(std::move(outcome.error())));
    done(reply_of(*resource, std::move(*outcome)));
  });
}

std::unique_ptr<client::Watch> InProcessClient::watch(api::Call call, std::function<void(client::WatchEvent)> receive) {
  call.verb = api::Verb::Watch;
  auto watch = std::make_unique<InProcessWatch>(std::move(receive));
  auto cursor = server_.open_watch(user_, std::move(call));
  if (cursor) {
    watch->start(server_.store(), std::move(*cursor));
  } else {
    watch->fail(cursor.error());
  }
  return watch;
}

}  // namespace basalt::server
