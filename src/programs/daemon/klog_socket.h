// Volcano's socket for the level of the log, on the machine (or in the container) of the program:
//
//   curl --unix-socket /tmp/klog-socks/klog-klog.sock "http://localhost/setlevel?level=5&duration=60s"
//   curl --unix-socket /tmp/klog-socks/klog-klog.sock http://localhost/getlevel
//
// A level that was set goes back, after its time, to the level that the program was started with. The directory is
// $DEBUG_SOCKET_DIR, made when it is absent and refused when it is another user's; the file is <component>-klog.sock,
// for its owner only. It stays when the program ends, and is replaced by the next one.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "programs/daemon/async_log.h"

namespace basalt::daemon {

inline constexpr const char* kLogSocketDirectory = "/tmp/klog-socks";

// From the environment, or the default.
[[nodiscard]] std::string log_socket_directory();

class KlogSocket {
 public:
  // `component`: "klog" of Volcano's scheduler. A program goes on without the socket: what failed is one line of its
  // log. Requires: `log` outlives it.
  static Result<std::unique_ptr<KlogSocket>> start(AsyncLog& log, const std::string& directory,
                                                   const std::string& component);
  virtual ~KlogSocket() = default;
};

}  // namespace basalt::daemon
