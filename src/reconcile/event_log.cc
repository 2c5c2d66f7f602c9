#include "reconcile/event_log.h"

#include <fmt/format.h>

#include "api/object_fields.h"
#include "base/hash.h"
#include "text/time.h"
#include "text/utf8.h"

namespace basalt::reconcile {
namespace {

const api::ResourceName kEvents{.group = "", .version = "v1", .plural = "events"};
constexpr size_t kMaxMessage = 1024;  // as Kubernetes keeps it

}  // namespace

std::optional<api::Call> EventLog::tell(const Note& note, Instant now) {
  const std::string key = fmt::format("{}\n{}\n{}", api::string_at(note.regarding, "uid"), note.reason, note.message);
  const auto known = told_.find(key);
  if (known != told_.end()) {
    Told& told = known->second;
    ++told.count;
    if (now - told.last < kQuiet) return std::nullopt;
    told.last = now;
    api::Call call{.verb = api::Verb::Patch, .resource = kEvents, .namespace_name = told.space, .name = told.name};
    call.body = text::Object{{"count", told.count}, {"lastTimestamp", text::format_time(now)}};
    return call;
  }
  std::string space(api::string_at(note.regarding, "namespace"));
  if (space.empty()) space = "default";  // events about objects without a namespace live here
  const std::string name = fmt::format("{}.{:x}", api::string_at(note.regarding, "name"),
                                       static_cast<uint64_t>(now.nanos) ^ Fingerprint().add(key).value());
  const std::string stamp = text::format_time(now);
  api::Call call{.verb = api::Verb::Create, .resource = kEvents, .namespace_name = space};
  call.body = text::Object{{"apiVersion", "v1"},
                           {"kind", "Event"},
                           {"metadata", text::Object{{"name", name}, {"namespace", space}}},
                           {"involvedObject", note.regarding},
                           {"reason", note.reason},
                           {"message", text::utf8_prefix(note.message, kMaxMessage)},
                           {"type", note.warning ? "Warning" : "Normal"},
                           {"source", text::Object{{"component", component_}}},
                           {"firstTimestamp", stamp},
                           {"lastTimestamp", stamp},
                           {"count", 1}};
  if (order_.size() >= kMaxRemembered) {
    told_.erase(order_.front());
    order_.pop_front();
  }
  told_.emplace(key, Told{.name = name, .space = space, .last = now});
  order_.push_back(key);
  return call;
}

}  // namespace basalt::reconcile
