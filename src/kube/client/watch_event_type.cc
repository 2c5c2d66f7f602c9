#include "kube/client/watch_event_type.h"

#include "kube/text/document_path.h"
#include "kube/text/utf8.h"

namespace basalt::client {

Result<WatchEventType> parse_watch_event_type(std::string_view word) {
  if (word == "ADDED") return WatchEventType::Added;
  if (word == "MODIFIED") return WatchEventType::Modified;
  if (word == "DELETED") return WatchEventType::Deleted;
  if (word == "BOOKMARK") return WatchEventType::Bookmark;
  if (word == "ERROR") return WatchEventType::Error;
  return invalid("watch event: unknown type " + (text::is_utf8(word) ? text::in_quotes(word) : "(not UTF-8)"));
}

}  // namespace basalt::client
