// `kubectl exec`: what the API server asks of the node that runs the container, and what the node reports back.
//
// An ExecRunner begins a command and answers with an ExecHandle, through which it is given input. What comes of it is
// told to ExecCallbacks, on threads of the runner, one call at a time. Both directions have a limit: a side that is
// full is given nothing more until it says that there is room again, so that neither a command nor a client can fill
// our memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace basalt::api {

struct ExecRequest {
  std::string namespace_name, pod, uid, node, container;
  std::vector<std::string> argv;
  bool input = false;  // false: its stdin is empty
};

enum class ExecStream : uint8_t { Stdout, Stderr };

struct ExecResult {
  int code = 0;         // 128 + signal where a signal ended it
  std::string problem;  // why it never ran, or nobody knows how it ended; "": `code` counts
};

struct ExecCallbacks {
  // False: full; nothing more comes before ExecHandle::resume().
  std::function<bool(ExecStream, std::string_view)> output;
  // After ExecHandle::input() said full: there is room again.
  std::function<void()> room;
  // Once, and last: all output was told before. All of the callbacks are forgotten then.
  std::function<void(const ExecResult&)> ended;
};

// From any thread; nothing happens after the command has ended.
class ExecHandle {
 public:
  virtual ~ExecHandle() = default;
  // It is taken in any case; false: full.
  virtual bool input(std::string_view bytes) = 0;
  virtual void end_input() = 0;
  virtual void resume() = 0;
  // Nobody listens any more: the command is killed.
  virtual void stop() = 0;
};

// Returns soon; what goes wrong is told by `ended`, possibly before it returns. Never null.
using ExecRunner = std::function<std::shared_ptr<ExecHandle>(ExecRequest, ExecCallbacks)>;

}  // namespace basalt::api
