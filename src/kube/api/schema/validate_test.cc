#include "kube/api/schema/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/api/api_test_values.h"
#include "kube/api/schema/formats.h"
#include "kube/api/schema/structural.h"

namespace basalt::api {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Subjected {
  SchemaSet set;
  const Schema* schema = nullptr;

  // An object whose field `x` has the given schema.
  explicit Subjected(std::string_view x) {
    Causes causes;
    schema =
        compile_structural(json(R"({"type":"object","properties":{"x":)" + std::string(x) + "}}"), set, causes, "");
    for (const Cause& cause : causes.list()) ADD_FAILURE() << cause.field << ": " << cause.message;
  }
  [[nodiscard]] std::vector<std::string> wrong(std::string_view x, bool with_messages = false) const {
    Causes causes;
    validate_value(*schema, json(R"({"x":)" + std::string(x) + "}"), causes);
    std::vector<std::string> found;
    for (const Cause& cause : causes.list()) {
      found.push_back(cause.reason + " " + cause.field + (with_messages ? " " + cause.message : ""));
    }
    return found;
  }
};

TEST(Validate, types) {
  const Subjected whole(R"({"type":"integer"})");
  EXPECT_THAT(whole.wrong("5"), IsEmpty());
  EXPECT_THAT(whole.wrong("5.0"), IsEmpty());
  EXPECT_THAT(whole.wrong("5.5"), ElementsAre("FieldValueTypeInvalid x", "FieldValueInvalid <nil>"));
  EXPECT_THAT(whole.wrong("\"5\"", true),
              ElementsAre("FieldValueTypeInvalid x Invalid value: \"string\": x in body must be of type integer: "
                          "\"string\""));
  EXPECT_THAT(whole.wrong("null"), ElementsAre("FieldValueTypeInvalid x"));
  EXPECT_THAT(Subjected(R"({"type":"integer","format":"int32"})").wrong("2147483648"),
              ElementsAre("FieldValueInvalid <nil>"));
  EXPECT_THAT(Subjected(R"({"type":"string","nullable":true})").wrong("null"), IsEmpty());
  EXPECT_THAT(Subjected(R"({"type":"number"})").wrong("5"), IsEmpty());
  EXPECT_THAT(Subjected(R"({"type":"boolean"})").wrong("0"), ElementsAre("FieldValueTypeInvalid x"));
  EXPECT_THAT(Subjected(R"({"type":"object"})").wrong("[]"), ElementsAre("FieldValueTypeInvalid x"));
  EXPECT_THAT(Subjected(R"({"type":"array","items":{"type":"string"}})").wrong("[\"a\",1,null]"),
              ElementsAre("FieldValueTypeInvalid x[1]", "FieldValueTypeInvalid x[2]"));
  EXPECT_THAT(Subjected(R"({"type":"object","additionalProperties":{"type":"string"}})").wrong(R"({"a":1})"),
              ElementsAre("FieldValueTypeInvalid x.a"));
}

TEST(Validate, limits) {
  const Subjected number(R"({"type":"number","minimum":1,"maximum":5,"exclusiveMaximum":true})");
  EXPECT_THAT(number.wrong("1"), IsEmpty());
  EXPECT_THAT(number.wrong("4.5"), IsEmpty());
  EXPECT_THAT(number.wrong("5", true),
              ElementsAre("FieldValueInvalid x Invalid value: 5: x in body should be less than 5"));
  EXPECT_THAT(number.wrong("0.5"), ElementsAre("FieldValueInvalid x"));
  const Subjected halves(R"({"type":"number","multipleOf":0.5})");
  EXPECT_THAT(halves.wrong("1.5"), IsEmpty());
  EXPECT_THAT(halves.wrong("1.2"), ElementsAre("FieldValueInvalid x"));
  EXPECT_THAT(halves.wrong("1"),
              ElementsAre("FieldValueInvalid x"));  // as in Kubernetes: 1 is no multiple of a whole 0
  EXPECT_THAT(Subjected(R"({"type":"integer","multipleOf":3})").wrong("9"), IsEmpty());
  EXPECT_THAT(Subjected(R"({"type":"integer","multipleOf":3})").wrong("10"), ElementsAre("FieldValueInvalid x"));
  const Subjected text(R"({"type":"string","minLength":2,"maxLength":3,"pattern":"^[a-zäö]+$"})");
  EXPECT_THAT(text.wrong("\"äö\""), IsEmpty());  // characters, not bytes
  EXPECT_THAT(text.wrong("\"a\""), ElementsAre("FieldValueInvalid x"));
  EXPECT_THAT(text.wrong("\"abcd\""), ElementsAre("FieldValueTooLong x"));
  EXPECT_THAT(text.wrong("\"AB\"", true), ElementsAre(HasSubstr("x in body should match '^[a-zäö]+$'")));
  const Subjected list(R"({"type":"array","minItems":1,"maxItems":2,"items":{"type":"string"}})");
  EXPECT_THAT(list.wrong("[]"), ElementsAre("FieldValueInvalid x"));
  EXPECT_THAT(list.wrong(R"(["a","b","c"])"), ElementsAre("FieldValueTooMany x"));
  const Subjected map(
      R"({"type":"object","minProperties":1,"maxProperties":1,"additionalProperties":{"type":"string"}})");
  EXPECT_THAT(map.wrong("{}"), ElementsAre("FieldValueInvalid x"));
  EXPECT_THAT(map.wrong(R"({"a":"","b":""})"), ElementsAre("FieldValueTooMany x"));
  const Subjected choice(R"({"type":"integer","enum":[1,2]})");
  EXPECT_THAT(choice.wrong("2.0"), IsEmpty());
  EXPECT_THAT(choice.wrong("3", true),
              ElementsAre("FieldValueNotSupported x Unsupported value: 3: supported values: \"1\", \"2\""));
}

TEST(Validate, required_fields) {
  const Subjected object(R"({"type":"object","required":["a","b"],"properties":{"a":{"type":"string"}}})");
  EXPECT_THAT(object.wrong("{}"), ElementsAre("FieldValueRequired x.a", "FieldValueRequired x.b"));
}

TEST(Validate, sets_and_maps_have_no_duplicates) {
  const Subjected set(R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})");
  EXPECT_THAT(set.wrong(R"(["a","b"])"), IsEmpty());
  EXPECT_THAT(set.wrong(R"(["a","b","a","a"])"), ElementsAre("FieldValueDuplicate x[2]"));
  const Subjected map(R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"],
      "items":{"type":"object","required":["a"],
               "properties":{"a":{"type":"string"},"b":{"type":"integer","default":1}}}})");
  EXPECT_THAT(map.wrong(R"([{"a":"x","b":1},{"a":"x","b":2}])"), IsEmpty());
  EXPECT_THAT(map.wrong(R"([{"a":"x","b":1},{"b":1,"a":"x"}])"), ElementsAre("FieldValueDuplicate x[1]"));
}

TEST(Validate, junctors) {
  const Subjected any(R"({"type":"string","anyOf":[{"pattern":"^a"},{"maxLength":1}]})");
  EXPECT_THAT(any.wrong("\"abc\""), IsEmpty());
  EXPECT_THAT(any.wrong("\"b\""), IsEmpty());
  EXPECT_THAT(any.wrong("\"bcd\"", true), Contains(HasSubstr("must validate at least one schema (anyOf)")));
  const Subjected one(R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
                          "oneOf":[{"required":["a"]},{"required":["b"]}]})");
  EXPECT_THAT(one.wrong(R"({"a":""})"), IsEmpty());
  EXPECT_THAT(one.wrong(R"({"a":"","b":""})", true), ElementsAre(HasSubstr("Found 2 valid alternatives")));
  EXPECT_THAT(one.wrong("{}", true), Contains(HasSubstr("Found none valid")));
  const Subjected none(R"({"type":"string","not":{"enum":["default"]}})");
  EXPECT_THAT(none.wrong("\"x\""), IsEmpty());
  EXPECT_THAT(none.wrong("\"default\""), ElementsAre("FieldValueInvalid <nil>"));
  const Subjected all(R"({"type":"string","allOf":[{"minLength":2},{"pattern":"^a"}]})");
  EXPECT_THAT(all.wrong("\"ab\""), IsEmpty());
  EXPECT_THAT(all.wrong("\"b\"").size(), 3);
}

TEST(Validate, an_update_does_not_complain_about_what_was_there) {
  const Subjected list(R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
      "items":{"type":"object","required":["k"],
               "properties":{"k":{"type":"string"},"v":{"type":"string","maxLength":1}}}})");
  const text::Value old = json(R"({"x":[{"k":"a","v":"long"},{"k":"b"}]})");
  Causes causes;
  validate_value_update(*list.schema, json(R"({"x":[{"k":"b","v":"c"},{"k":"a","v":"long"}]})"), old, causes);
  EXPECT_TRUE(causes.empty());
  validate_value_update(*list.schema, json(R"({"x":[{"k":"b","v":"new"},{"k":"a","v":"long"}]})"), old, causes);
  ASSERT_EQ(causes.list().size(), 1U);
  EXPECT_EQ(causes.list()[0].field, "x[0].v");
}

TEST(Validate, stops_after_many_causes) {
  const Subjected list(R"({"type":"array","items":{"type":"string"}})");
  std::string many = "[1";
  for (int i = 0; i < 1000; ++i) many += ",1";
  EXPECT_LE(list.wrong(many + "]").size(), kMaxValidationCauses + 2);
}

TEST(Formats, accept_and_refuse) {
  struct Row {
    const char *format, *good, *bad;
  };
  for (const Row& row : {Row{"date-time", "2024-02-29T23:59:59.5+01:00", "2023-02-29T00:00:00Z"},
                         {"date-time", "2024-02-29t00:00:00z", "2024-02-29"},
                         {"date", "2024-12-31", "2024-13-01"},
                         {"date", "1600-02-29", "1900-02-29"},
                         {"byte", "aGVsbG8=", "a"},
                         {"duration", "1h30m", "soon"},
                         {"duration", "5 days", "5"},
                         {"ipv4", "10.0.0.1", "10.0.0"},
                         {"ipv6", "::1", "10.0.0.1"},
                         {"cidr", "10.0.0.0/8", "10.0.0.0/33"},
                         {"uuid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810"},
                         {"hostname", "a.example.com", "-a"},
                         {"email", "a@example.com", "a"},
                         {"uri", "https://example.com/x", "example"},
                         {"mac", "00:00:5e:00:53:01", "00:00"},
                         {"k8s-short-name", "a-1", "A"}}) {
    EXPECT_TRUE(has_format(row.format, row.good)) << row.format << " " << row.good;
    EXPECT_FALSE(has_format(row.format, row.bad)) << row.format << " " << row.bad;
  }
  EXPECT_FALSE(is_known_format("colour"));
  EXPECT_TRUE(has_format("colour", "anything"));
  EXPECT_THAT(Subjected(R"({"type":"string","format":"date-time"})").wrong("\"x\""),
              ElementsAre("FieldValueTypeInvalid x"));
}

// Values times validations: either alone is small.
TEST(Validate, is_bounded_in_its_steps) {
  constexpr std::string_view kSpent = "takes more than 10000000 steps";
  const std::string numbers = "[" + repeated("1,", 20'000) + "1]";
  const Subjected many_limits(R"({"type":"array","items":{"type":"integer","allOf":[)" +
                              repeated(R"({"minimum":0},)", 1'000) + R"({"minimum":0}]}})");
  EXPECT_THAT(many_limits.wrong("[1,2,3]"), IsEmpty());
  EXPECT_THAT(many_limits.wrong(numbers, true),
              ElementsAre(::testing::AllOf(::testing::StartsWith("FieldValueForbidden x["), HasSubstr(kSpent))));
  const Subjected many_values(R"({"type":"array","items":{"type":"integer","enum":[)" + repeated("0,", 1'000) + "1]}}");
  EXPECT_THAT(many_values.wrong("[1,1,1]"), IsEmpty());
  EXPECT_THAT(many_values.wrong(numbers, true), ElementsAre(HasSubstr(kSpent)));
  std::string fields;
  for (int i = 0; i < 1'000; ++i) fields += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + R"(":{"type":"integer"})";
  const Subjected many_fields(R"({"type":"array","items":{"type":"object","properties":{)" + fields + "}}}");
  EXPECT_THAT(many_fields.wrong("[{},{}]"), IsEmpty());
  EXPECT_THAT(many_fields.wrong("[" + repeated("{},", 20'000) + "{}]", true), ElementsAre(HasSubstr(kSpent)));
}

TEST(Validate, is_bounded_in_the_bytes_that_patterns_read) {
  // Its states do not fit into memory, so that each byte may cost as much as the pattern is large.
  const Subjected large(R"({"type":"string","pattern":"(a|b)*a(a|b){400}c"})");
  EXPECT_THAT(large.wrong("\"ab\""), ElementsAre("FieldValueInvalid x"));
  EXPECT_THAT(large.wrong("\"" + repeated("abbabaab", 100'000) + "\"", true),
              ElementsAre(HasSubstr("takes more than 10000000 steps")));
  EXPECT_THAT(Subjected(R"({"type":"string","pattern":"^[a-b]+$"})").wrong("\"" + repeated("abbabaab", 100'000) + "\""),
              IsEmpty());
}

TEST(Validate, the_steps_of_all_defaults_are_counted_together) {
  // Each level has a default of its own with a list that is checked against the same limits.
  const std::string numbers = "[" + repeated("1,", 300) + "1]";
  std::string schema = R"({"type":"array","items":{"type":"integer","allOf":[)" + repeated(R"({"minimum":0},)", 500) +
                       R"({"minimum":0}]},"default":)" + numbers + "}";
  for (size_t level = 0; level < 10; ++level) {
    schema = R"({"type":"object","properties":{"x":)" + schema + R"(},"default":{)" + repeated("\"x\":{", level) +
             "\"x\":" + numbers + repeated("}", level) + "}}";
  }
  SchemaSet set;
  Causes causes;
  EXPECT_EQ(compile_structural(json(R"({"type":"object","properties":{"x":)" + schema + "}}"), set, causes, "s"),
            nullptr);
  ASSERT_FALSE(causes.empty());
  EXPECT_THAT(causes.list().front().message, HasSubstr("takes more than 1000000 steps"));
}

// The former element is found by its keys, not by a search through the list.
TEST(Validate, updates_of_long_list_maps) {
  const Subjected keyed(R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
      "items":{"type":"object","required":["k"],"properties":{"k":{"type":"integer"},
      "v":{"type":"integer","maximum":1}}}})");
  std::string elements;
  for (int i = 0; i < 50'000; ++i) elements += "{\"k\":" + std::to_string(i) + ",\"v\":5},";
  const text::Value old = json(R"({"x":[)" + elements + R"({"k":-1}]})");
  const text::Value next = json(R"({"x":[{"k":-2,"v":7},)" + elements + R"({"k":-1}]})");
  Causes causes;
  validate_value_update(*keyed.schema, next, old, causes);
  ASSERT_EQ(causes.list().size(), 1U);
  EXPECT_EQ(causes.list().front().field, "x[0].v");
}

}  // namespace
}  // namespace basalt::api
