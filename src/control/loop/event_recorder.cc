#include "control/loop/event_recorder.h"

#include <fmt/format.h>

#include "base/fingerprint.h"
#include "kube/api/views/reference_view.h"
#include "kube/text/rfc3339.h"
#include "kube/text/utf8.h"

namespace basalt::loop {
namespace {

const api::GroupVersionResource kEvents{.group = "", .version = "v1", .plural = "events"};
constexpr size_t kMaxMessage = 1024;  // as Kubernetes keeps it

}  // namespace

std::optional<api::Call> EventRecorder::record(const EventNote& note, Instant now) {
  const uint64_t key =
      Fingerprint().add(api::ObjectReferenceView(note.regarding).uid()).add(note.reason).add(note.message).value();
  std::string ns(api::ObjectReferenceView(note.regarding).namespace_name());
  if (ns.empty()) ns = "default";  // events about objects without a namespace live here
  const auto name = [&](uint64_t suffix) {
    return fmt::format("{}.{:x}", api::ObjectReferenceView(note.regarding).name(), suffix);
  };
  const auto known = recorded_.find(key);
  if (known != recorded_.end() && now - known->second.last <= kStale) {
    Recorded& recorded = known->second;
    ++recorded.count;
    if (now - recorded.last < kQuiet) return std::nullopt;
    recorded.last = now;
    api::Call call{.verb = api::Verb::Patch, .resource = kEvents, .namespace_name = ns, .name = name(recorded.suffix)};
    call.body = text::Object{{"count", recorded.count}, {"lastTimestamp", text::format_time(now)}};
    return call;
  }
  const uint64_t suffix = static_cast<uint64_t>(now.nanos) ^ key;
  const std::string stamp = text::format_time(now);
  api::Call call{.verb = api::Verb::Create, .resource = kEvents, .namespace_name = ns};
  call.body = text::Object{{"apiVersion", "v1"},
                           {"kind", "Event"},
                           {"metadata", text::Object{{"name", name(suffix)}, {"namespace", ns}}},
                           {"involvedObject", note.regarding},
                           {"reason", note.reason},
                           {"message", text::utf8_prefix(note.message, kMaxMessage)},
                           {"type", note.warning ? "Warning" : "Normal"},
                           {"source", text::Object{{"component", component_}}},
                           {"firstTimestamp", stamp},
                           {"lastTimestamp", stamp},
                           {"count", 1}};
  if (known != recorded_.end()) {
    known->second = {.suffix = suffix, .last = now};
    return call;
  }
  if (order_.size() >= kMaxRemembered) {
    recorded_.erase(order_.front());
    order_.pop_front();
  }
  recorded_.emplace(key, Recorded{.suffix = suffix, .last = now});
  order_.push_back(key);
  return call;
}

}  // namespace basalt::loop
