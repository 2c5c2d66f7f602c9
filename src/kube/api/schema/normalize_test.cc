#include "kube/api/schema/normalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/api/api_test_values.h"
#include "kube/api/schema/defaults.h"

namespace basalt::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Types {
  SchemaSet set;

  const Schema* plain(Shape shape) {
    Schema& schema = set.add("");
    schema.shape = shape;
    return &schema;
  }
  const Schema* list(const Schema* element) {
    Schema& schema = set.add("");
    schema.shape = Shape::List;
    schema.element = element;
    return &schema;
  }
  const Schema* map(const Schema* element) {
    Schema& schema = set.add("");
    schema.shape = Shape::Map;
    schema.element = element;
    return &schema;
  }
  Schema& object(std::vector<SchemaField> fields) {
    Schema& schema = set.add("");
    schema.shape = Shape::Object;
    std::ranges::sort(fields, {}, &SchemaField::name);
    schema.fields = std::move(fields);
    return schema;
  }
};

SchemaField field(std::string name, const Schema* type, WhenEmpty when_empty = WhenEmpty::Keep) {
  return {.name = std::move(name), .type = type, .when_empty = when_empty};
}

// What a document of one field `x` of the given type becomes; "error: …" when it is refused.
std::string with_x(const Schema* type, std::string_view x, WhenEmpty when_empty = WhenEmpty::Keep) {
  Types types;
  const Schema& root = types.object({field("x", type, when_empty)});
  text::Value document = json(std::string("{\"x\":") + std::string(x) + "}");
  const auto unknown = normalize(root, document);
  return unknown ? text::to_json(document) : "error: " + unknown.error().message;
}

TEST(Normalize, drops_unknown_fields_and_names_them) {
  Types types;
  const Schema* port = &types.object({field("port", types.plain(Shape::Int32))});
  const Schema& root = types.object({field("ports", types.list(port)), field("labels", types.map(port))});
  text::Value document = json(R"({"a":1,"ports":[{"port":1,"b":2},{"c":null}],"labels":{"k.io/x":{"d":1}}})");
  const auto unknown = normalize(root, document);
  ASSERT_TRUE(unknown.has_value());
  EXPECT_THAT(*unknown, ::testing::UnorderedElementsAre("a", "ports[0].b", "ports[1].c", "labels.k.io/x.d"));
  EXPECT_EQ(document, json(R"({"ports":[{"port":1},{}],"labels":{"k.io/x":{}}})"));
}

TEST(Normalize, null_is_not_given_and_empty_values_follow_the_tags) {
  Types types;
  const Schema* text = types.plain(Shape::String);
  EXPECT_EQ(with_x(text, "null"), "{}");
  EXPECT_EQ(with_x(text, "null", WhenEmpty::Write), R"({"x":""})");
  EXPECT_EQ(with_x(text, "\"\""), R"({"x":""})");
  EXPECT_EQ(with_x(text, "\"\"", WhenEmpty::Omit), "{}");
  EXPECT_EQ(with_x(types.plain(Shape::Int32), "0", WhenEmpty::Omit), "{}");
  EXPECT_EQ(with_x(types.plain(Shape::Bool), "false", WhenEmpty::Omit), "{}");
  EXPECT_EQ(with_x(types.list(text), "[]", WhenEmpty::Omit), "{}");
  EXPECT_EQ(with_x(types.list(text), "[]", WhenEmpty::Write), R"({"x":null})");
  EXPECT_EQ(with_x(types.map(text), "{}", WhenEmpty::Write), R"({"x":null})");
  EXPECT_EQ(with_x(types.plain(Shape::Time), "null", WhenEmpty::Write), R"({"x":null})");
  EXPECT_EQ(with_x(types.plain(Shape::IntOrString), "\"\"", WhenEmpty::Write), R"({"x":""})");
}

TEST(Normalize, written_objects_have_their_own_written_fields) {
  Types types;
  const Schema* inner = &types.object({field("name", types.plain(Shape::String), WhenEmpty::Write)});
  EXPECT_EQ(with_x(inner, "null", WhenEmpty::Write), R"({"x":{"name":""}})");
  EXPECT_EQ(with_x(types.list(inner), "[null]"), R"({"x":[{"name":""}]})");
  EXPECT_EQ(with_x(types.map(types.plain(Shape::String)), R"({"a":null})"), R"({"x":{"a":""}})");
}

TEST(Normalize, whole_numbers_are_read_as_go_reads_them) {
  Types types;
  const Schema* narrow = types.plain(Shape::Int32);
  EXPECT_EQ(with_x(narrow, "2147483647"), R"({"x":2147483647})");
  EXPECT_THAT(with_x(narrow, "2147483648"),
              HasSubstr("cannot unmarshal number 2147483648 into Go struct field x of type int32"));
  EXPECT_THAT(with_x(narrow, "1.0"), HasSubstr("of type int32"));
  EXPECT_THAT(with_x(narrow, "\"1\""), HasSubstr("cannot unmarshal string into Go struct field x of type int32"));
  EXPECT_EQ(with_x(types.plain(Shape::Int64), "9223372036854775807"), R"({"x":9223372036854775807})");
  EXPECT_THAT(with_x(types.plain(Shape::Int64), "9223372036854775808"), HasSubstr("of type int64"));
  EXPECT_EQ(with_x(types.plain(Shape::Number), "5.0"), R"({"x":5})");
  EXPECT_EQ(with_x(types.plain(Shape::Number), "0.5"), R"({"x":0.5})");
  EXPECT_EQ(with_x(types.plain(Shape::IntOrString), "80"), R"({"x":80})");
  EXPECT_EQ(with_x(types.plain(Shape::IntOrString), "\"http\""), R"({"x":"http"})");
  EXPECT_THAT(with_x(types.plain(Shape::IntOrString), "1.5"), HasSubstr("error"));
}

TEST(Normalize, quantities_become_canonical) {
  Types types;
  const Schema* quantity = types.plain(Shape::Quantity);
  EXPECT_EQ(with_x(quantity, "\"0.5\""), R"({"x":"500m"})");
  EXPECT_EQ(with_x(quantity, "\"1024Mi\""), R"({"x":"1Gi"})");
  EXPECT_EQ(with_x(quantity, "\" 2 \""), R"({"x":"2"})");
  EXPECT_EQ(with_x(quantity, "2"), R"({"x":"2"})");
  EXPECT_EQ(with_x(quantity, "0.1"), R"({"x":"100m"})");
  EXPECT_EQ(with_x(types.map(quantity), R"({"cpu":"2000m"})"), R"({"x":{"cpu":"2"}})");
  EXPECT_EQ(with_x(types.map(quantity), R"({"cpu":null})"), R"({"x":{"cpu":"0"}})");
  EXPECT_THAT(with_x(quantity, "\"two\""), HasSubstr("quantities must match"));
  EXPECT_THAT(with_x(quantity, "\"\""), HasSubstr("quantities must match"));
  EXPECT_THAT(with_x(quantity, "true"), HasSubstr("error"));
}

TEST(Normalize, times_become_canonical) {
  Types types;
  const Schema* time = types.plain(Shape::Time);
  EXPECT_EQ(with_x(time, "\"2024-05-01T14:00:00.75+02:00\""), R"({"x":"2024-05-01T12:00:00Z"})");
  EXPECT_EQ(with_x(time, "\"0001-01-01T00:00:00Z\""), "{}");
  EXPECT_THAT(with_x(time, "\"yesterday\""), HasSubstr("RFC 3339"));
  EXPECT_THAT(with_x(time, "\"\""), HasSubstr("RFC 3339"));
  EXPECT_THAT(with_x(time, "5"), HasSubstr("error"));
  const Schema* micro = types.plain(Shape::MicroTime);
  EXPECT_EQ(with_x(micro, "\"2024-05-01T14:00:00.000001+02:00\""), R"({"x":"2024-05-01T12:00:00.000001Z"})");
  EXPECT_THAT(with_x(micro, "\"2024-05-01T14:00:00Z\""), HasSubstr("six digits"));
  EXPECT_THAT(with_x(micro, "\"2024-05-01T14:00:00.0000001Z\""), HasSubstr("six digits"));
}

TEST(Normalize, bytes_are_base64) {
  Types types;
  const Schema* bytes = types.plain(Shape::Bytes);
  EXPECT_EQ(with_x(bytes, "\"aGVsbG8=\""), R"({"x":"aGVsbG8="})");
  EXPECT_EQ(with_x(bytes, "\"aGVs\\nbG8=\""), R"({"x":"aGVsbG8="})");
  EXPECT_EQ(with_x(bytes, "\"aGVsbG9=\""), R"({"x":"aGVsbG8="})");  // bits beyond the last byte
  EXPECT_THAT(with_x(bytes, "\"aGVsbG8\""), HasSubstr("base64"));
  EXPECT_THAT(with_x(bytes, "\"a===\""), HasSubstr("base64"));
  EXPECT_THAT(with_x(bytes, "\"a=bc\""), HasSubstr("base64"));
  EXPECT_THAT(with_x(bytes, "\"äöüß\""), HasSubstr("base64"));
}

TEST(Normalize, wrong_types_name_kind_and_path) {
  Types types;
  const Schema* inner = &types.object({field("on", types.plain(Shape::Bool))});
  const Schema& root = types.object({field("spec", types.list(inner)), field("kind", types.plain(Shape::String)),
                                     field("apiVersion", types.plain(Shape::String))});
  text::Value document = json(R"({"apiVersion":"apps/v1","kind":"Thing","spec":[{},{"on":"yes"}]})");
  const auto result = normalize(root, document);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, 400);
  EXPECT_EQ(result.error().reason, "BadRequest");
  EXPECT_THAT(result.error().message, HasSubstr(R"(Thing in version "v1" cannot be handled as a Thing: )"));
  EXPECT_THAT(result.error().message,
              HasSubstr("cannot unmarshal string into Go struct field spec[1].on of type bool"));
  for (const char* wrong : {"[]", "null", "5", "\"x\""}) {
    text::Value other = json(wrong);
    EXPECT_FALSE(normalize(root, other).has_value()) << wrong;
  }
}

TEST(Normalize, reports_a_bounded_number_of_unknown_fields) {
  Types types;
  const Schema& root = types.object({});
  text::Object many;
  for (int i = 0; i < 5000; ++i) many["f" + std::to_string(i)] = i;
  text::Value document = many;
  const auto unknown = normalize(root, document);
  ASSERT_TRUE(unknown.has_value());
  EXPECT_EQ(unknown->size(), kMaxUnknownFields);
  EXPECT_EQ(text::to_json(document), "{}");
}

TEST(Normalize, a_type_that_holds_itself_ends_with_the_document) {
  Types types;
  Schema& node = types.object({});
  node.fields.push_back(field("next", &node));
  text::Value document = text::Object{};
  for (size_t i = 0; i < text::kMaxJsonDepth + 50; ++i) document = text::Object{{"next", std::move(document)}};
  EXPECT_FALSE(normalize(node, document).has_value());
}

TEST(NormalizeCustom, prunes_by_value_and_keeps_wrong_types) {
  Types types;
  const Schema* text = types.plain(Shape::String);
  Schema& open = types.object({field("known", &types.object({field("a", text)}))});
  open.preserve_unknown = true;
  Schema& root = types.object({field("s", text), field("open", &open), field("items", types.list(text))});
  text::Value document =
      json(R"({"s":7,"extra":1,"open":{"known":{"a":"x","b":1},"free":{"deep":[1]}},"items":[{"gone":1},"x"]})");
  const auto unknown = normalize_custom(root, document);
  ASSERT_TRUE(unknown.has_value());
  EXPECT_THAT(*unknown, ::testing::UnorderedElementsAre("extra", "open.known.b", "items[0].gone"));
  EXPECT_EQ(document, json(R"({"s":7,"open":{"known":{"a":"x"},"free":{"deep":[1]}},"items":[{},"x"]})"));
}

TEST(NormalizeCustom, doubles_without_a_fraction_are_kept_as_whole_numbers) {
  Types types;
  Schema& free = types.object({});
  free.preserve_unknown = true;
  const Schema& root = types.object({field("count", types.plain(Shape::Int32)), field("free", &free)});
  text::Value document = json(R"({"count":2.0,"free":{"a":[4e0,1.5,{"b":-3.0}],"big":1e18}})");
  ASSERT_TRUE(normalize_custom(root, document).has_value());
  EXPECT_EQ(text::to_json(document), R"({"count":2,"free":{"a":[4,1.5,{"b":-3}],"big":1e+18}})");
}

TEST(NormalizeCustom, nulls_go_unless_they_mean_something) {
  Types types;
  const Schema* text = types.plain(Shape::String);
  SchemaField nullable = field("nullable", text);
  nullable.nullable = true;
  SchemaField with_default = field("with_default", text);
  with_default.fallback = text::Value("d");
  SchemaField both = field("both", text);
  both.nullable = true;
  both.fallback = text::Value("d");
  Schema& root = types.object({field("plain", text), nullable, with_default, both, field("map", types.map(text)),
                               field("list", types.list(text))});
  text::Value document =
      json(R"({"plain":null,"nullable":null,"with_default":null,"both":null,"map":{"a":null,"b":"x"},"list":[null]})");
  const auto unknown = normalize_custom(root, document);
  ASSERT_TRUE(unknown.has_value());
  EXPECT_THAT(*unknown, IsEmpty());
  EXPECT_EQ(document, json(R"({"nullable":null,"with_default":null,"both":null,"map":{"b":"x"},"list":[null]})"));
  EXPECT_TRUE(apply_defaults(root, document));
  EXPECT_EQ(document, json(R"({"nullable":null,"with_default":"d","both":null,"map":{"b":"x"},"list":[null]})"));
}

TEST(NormalizeCustom, metadata_is_read_as_a_struct) {
  Types types;
  const Schema* text = types.plain(Shape::String);
  const Schema* meta = &types.object(
      {field("name", text, WhenEmpty::Omit), field("creationTimestamp", types.plain(Shape::Time), WhenEmpty::Omit)});
  Schema& root = types.object({field("metadata", meta), field("kind", text), field("apiVersion", text)});
  root.embedded_resource = true;
  text::Value document = json(R"({"kind":"K","metadata":{"name":"n","creationTimestamp":null,"foo":1},"other":1})");
  const auto unknown = normalize_custom(root, document);
  ASSERT_TRUE(unknown.has_value());
  EXPECT_THAT(*unknown, ::testing::UnorderedElementsAre("metadata.foo", "other"));
  EXPECT_EQ(document, json(R"({"kind":"K","metadata":{"name":"n"}})"));
  for (const char* wrong : {R"({"metadata":{"name":5}})", R"({"metadata":"x"})", R"({"kind":5})", "[]"}) {
    text::Value bad = json(wrong);
    const auto result = normalize_custom(root, bad);
    ASSERT_FALSE(result.has_value()) << wrong;
    EXPECT_EQ(result.error().code, 400);
  }
}

TEST(NormalizeCustom, unspecified_additional_properties_keep_scalars_only) {
  Types types;
  Schema& root = types.object({field("m", types.map(types.plain(Shape::Any)))});
  text::Value document = json(R"({"m":{"a":1,"b":{"c":1},"d":[{"e":1},2],"n":null}})");
  ASSERT_TRUE(normalize_custom(root, document).has_value());
  EXPECT_EQ(document, json(R"({"m":{"a":1,"b":{},"d":[{},2],"n":null}})"));
}

TEST(Normalize, IsBoundedInWhatIsAlwaysWritten) {
  const Schema& pod = *builtin_schemas().find("io.k8s.api.core.v1.Pod");
  const auto pod_with = [](size_t containers) {
    text::Value value(text::Object{{"spec", text::Object{{"containers", text::Array(containers, text::Object())}}}});
    return value;
  };
  text::Value usual = pod_with(1'000);
  EXPECT_TRUE(normalize(pod, usual));
  text::Value huge = pod_with(300'000);
  const auto refused = normalize(pod, huge);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 413);
  EXPECT_NE(refused.error().message.find("spec.containers["), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace basalt::api
