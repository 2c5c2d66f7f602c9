#include "kube/text/field.h"

#include <gtest/gtest.h>

#include <vector>

#include "kube/text/yaml.h"

namespace basalt::text {
namespace {

class FieldTest : public testing::Test {
 protected:
  Value doc_ = parse_json(R"({"spec": {"minMember": "x", "n": 3, "big": 3000000000, "f": 5.0, "none": null,
                                       "list": [{"a": 1}, {"a": "b"}], "tags": {"a/b": 7}}})")
                   .value();
  Field spec_ = Field(doc_).field("spec");

  template <class T>
  static std::string message(const Result<T>& result) {
    return result ? "no error" : result.error().message;
  }
};

TEST_F(FieldTest, ReadsTypedValues) {
  EXPECT_EQ(spec_.field("n").as_int().value(), 3);
  EXPECT_EQ(spec_.field("n").as_double().value(), 3.0);
  EXPECT_EQ(spec_.field("f").as_double().value(), 5.0);
  EXPECT_EQ(spec_.field("list").at(0).field("a").as_int32().value(), 1);
  EXPECT_EQ(spec_.field("n").as_text().value(), "3");
}

TEST_F(FieldTest, NamesPathAndWhatStandsThere) {
  EXPECT_EQ(message(spec_.field("minMember").as_int()), "spec.minMember: expected an integer, got string \"x\"");
  EXPECT_EQ(message(spec_.field("f").as_int()), "spec.f: expected an integer, got number 5.0");
  EXPECT_EQ(message(spec_.field("big").as_int32()), "spec.big: expected an integer of 32 bits, got number 3000000000");
  EXPECT_EQ(message(spec_.field("list").at(1).field("a").as_bool()),
            "spec.list[1].a: expected true or false, got string \"b\"");
  EXPECT_EQ(message(spec_.field("tags").field("a/b").as_string()), "spec.tags[a/b]: expected a string, got number 7");
  EXPECT_EQ(message(Field(doc_).as_array()), "expected a list, got an object");
}

TEST_F(FieldTest, AbsentAndNullAreNotGiven) {
  EXPECT_FALSE(spec_.field("none").given());
  EXPECT_FALSE(spec_.field("other").field("deep").given());
  EXPECT_EQ(spec_.field("none").int_or(4).value(), 4);
  EXPECT_EQ(message(spec_.field("other").field("deep").as_int()), "spec.other: is required: give an integer");
  EXPECT_EQ(message(spec_.field("none").field("deep").as_int()), "spec.none.deep: is required: give an integer");
  EXPECT_EQ(message(spec_.field("list").at(9).as_int()), "spec.list[9]: is required: give an integer");
  EXPECT_TRUE(spec_.field("other").each([](const Field&) { return Result<void>(); }));
}

TEST_F(FieldTest, AStepIntoTheWrongTypeIsAnErrorNotAnAbsence) {
  const Field wrong = spec_.field("n").field("deeper").field("still");
  EXPECT_TRUE(wrong.given());
  EXPECT_EQ(wrong.value(), nullptr);
  EXPECT_EQ(message(wrong.int_or(1)), "spec.n: expected an object, got number 3");
  EXPECT_EQ(message(spec_.at(0).int_or(1)), "spec: expected a list, got an object");
  EXPECT_FALSE(spec_.field("n").each([](const Field&) { return Result<void>(); }));
}

TEST_F(FieldTest, VisitsInOrderAndStopsAtTheFirstError) {
  std::vector<std::string> seen;
  const Result<void> done = spec_.field("list").each([&](const Field& element) -> Result<void> {
    seen.push_back(element.path());
    const auto a = element.field("a").as_int();
    return a ? Result<void>() : std::unexpected(a.error());
  });
  EXPECT_FALSE(done);
  EXPECT_EQ(seen, (std::vector<std::string>{"spec.list[0]", "spec.list[1]"}));
}

TEST(FieldLines, ErrorsNameTheLineOfTheKeyOrItsAncestor) {
  const Document doc = parse_yaml("a: 1\nb:\n  - name: x\n    on_: maybe\n").value();
  const Field entry = doc.root().field("b").at(0);
  EXPECT_EQ(entry.field("on_").as_bool().error().message,
            "line 4: b[0].on_: expected true or false, got string \"maybe\"");
  EXPECT_EQ(entry.field("z").as_int().error().message, "line 3: b[0].z: is required: give an integer");
  EXPECT_EQ(doc.root().field("b").as_int().error().message, "line 2: b: expected an integer, got a list");
}

}  // namespace
}  // namespace basalt::text
