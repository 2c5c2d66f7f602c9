// Random objects: nothing crashes, sets survive writing and reading, shortcuts answer as the long way does.
#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"
#include "kube/api/apply/field_changes.h"
#include "kube/api/apply/fields_v1.h"
#include "kube/api/apply/managed_fields.h"
#include "kube/api/apply/ownership.h"
#include "kube/api/strategic_merge.h"
#include "kube/text/rfc3339.h"

namespace basalt::api {
namespace {

using text::Value;

const Schema& pod() { return *builtin_schemas().find("io.k8s.api.core.v1.Pod"); }

Value scalar(Rng& rng) {
  switch (rng.below(6)) {
    case 0:
      return static_cast<int64_t>(rng.below(4));
    case 1:
      return rng.chance(0.5);
    case 2:
      return nullptr;
    case 3:
      return "";
    default:
      return Value(std::string(1, static_cast<char>('a' + rng.below(3))));
  }
}

// A value along `type`: of the right type mostly, with `wild` of any.
Value random_value(Rng& rng, const Schema* type, int depth, bool wild) {
  if (wild && rng.chance(0.05)) return scalar(rng);
  switch (type == nullptr ? Shape::Any : type->shape) {
    case Shape::Object: {
      Value out(boost::json::object_kind);
      for (const SchemaField& field : type->fields) {
        const bool key = field.name == "name" || field.name == "type" || field.name == "containerPort";
        if (depth > 0 && rng.chance(key ? 0.8 : 0.25)) {
          out.get_object()[field.name] = random_value(rng, field.type, depth - 1, wild);
        }
      }
      if (wild && rng.chance(0.1)) out.get_object()["$patch"] = rng.chance(0.5) ? "delete" : "replace";
      return out;
    }
    case Shape::Map: {
      Value out(boost::json::object_kind);
      for (uint64_t i = rng.below(3); i > 0; --i) {
        out.get_object()[std::string(1, static_cast<char>('a' + rng.below(3)))] =
            random_value(rng, type->element, depth - 1, wild);
      }
      return out;
    }
    case Shape::List: {
      Value out(boost::json::array_kind);
      for (uint64_t i = rng.below(3); depth > 0 && i > 0; --i) {
        out.get_array().push_back(random_value(rng, type->element, depth - 1, wild));
      }
      return out;
    }
    case Shape::Bool:
      return rng.chance(0.5);
    case Shape::Int32:
    case Shape::Int64:
    case Shape::Number:
      return static_cast<int64_t>(rng.below(3));
    default:
      return Value(std::string(1, static_cast<char>('a' + rng.below(3))));
  }
}

Value random_pod(Rng& rng, bool wild) {
  Value out = random_value(rng, &pod(), 6, wild);
  if (!out.is_object()) out = Value(boost::json::object_kind);
  out.get_object()["apiVersion"] = "v1";
  out.get_object()["kind"] = "Pod";
  Value& metadata = out.get_object()["metadata"];
  if (!metadata.is_object()) metadata.emplace_object();
  metadata.get_object()["name"] = "x";
  metadata.get_object().erase("managedFields");
  return out;
}

TEST(ApplyProperty, WrittenSetsReadBackTheSame) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    FieldArena arena;
    const Value object = random_pod(rng, false);
    const FieldSet set = fields_of_config(arena, pod(), object);
    const Value written = write_fields(set);
    const auto read = read_fields(arena, written);
    ASSERT_TRUE(read);
    EXPECT_TRUE(same(set, *read)) << text::to_json(written);
    EXPECT_EQ(text::to_json(write_fields(*read)), text::to_json(written));
    EXPECT_TRUE(includes(written, set));
    EXPECT_EQ(touches(written, set), set != nullptr);
  }
}

TEST(ApplyProperty, SetsObeyTheirLaws) {
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    FieldArena arena;
    const Value first = random_pod(rng, false);
    const Value second = random_pod(rng, false);
    const FieldSet a = fields_of_config(arena, pod(), first);
    const FieldSet b = fields_of_config(arena, pod(), second);
    const FieldSet both = intersect(arena, a, b);
    EXPECT_TRUE(same(unite(arena, a, b), unite(arena, b, a)));
    EXPECT_TRUE(same(unite(arena, subtract(arena, a, b), both), a));
    EXPECT_EQ(intersect(arena, subtract(arena, a, b), b), nullptr);
    EXPECT_EQ(touches(write_fields(a), b), both != nullptr);
    EXPECT_EQ(includes(write_fields(a), b), same(both, b));
  }
}

TEST(ApplyProperty, FieldsOfANewObjectAreThoseThatDifferFromAnEmptyOne) {
  Rng rng(3);
  for (int i = 0; i < 300; ++i) {
    FieldArena arena;
    const Value object = random_pod(rng, false);
    const Value empty = empty_object(pod());
    const FieldChanges changes = compare_objects(arena, pod(), empty, object);
    const FieldSet expected = unite(arena, changes.modified, changes.added);
    const FieldSet fields = fields_of_new(arena, pod(), object);
    EXPECT_EQ(text::to_json(write_fields(fields)), text::to_json(write_fields(expected))) << text::to_json(object);
  }
}

// What track_update does without its shortcuts.
Value the_long_way(const Value& old, const Value& next, const FieldManager& writer) {
  FieldArena arena;
  const FieldChanges changes = without_reset_fields(arena, pod(), compare_objects(arena, pod(), old, next), writer);
  const std::string now = text::format_time(writer.now);
  FieldOwner self = owner_of(writer, false);
  self.time = now;
  self.fields = without_identity(arena, unite(arena, changes.modified, changes.added));
  FieldOwners owners = owners_before(arena, nullptr, old.at("metadata").at("managedFields"));
  record_update(arena, owners, changes, self);
  cap_owners(arena, owners);
  return owners.empty() ? Value() : write_owners(owners);
}

TEST(ApplyProperty, ShortcutsOfUpdatesAnswerAsTheLongWay) {
  Rng rng(4);
  for (int i = 0; i < 100; ++i) {
    Value object = random_pod(rng, false);
    object.get_object()["spec"].emplace_object()["nodeName"] = "n";
    track_update(pod(), nullptr, object, {.manager = "m", .api_version = "v1", .now = Instant::from_unix_seconds(1)});
    for (int64_t step = 2; step < 16; ++step) {
      Value next = object;
      if (rng.chance(0.3)) {
        next = random_pod(rng, false);
      } else if (rng.chance(0.8)) {
        next.get_object()["spec"].as_object()["nodeName"] = scalar(rng);
      }
      next.get_object()["metadata"].get_object().erase("managedFields");
      if (!next.get_object()["spec"].is_object()) next.get_object()["spec"].emplace_object();
      const FieldManager writer{.manager = "m" + std::to_string(rng.below(3)),
                                .api_version = "v1",
                                .subresource = rng.chance(0.3) ? "status" : "",
                                .now = Instant::from_unix_seconds(step)};
      const Value expected = the_long_way(object, next, writer);
      track_update(pod(), &object, next, writer);
      const Value* entries = text::find_member(next.at("metadata"), "managedFields");
      EXPECT_EQ(text::to_json(entries == nullptr ? Value() : *entries), text::to_json(expected));
      if (entries == nullptr) break;
      object = std::move(next);
    }
  }
}

TEST(ApplyProperty, NothingCrashesOnWildDocuments) {
  Rng rng(5);
  const FieldManager writer{.manager = "m", .api_version = "v1", .now = Instant::from_unix_seconds(1)};
  Value live;
  for (int i = 0; i < 400; ++i) {
    const Value config = random_pod(rng, true);
    auto applied = apply_config(pod(), live.is_null() ? nullptr : &live, config, writer, rng.chance(0.5));
    if (applied && rng.chance(0.9)) live = std::move(*applied);
    Value next = random_pod(rng, true);
    if (rng.chance(0.3))
      next.get_object()["metadata"].get_object()["managedFields"] = random_value(rng, nullptr, 2, true);
    track_update(pod(), live.is_null() ? nullptr : &live, next, writer);
    (void)strategic_merge(pod(), live.is_null() ? next : live, config);
    (void)strategic_merge(pod(), next, config);
  }
}

}  // namespace
}  // namespace basalt::api
