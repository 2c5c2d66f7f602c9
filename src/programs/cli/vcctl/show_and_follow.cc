#include "programs/cli/vcctl/show_and_follow.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <ostream>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/status_view.h"
#include "programs/cli/bounded_queue.h"

namespace basalt::cli::vcctl {
namespace {

using Letters = BoundedQueue<client::WatchEvent>;

std::string version_of(const text::Object& object) {
  return std::string(api::ObjectView(object).metadata().resource_version());
}

class Follower {
 public:
  Follower(CommandSession& session, const WatchOptions& watched) : session_(session), watched_(watched) {}

  Result<void> show(const ListResult& listed) {
    std::vector<client::ObjectPtr> fresh;
    for (const client::ObjectPtr& item : listed.items) {
      if (wanted(*item) && is_news(item->get_object())) fresh.push_back(item);
    }
    version_ = listed.resource_version;
    const bool again = std::exchange(shown_before_, true);
    if (again && fresh.empty()) return {};
    return print(again ? watched_.later : watched_.first, fresh);
  }

  // Until the watch is too old (a value) or cannot go on (an error).
  Result<void> follow() {
    size_t quiet_ends = 0;
    while (quiet_ends < kMaxQuietEnds) {
      const auto queue = std::make_shared<Letters>(kMaxWaitingEvents);
      const auto watch =
          session_.api.watch(call(), [queue](client::WatchEvent event) { queue->put(std::move(event)); });
      // Before `watch` goes: its thread must not wait for room that nobody makes any more.
      const std::unique_ptr<Letters, void (*)(Letters*)> closing(queue.get(), [](Letters* box) { box->close(); });
      const auto end = read(*queue);
      if (!end) return std::unexpected(end.error());
      if (end->too_old) return {};
      quiet_ends = end->quiet ? quiet_ends + 1 : 0;
    }
    return failure(ErrorCode::Io, "the server ends every watch at once; run the command again later");
  }

 private:
  struct End {
    bool too_old = false;
    bool quiet = true;  // nothing came before it
  };

  [[nodiscard]] api::Call call() const {
    api::Call call{.verb = api::Verb::Watch, .resource = watched_.kind.resource()};
    if (watched_.kind.namespaced) call.namespace_name = watched_.scope.namespace_name;
    call.label_selector = watched_.scope.label_selector;
    call.field_selector = watched_.scope.field_selector;
    call.resource_version = version_;
    call.bookmarks = true;
    return call;
  }

  Result<End> read(Letters& queue) {
    End end;
    for (;; end.quiet = false) {
      const client::WatchEvent event = queue.take();
      if (event.object == nullptr || !event.object->is_object()) {
        return failure(ErrorCode::Io, "the server sent an event without an object");
      }
      const text::Object& object = event.object->get_object();
      if (event.type == client::WatchEventType::Error) {
        const api::StatusView status(object);
        end.too_old = status.code() == 410;
        if (end.too_old || status.reason() == "WatchEnded") return end;
        return failure(ErrorCode::Io, printable(status.message()));
      }
      if (std::string version = version_of(object); !version.empty()) version_ = std::move(version);
      if (event.type == client::WatchEventType::Bookmark || !wanted(*event.object)) continue;
      if (event.type == client::WatchEventType::Deleted) {
        shown_.erase(api::key_of(object));
      } else {
        is_news(object);
      }
      if (auto printed = print(watched_.later, {&event.object, 1}); !printed) return std::unexpected(printed.error());
    }
  }

  [[nodiscard]] bool wanted(const text::Value& object) const {
    return !watched_.filter || watched_.filter(object.get_object());
  }

  // Whether this version was not shown yet; from now on it was.
  bool is_news(const text::Object& object) {
    std::string& version = shown_[api::key_of(object)];
    const std::string before = std::exchange(version, version_of(object));
    return before != version || version.empty();
  }

  Result<void> print(const std::function<Result<void>(std::span<const client::ObjectPtr>)>& how,
                     std::span<const client::ObjectPtr> objects) {
    if (auto printed = how(objects); !printed) return printed;
    session_.terminal.out.flush();
    if (!session_.terminal.out) return failure(ErrorCode::Io, "the output cannot be written any more");
    return {};
  }

  CommandSession& session_;
  const WatchOptions& watched_;
  std::map<std::string, std::string> shown_;  // key → resourceVersion of what was printed last
  std::string version_;                       // to go on from
  bool shown_before_ = false;
};

}  // namespace

Result<void> show_and_follow(CommandSession& session, const WatchOptions& watched, bool follow) {
  Follower follower(session, watched);
  for (;;) {
    const auto listed = session.list(watched.kind, watched.scope);
    if (!listed) return std::unexpected(listed.error());
    if (auto printed = follower.show(*listed); !printed || !follow) return printed;
    if (auto ended = follower.follow(); !ended) return ended;
  }
}

}  // namespace basalt::cli::vcctl
