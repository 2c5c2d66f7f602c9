#include "kube/client/watch_event_reader.h"

#include "kube/client/protobuf/protobuf_response.h"

namespace basalt::client {

Result<void> WatchEventReader::feed(std::string_view content_type, std::string_view piece,
                                    const std::function<bool(WatchEvent)>& take) {
  const auto pass_on = [&take](Result<WatchEvent> event) -> Result<bool> {
    if (!event) return std::unexpected(std::move(event.error()));
    return take(std::move(*event));
  };
  if (!is_protobuf(content_type)) {
    return lines_.feed(piece, [&](std::string_view line) { return pass_on(parse_event(line, response_format_.lean)); });
  }
  if (response_format_.layout == nullptr) return invalid("watch: the server sends protobuf, for which nobody asked");
  return frames_.feed(
      piece, [&](std::string_view frame) { return pass_on(decode_watch_frame(*response_format_.layout, frame)); });
}

}  // namespace basalt::client
