// The events of a watch out of its answer as it comes: lines of JSON, or frames of Kubernetes' binary form.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "kube/client/object_client.h"
#include "kube/client/protobuf/watch_frame_splitter.h"
#include "kube/client/response_decoder.h"
#include "kube/client/watch_line_splitter.h"

namespace basalt::client {

class WatchEventReader {
 public:
  // `max_bytes`: of one event.
  WatchEventReader(const ResponseFormat& reading, size_t max_bytes)
      : response_format_(reading), lines_(max_bytes), frames_(max_bytes) {}

  // The next piece of the answer. `take` says false to stop; then, and after an error, the rest of the piece is lost.
  // `content_type` is the answer's, the same each time. Cost: O(piece), and of the events that it completes.
  [[nodiscard]] Result<void> feed(std::string_view content_type, std::string_view piece,
                                  const std::function<bool(WatchEvent)>& take);

 private:
  ResponseFormat response_format_;
  WatchLineSplitter lines_;
  WatchFrameSplitter frames_;
};

}  // namespace basalt::client
