// GET pods/x/log: a container's log file, or its end, and what is appended while the client follows.
//
// Logs are files `<directory>/<namespace>/<pod>/<container>.log` (a former run's: `<container>.previous.log`), written
// by the node, which rotates them by renaming (of several directories, the first that has the pod): a client that
// follows goes on in the new file. A line may begin with the CRI prefix "<RFC 3339 time> stdout|stderr F|P "; it is
// shown only with timestamps=true, and is what sinceSeconds and sinceTime go by. Files are read in bounded pieces: the
// log's size does not matter.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "kube/net/http.h"
#include "server/api_server.h"
#include "server/http/request_path.h"
#include "server/ticker.h"

namespace basalt::server {

inline constexpr size_t kMaxLogChunk = size_t{64} * 1024;
inline constexpr int64_t kMaxTailLines = 1'000'000;

struct LogOptions {
  std::string file;
  bool follow = false, timestamps = false;
  std::optional<int64_t> tail_lines, limit_bytes;
  std::optional<Instant> since;
};

// Checks pod, container and options; the file may not exist yet (an empty log).
[[nodiscard]] api::ApiResult<LogOptions> read_log_options(ApiServer& server, std::span<const std::string> directories,
                                                          const api::Call& call, const RequestTarget& target);

// Sends a log, piece by piece, and with follow what comes later, until `ended()` says that nothing more will come.
class LogStream : public Ticker::Listener, public std::enable_shared_from_this<LogStream> {
 public:
  // `record` lives until the stream has ended.
  LogStream(LogOptions options, std::shared_ptr<net::ResponseStream> stream, std::function<bool()> ended,
            std::shared_ptr<void> record);
  void start();
  void tick() override;

 private:
  void pump();
  std::string next_piece(bool& more);
  void take_lines(std::string_view piece, std::string& out);
  void open_file();
  void seek_tail();
  void append_line(std::string& out, std::string_view line);
  void finish();

  LogOptions options_;
  std::shared_ptr<net::ResponseStream> stream_;
  std::function<bool()> ended_;
  const std::shared_ptr<void> record_;  // shared: see RequestRecorder::streams
  std::ifstream file_;
  uint64_t file_number_ = 0;  // of the opened file: when the path has another, the node has rotated the log
  std::string partial_;       // the beginning of a line whose end is not written yet
  bool continues_ = false;    // the last line that was sent has no end yet
  int64_t sent_ = 0;
  std::mutex mutex_;
  bool busy_ = false, closed_ = false;
  std::shared_ptr<LogStream> self_;
};

}  // namespace basalt::server
