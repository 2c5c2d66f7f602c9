// Wrong types, everywhere: each field of each kind that is served, in each version, with a value of each other JSON
// type, through each door that takes objects. All are refused with the path of the field, and nothing is stored.
//
// By default every field meets every wrong value, each at another door, and neighbours begin at another one; all pairs
// of value and door with BASALT_TYPES_ALL=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "kube/api/schema/defaults.h"
#include "kube/api/schema/normalize.h"
#include "server/rest/access_reviews.h"
#include "tests/types/all_kinds_fixture.h"
#include "tests/types/field_places.h"

namespace basalt::types {
namespace {

enum class Door : uint8_t { Create, Update, Merge, Strategic, Json, Apply };

constexpr size_t kLeastKinds = 55;       // served kinds and versions
constexpr size_t kLeastPlaces = 20'000;  // of all of them

bool wants_all() { return std::getenv("BASALT_TYPES_ALL") != nullptr; }

bool is_only_asked(const api::ApiResource& resource) { return resource.verbs.size() == 1; }

// Custom kinds with the subresource take status there only: elsewhere it is dropped unseen, as by kube-apiserver.
bool goes_by_status(const api::ApiResource& resource, const FieldPlace& place) {
  return resource.custom && resource.has_status && place.steps.front().name == "status";
}

std::vector<Door> doors_of(const api::ApiResource& resource, const FieldPlace& place) {
  if (is_only_asked(resource)) return {Door::Create};
  if (goes_by_status(resource, place)) return {Door::Update, Door::Merge, Door::Json, Door::Apply};
  if (resource.custom) return {Door::Create, Door::Update, Door::Merge, Door::Json, Door::Apply};
  return {Door::Create, Door::Update, Door::Merge, Door::Strategic, Door::Json, Door::Apply};
}

std::string_view name_of(Door door) {
  constexpr std::string_view kNames[] = {"create",     "update", "merge patch", "strategic merge patch",
                                         "JSON patch", "apply"};
  return kNames[static_cast<size_t>(door)];
}

// The patch that puts every member of `body` into an object; those of metadata one by one, so that the others stay.
text::Array json_patch_of(const text::Object& body) {
  text::Array patch;
  const auto add = [&patch](std::string path, const text::Value& value) {
    patch.push_back({{"op", "add"}, {"path", std::move(path)}, {"value", value}});
  };
  for (const auto& member : body) {
    const text::Object* metadata = member.key() == "metadata" ? member.value().if_object() : nullptr;
    if (metadata == nullptr || metadata->empty()) {
      add("/" + std::string(member.key()), member.value());
      continue;
    }
    for (const auto& part : *metadata) add("/metadata/" + std::string(part.key()), part.value());
  }
  return patch;
}

api::PatchType patch_of(Door door) {
  switch (door) {
    case Door::Apply:
      return api::PatchType::Apply;
    case Door::Strategic:
      return api::PatchType::Strategic;
    case Door::Json:
      return api::PatchType::Json;
    default:
      return api::PatchType::Merge;
  }
}

class Attempts {
 public:
  explicit Attempts(AllKindsFixture& world) : world_(world) {}

  size_t places = 0, requests = 0;

  void try_all(const api::ApiResource& resource) {
    for (const FieldPlace& place : places_of(*resource.schema)) {
      const std::vector<text::Value> values = wrong_values(*place.type);
      if (values.empty()) continue;
      const std::vector<Door> doors = doors_of(resource, place);
      for (size_t i = 0; i < values.size(); ++i) {
        if (wants_all()) {
          for (const Door door : doors) refused(resource, place, values[i], door);
        } else {
          refused(resource, place, values[i], doors[(places + i) % doors.size()]);
        }
        if (testing::Test::HasFailure()) return;  // one is enough to read
      }
      ++places;
    }
  }

 private:
  client::ReplyOrError send(const api::ApiResource& resource, api::Call call) {
    if (!server::is_review(resource)) return world_.send(std::move(call));
    const server::ApiOutcome outcome =
        server::answer_review(resource, call, {.name = "tester", .uid = "", .groups = {}});
    if (!outcome) return std::unexpected(outcome.error());
    return client::Reply{};
  }

  void refused(const api::ApiResource& resource, const FieldPlace& place, const text::Value& value, Door door) {
    const api::Verb verb = door == Door::Create   ? api::Verb::Create
                           : door == Door::Update ? api::Verb::Update
                                                  : api::Verb::Patch;
    api::Call call = AllKindsFixture::call(resource, verb);
    call.patch = patch_of(door);
    call.force = door == Door::Apply;
    if (goes_by_status(resource, place)) call.subresource = "status";
    const bool whole = verb != api::Verb::Patch || door == Door::Apply;
    text::Object body = whole ? world_.start(resource, verb) : text::Object();
    put(body, place, value);
    call.body = door == Door::Json ? text::Value(json_patch_of(body)) : text::Value(std::move(body));
    const std::string sent = text::to_json(call.body);
    const client::ReplyOrError outcome = send(resource, std::move(call));
    ++requests;
    const auto where = [&] {
      return std::string(name_of(door)) + " of " + resource.storage_name() + " " + resource.version + ": " + sent;
    };
    if (outcome) {
      ADD_FAILURE() << place.path << " was accepted, " << where();
      return;
    }
    const std::string& message = outcome.error().message;
    const bool named = message.contains(place.path) ||
                       (door == Door::Apply && without_brackets(message).contains(without_brackets(place.path)));
    EXPECT_TRUE(named) << place.path << " is not named, " << where() << "\n" << message;
  }

  AllKindsFixture& world_;
};

TEST(FieldTypes, AreCheckedOnEveryDoorOfEveryKind) {
  AllKindsFixture world;
  const store::Revision before = world.revision();
  Attempts attempts(world);
  for (const api::ApiResource& resource : world.kinds().rows()) {
    attempts.try_all(resource);
    if (HasFailure()) break;
  }
  std::cout << "places: " << attempts.places << " in " << world.kinds().rows().size() << " kinds and versions, "
            << attempts.requests << " requests\n";
  EXPECT_EQ(world.revision(), before) << "something was stored";
  EXPECT_GE(world.kinds().rows().size(), kLeastKinds);
  EXPECT_GE(attempts.places, kLeastPlaces);
}

// What the kind stores of an object, before anything but its schema has its say.
text::Value stored_form(const api::ApiResource& resource, text::Object object) {
  text::Value value(std::move(object));
  const auto read =
      resource.custom ? api::normalize_custom(*resource.schema, value) : api::normalize(*resource.schema, value);
  EXPECT_TRUE(read) << read.error().message;
  EXPECT_TRUE(api::apply_defaults(*resource.schema, value));
  return value;
}

// null is "not given", for every field but those that are nullable.
TEST(FieldTypes, NullIsNotGiven) {
  AllKindsFixture world;
  size_t places = 0;
  for (const api::ApiResource& resource : world.kinds().rows()) {
    for (const FieldPlace& place : places_of(*resource.schema)) {
      if (place.steps.back().kind != FieldStep::Kind::Member || place.nullable) continue;
      text::Object with = world.start(resource, api::Verb::Create);
      put(with, place, nullptr);
      text::Object without = with;
      erase(without, place);
      ++places;
      ASSERT_EQ(stored_form(resource, std::move(with)), stored_form(resource, std::move(without)))
          << resource.storage_name() << " " << place.path;
    }
  }
  EXPECT_GE(places, kLeastPlaces / 2);
}

}  // namespace
}  // namespace basalt::types
