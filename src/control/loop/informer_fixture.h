// What the tests of informers share: a scripted server, and a record of what the informer delivered.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/loop/informer.h"
#include "kube/api/object_fields.h"
#include "kube/client/object_client.h"
#include "kube/client/response_decoder.h"

namespace basalt::loop {

inline constexpr Instant kFeedStart = Instant::from_unix_seconds(1'700'000'000);
inline const KindId kThings(7U);
inline const api::GroupVersionResource kThingsResource{.group = "", .version = "v1", .plural = "things"};

inline client::ObjectPtr thing(const std::string& name, int version) {
  text::Object metadata{{"name", name}, {"resourceVersion", std::to_string(version)}};
  return std::make_shared<const text::Value>(text::Object{{"metadata", std::move(metadata)}});
}

inline client::WatchEvent event(client::WatchEventType type, const std::string& name, int version) {
  return {.type = type, .object = thing(name, version)};
}

inline client::WatchEvent bookmark(int version, bool ends_initial = false) {
  text::Object metadata{{"resourceVersion", std::to_string(version)}};
  if (ends_initial) metadata["annotations"] = text::Object{{"k8s.io/initial-events-end", "true"}};
  return {.type = client::WatchEventType::Bookmark,
          .object = std::make_shared<const text::Value>(text::Object{{"metadata", std::move(metadata)}})};
}

inline client::WatchEvent ended(int code, std::string_view reason, int retry_after = 0) {
  return client::error_event(
      {.code = code, .reason = std::string(reason), .message = "over", .retry_after_seconds = retry_after});
}

// Lists answer `pages` one by one (then the last one again); watches stay open until the test ends them.
class ScriptedServer final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    log.push_back(call.continue_token.empty() ? "list" : "list after " + call.continue_token);
    limit = call.limit;
    if (holding) return held.push_back(std::move(done));
    done(answer());
  }
  std::unique_ptr<client::Watch> watch(api::Call call, std::function<void(client::WatchEvent)> receive) override {
    const bool stream = call.send_initial_events.value_or(false);
    log.push_back(stream ? "stream" : "watch " + call.resource_version);
    last_watch = std::move(call);
    deliver = std::move(receive);
    if (on_watch) on_watch();
    return std::make_unique<client::Watch>();
  }
  [[nodiscard]] bool streams_lists() const override { return streams; }

  client::ReplyOrError answer() {
    if (pages.empty()) return std::unexpected(api::unavailable("no"));
    client::ReplyOrError page = pages.front();
    if (pages.size() > 1) pages.erase(pages.begin());
    return page;
  }
  std::vector<std::string> take_log() { return std::exchange(log, {}); }

  std::vector<client::ReplyOrError> pages;
  std::vector<std::string> log;
  bool streams = false, holding = false;
  int64_t limit = 0;
  std::vector<std::function<void(client::ReplyOrError)>> held;
  std::function<void()> on_watch;
  api::Call last_watch;
  std::function<void(client::WatchEvent)> deliver;
};

inline client::Reply page(const std::vector<std::string>& names, int version, std::string more = "") {
  client::Reply reply{.resource_version = std::to_string(version), .continue_token = std::move(more)};
  for (const std::string& name : names) reply.items.push_back(thing(name, version));
  return reply;
}

struct InformerFixture {
  ScriptedServer server;
  WakeUp wake_up;
  Informer informer{server, wake_up, /*seed=*/3};
  Instant now = kFeedStart;
  std::vector<std::string> seen;  // "[+ a b .]": a page, + the first one, . the last one; "ADDED a"

  InformerFixture() { informer.follow(kThings, kThingsResource, kNever); }

  void step() {
    informer.open_due(now, [this](const Informer::Listed& listed) {
      std::string line = listed.first ? "[+" : "[";
      for (const auto& object : listed.objects) line += fmt::format(" {}", api::name_of(object->get_object()));
      seen.push_back(line + (listed.complete ? " .]" : "]"));
    });
    for (const Informer::Change& one : informer.take(now)) {
      constexpr std::string_view kWords[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
      seen.push_back(fmt::format("{} {}", kWords[static_cast<size_t>(one.event.type)],
                                 api::name_of(one.event.object->get_object())));
    }
  }
  // Lets time pass until something is due, and does it.
  void wait_and_step() {
    if (const auto due = informer.next_due(); due && now < *due) now = *due;
    step();
  }
  std::vector<std::string> take_seen() { return std::exchange(seen, {}); }
};

}  // namespace basalt::loop
