#include "kube/client/event_type.h"

#include "kube/text/path.h"
#include "kube/text/utf8.h"

namespace basalt::client {

Result<EventType> event_type_called(std::string_view word) {
  if (word == "ADDED") return EventType::Added;
  if (word == "MODIFIED") return EventType::Modified;
  if (word == "DELETED") return EventType::Deleted;
  if (word == "BOOKMARK") return EventType::Bookmark;
  if (word == "ERROR") return EventType::Error;
  return invalid("watch event: unknown type " + (text::is_utf8(word) ? text::in_quotes(word) : "(not UTF-8)"));
}

}  // namespace basalt::client
