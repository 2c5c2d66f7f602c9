// How everything of ours talks to an API server: one contract for the embedded server (in process) and a real one
// (HTTPS).
//
// Objects that come back are immutable and shared; with the embedded server they are the server's own values, not
// copies. They carry metadata.resourceVersion as usual.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/api/api_error.h"
#include "kube/api/call.h"

namespace basalt::client {

using text::ObjectPtr;

struct Reply {
  ObjectPtr object;              // get and writes; delete: the object, or a Status
  std::vector<ObjectPtr> items;  // list
  std::string resource_version;  // list
  std::string continue_token;    // list: more where this came from
  bool created = false;          // 201
  std::vector<std::string> warnings;
};

using ReplyOrError = api::ApiResult<Reply>;

enum class WatchEventType : uint8_t { Added, Modified, Deleted, Bookmark, Error };

struct WatchEvent {
  WatchEventType type = WatchEventType::Bookmark;
  ObjectPtr object;  // Error: a Status; Bookmark: only kind and resourceVersion (and annotations)
};

// An open watch. Destroying it ends it: after the destructor returned, no function of it is running.
class Watch {
 public:
  virtual ~Watch() = default;
};

class ObjectClient {
 public:
  virtual ~ObjectClient() = default;

  // Any verb but Watch. `done` is called exactly once, on any thread, possibly before send() returns.
  virtual void send(api::Call call, std::function<void(ReplyOrError)> done) = 0;

  // Verb Watch. `receive` gets events in order, one call at a time; an Error event (410 and the like) is the last one.
  [[nodiscard]] virtual std::unique_ptr<Watch> watch(api::Call call, std::function<void(WatchEvent)> receive) = 0;

  // Whether a kind's present objects come better as a watch with initial events (Call::send_initial_events) than as a
  // list page by page. Who says so calls `receive` on a thread of the watch's own, where it may wait.
  [[nodiscard]] virtual bool streams_lists() const { return false; }

  // send() and wait. Must not be called from a `done` or `receive` function.
  [[nodiscard]] ReplyOrError call(api::Call call);
};

}  // namespace basalt::client
