#include "kube/client/event_reader.h"

#include "kube/client/protobuf/sealed_answer.h"

namespace basalt::client {

Result<void> EventReader::feed(std::string_view content_type, std::string_view piece,
                               const std::function<bool(WatchEvent)>& take) {
  const auto pass_on = [&take](Result<WatchEvent> event) -> Result<bool> {
    if (!event) return std::unexpected(std::move(event.error()));
    return take(std::move(*event));
  };
  if (!is_protobuf(content_type)) {
    return lines_.feed(piece, [&](std::string_view line) { return pass_on(parse_event(line, reading_.lean)); });
  }
  if (reading_.layout == nullptr) return invalid("watch: the server sends protobuf, for which nobody asked");
  return frames_.feed(piece, [&](std::string_view frame) { return pass_on(read_frame(*reading_.layout, frame)); });
}

}  // namespace basalt::client
