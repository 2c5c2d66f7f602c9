// Events are stored as core Events and shown by two groups with other field names: whatever their number and size, each
// reads the same in both, by every way of reading.
#include <gtest/gtest.h>

#include <string>

#include "kube/api/object_fields.h"
#include "tests/traffic/traffic_server.h"

namespace basalt::tests {
namespace {

constexpr int kEvents = 40;
constexpr std::string_view kCore = "/api/v1/namespaces/default/events";
constexpr std::string_view kRenamed = "/apis/events.k8s.io/v1/namespaces/default/events";

// Events with more and more members: the tables in memory have all sizes. Short texts stand inside the tables.
text::Object core_event(int number) {
  text::Object event{{"apiVersion", "v1"},
                     {"kind", "Event"},
                     {"metadata", text::Object{{"name", "e" + std::to_string(number)}}},
                     {"involvedObject", text::Object{{"kind", "Pod"}, {"namespace", "default"}, {"name", "p"}}},
                     {"message", "m" + std::to_string(number)}};
  const std::pair<std::string_view, text::Value> more[] = {
      {"reason", "Started"},
      {"count", number + 1},
      {"source", text::Object{{"component", "c"}, {"host", "h"}}},
      {"firstTimestamp", "2026-01-02T03:04:05Z"},
      {"lastTimestamp", "2026-01-02T03:04:06Z"},
      {"reportingComponent", text::Value("r" + std::to_string(number))},
      {"type", "Normal"},
      {"action", "Doing"},
  };
  for (int i = 0; i < number % 9; ++i) event[more[i].first] = more[i].second;
  return event;
}

// What the other group shows of a field of `event`.
void expect_same(const text::Object& event, const text::Object& shown) {
  const auto value = [](const text::Object& object, std::string_view key) {
    const text::Value* found = object.if_contains(key);
    return found == nullptr ? "(none)" : text::to_json(*found);
  };
  EXPECT_EQ(api::string_at(shown, "apiVersion"), "events.k8s.io/v1");
  for (const auto& [core, renamed] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"involvedObject", "regarding"},
           {"message", "note"},
           {"source", "deprecatedSource"},
           {"count", "deprecatedCount"},
           {"firstTimestamp", "deprecatedFirstTimestamp"},
           {"lastTimestamp", "deprecatedLastTimestamp"},
           {"reportingComponent", "reportingController"},
           {"metadata", "metadata"},
           {"type", "type"}}) {
    EXPECT_EQ(value(shown, renamed), value(event, core)) << core;
    EXPECT_TRUE(core == renamed || !shown.contains(core)) << core;
  }
}

class EventVersions : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < kEvents; ++i) {
      const TrafficAnswer made = server_.send(
          {.method = "POST", .target = std::string(kCore), .body = text::to_json(text::Value(core_event(i)))});
      ASSERT_EQ(made.status, 201U) << made.text;
    }
    core_ = server_.send({.target = std::string(kCore)});
    ASSERT_EQ(api::array_at(core_.object(), {"items"})->size(), static_cast<size_t>(kEvents));
  }
  const text::Object& core(size_t i) const { return (*api::array_at(core_.object(), {"items"}))[i].get_object(); }

  TrafficServer server_;
  TrafficAnswer core_;
};

TEST_F(EventVersions, AListShowsThemAll) {
  const TrafficAnswer list = server_.send({.target = std::string(kRenamed)});
  ASSERT_EQ(list.status, 200U);
  const text::Array& items = *api::array_at(list.object(), {"items"});
  ASSERT_EQ(items.size(), static_cast<size_t>(kEvents));
  for (size_t i = 0; i < items.size(); ++i) expect_same(core(i), items[i].get_object());
}

TEST_F(EventVersions, AGetShowsEach) {
  for (size_t i = 0; i < kEvents; ++i) {
    const TrafficAnswer one =
        server_.send({.target = std::string(kRenamed) + "/" + std::string(api::name_of(core(i)))});
    ASSERT_EQ(one.status, 200U);
    expect_same(core(i), one.object());
  }
}

TEST_F(EventVersions, AWatchTellsThemAll) {
  const TrafficAnswer told = server_.watch(std::string(kRenamed) + "?watch=true&resourceVersion=0", "", [] {});
  ASSERT_TRUE(told.readable) << told.text;
  const text::Array& events = told.value.get_array();
  ASSERT_EQ(events.size(), static_cast<size_t>(kEvents));
  for (size_t i = 0; i < events.size(); ++i) {
    expect_same(core(i), *api::object_at(events[i].get_object(), {"object"}));
  }
}

TEST_F(EventVersions, AWriteComesBackAsItWas) {
  for (size_t i = 0; i < kEvents; ++i) {
    const std::string place = std::string(kRenamed) + "/" + std::string(api::name_of(core(i)));
    text::Value seen = server_.send({.target = place}).value;
    api::metadata_of(seen.get_object())["labels"] = text::Object{{"again", "yes"}};
    const TrafficAnswer written = server_.send({.method = "PUT", .target = place, .body = text::to_json(seen)});
    ASSERT_EQ(written.status, 200U) << written.text;
    const TrafficAnswer stored =
        server_.send({.target = std::string(kCore) + "/" + std::string(api::name_of(core(i)))});
    expect_same(stored.object(), written.object());
    EXPECT_EQ(api::string_at(stored.object(), "message"), api::string_at(core(i), "message"));
  }
}

}  // namespace
}  // namespace basalt::tests
