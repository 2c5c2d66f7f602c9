#include "control/loop/event_log.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "kube/api/object_fields.h"
#include "kube/text/time.h"
#include "kube/text/utf8.h"

namespace basalt::loop {
namespace {

const api::ResourceName kEvents{.group = "", .version = "v1", .plural = "events"};
constexpr size_t kMaxMessage = 1024;  // as Kubernetes keeps it

}  // namespace

std::optional<api::Call> EventLog::tell(const Note& note, Instant now) {
  const uint64_t key =
      Fingerprint().add(api::string_at(note.regarding, "uid")).add(note.reason).add(note.message).value();
  std::string space(api::string_at(note.regarding, "namespace"));
  if (space.empty()) space = "default";  // events about objects without a namespace live here
  const auto name = [&](uint64_t suffix) {
    return fmt::format("{}.{:x}", api::string_at(note.regarding, "name"), suffix);
  };
  const auto known = told_.find(key);
  if (known != told_.end() && now - known->second.last <= kStale) {
    Told& told = known->second;
    ++told.count;
    if (now - told.last < kQuiet) return std::nullopt;
    told.last = now;
    api::Call call{.verb = api::Verb::Patch, .resource = kEvents, .namespace_name = space, .name = name(told.suffix)};
    call.body = text::Object{{"count", told.count}, {"lastTimestamp", text::format_time(now)}};
    return call;
  }
  const uint64_t suffix = static_cast<uint64_t>(now.nanos) ^ key;
  const std::string stamp = text::format_time(now);
  api::Call call{.verb = api::Verb::Create, .resource = kEvents, .namespace_name = space};
  call.body = text::Object{{"apiVersion", "v1"},
                           {"kind", "Event"},
                           {"metadata", text::Object{{"name", name(suffix)}, {"namespace", space}}},
                           {"involvedObject", note.regarding},
                           {"reason", note.reason},
                           {"message", text::utf8_prefix(note.message, kMaxMessage)},
                           {"type", note.warning ? "Warning" : "Normal"},
                           {"source", text::Object{{"component", component_}}},
                           {"firstTimestamp", stamp},
                           {"lastTimestamp", stamp},
                           {"count", 1}};
  if (known != told_.end()) {
    known->second = {.suffix = suffix, .last = now};
    return call;
  }
  if (order_.size() >= kMaxRemembered) {
    told_.erase(order_.front());
    order_.pop_front();
  }
  told_.emplace(key, Told{.suffix = suffix, .last = now});
  order_.push_back(key);
  return call;
}

}  // namespace basalt::loop
