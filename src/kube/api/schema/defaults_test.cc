#include "kube/api/schema/defaults.h"

#include <gtest/gtest.h>

#include <string_view>

#include "kube/api/api_test_values.h"

namespace basalt::api {
namespace {

// spec { mode = "a"; parts: list of { n = 1 }; inner = {} of { deep = true } ; by_name: map of { n = 1 } }
struct World {
  SchemaSet set;
  const Schema* root = nullptr;

  World() {
    Schema& text = set.add("");
    text.shape = Shape::String;
    Schema& number = set.add("");
    number.shape = Shape::Int64;
    Schema& flag = set.add("");
    flag.shape = Shape::Bool;
    Schema& part = object({{.name = "n", .type = &number, .fallback = text::Value(1)}});
    Schema& inner = object({{.name = "deep", .type = &flag, .fallback = text::Value(true)}});
    Schema& parts = set.add("");
    parts.shape = Shape::List;
    parts.element = &part;
    Schema& by_name = set.add("");
    by_name.shape = Shape::Map;
    by_name.element = &part;
    Schema& spec = object({{.name = "by_name", .type = &by_name},
                           {.name = "inner", .type = &inner, .fallback = text::Value(text::Object{})},
                           {.name = "mode", .type = &text, .fallback = text::Value("a")},
                           {.name = "parts", .type = &parts}});
    root = &object({{.name = "spec", .type = &spec}});
  }
  Schema& object(std::vector<SchemaField> fields) {
    Schema& schema = set.add("");
    schema.shape = Shape::Object;
    schema.fields = std::move(fields);
    return schema;
  }
  text::Value filled(std::string_view document) const {
    text::Value value = json(document);
    EXPECT_TRUE(apply_defaults(*root, value));
    return value;
  }
};

TEST(Defaults, fill_what_is_not_given_also_inside_defaults) {
  const World world;
  EXPECT_EQ(world.filled(R"({"spec":{"mode":"b","parts":[{},{"n":5}],"by_name":{"x":{}}}})"),
            json(R"({"spec":{"mode":"b","parts":[{"n":1},{"n":5}],"by_name":{"x":{"n":1}},"inner":{"deep":true}}})"));
}

TEST(Defaults, make_nothing_to_hold_them) {
  const World world;
  EXPECT_EQ(world.filled("{}"), json("{}"));
  EXPECT_EQ(world.filled(R"({"spec":{"inner":{"deep":false}}})"),
            json(R"({"spec":{"inner":{"deep":false},"mode":"a"}})"));
}

TEST(Defaults, pass_over_values_of_a_wrong_type) {
  const World world;
  EXPECT_EQ(world.filled(R"({"spec":7})"), json(R"({"spec":7})"));
  EXPECT_EQ(world.filled(R"({"spec":{"inner":[{}],"parts":{"n":2},"by_name":[{}]}})"),
            json(R"({"spec":{"inner":[{}],"parts":{"n":2},"by_name":[{}],"mode":"a"}})"));
}

TEST(Defaults, AreBoundedInWhatTheyAdd) {
  SchemaSet set;
  Schema& text = set.add("");
  text.shape = Shape::String;
  Schema& part = set.add("");
  part.shape = Shape::Object;
  part.fields = {{.name = "d", .type = &text, .fallback = text::Value(std::string(10'000, 'x'))}};
  Schema& parts = set.add("");
  parts.shape = Shape::List;
  parts.element = &part;
  text::Value few(text::Array(100, text::Object()));
  EXPECT_TRUE(apply_defaults(parts, few));
  text::Value many(text::Array(1'000, text::Object()));
  const auto refused = apply_defaults(parts, many);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
  EXPECT_EQ(refused.error().message,
            "[314]: with its defaults the object grows by more than 3145728 bytes: write shorter lists");
}

TEST(Defaults, AreBoundedInTheFieldsTheyLookAt) {
  SchemaSet set;
  Schema& text = set.add("");
  text.shape = Shape::String;
  Schema& part = set.add("");
  part.shape = Shape::Object;
  for (int i = 10'000; i < 20'000; ++i) part.fields.push_back({.name = std::to_string(i), .type = &text});
  Schema& parts = set.add("");
  parts.shape = Shape::List;
  parts.element = &part;
  text::Value few(text::Array(100, text::Object()));
  EXPECT_TRUE(apply_defaults(parts, few));
  text::Value many(text::Array(10'000, text::Object()));
  EXPECT_FALSE(apply_defaults(parts, many));
}

}  // namespace
}  // namespace basalt::api
