#include "engine/model/labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace basalt::model {
namespace {

class Labelled : public testing::Test {
 protected:
  LabelSet set(std::initializer_list<std::pair<const char*, const char*>> pairs) {
    LabelSet labels;
    for (const auto& [key, value] : pairs) labels.push_back({.key = names.intern(key), .value = names.intern(value)});
    normalize(labels);
    return labels;
  }
  bool match(const char* key, SelectorOp op, std::initializer_list<const char*> values, const LabelSet& labels) {
    Requirement requirement{.key = names.intern(key), .op = op, .values = {}};
    for (const char* value : values) requirement.values.push_back(names.intern(value));
    std::sort(requirement.values.begin(), requirement.values.end());
    return matches(requirement, labels, names);
  }
  bool compare(SelectorOp op, int64_t bound, const LabelSet& labels, bool malformed = false) {
    const Requirement requirement{.key = names.intern("cores"), .op = op, .bound = bound, .malformed = malformed};
    return matches(requirement, labels, names);
  }
  StringPool names;
};

TEST_F(Labelled, KeepTheLastOfEqualKeys) {
  names.intern("zzz");  // so that ids do not follow the alphabet
  const LabelSet labels = set({{"b", "1"}, {"a", "2"}, {"b", "3"}});
  EXPECT_EQ(labels.size(), 2U);
  EXPECT_EQ(names.text(find_label(labels, names.find("b"))), "3");
  EXPECT_FALSE(find_label(labels, names.intern("c")).valid());
}

TEST_F(Labelled, InAndNotIn) {
  const LabelSet east = set({{"zone", "east"}});
  const LabelSet none = set({});
  EXPECT_TRUE(match("zone", SelectorOp::In, {"west", "east"}, east));
  EXPECT_FALSE(match("zone", SelectorOp::In, {"west"}, east));
  EXPECT_FALSE(match("zone", SelectorOp::In, {"east"}, none));
  EXPECT_FALSE(match("zone", SelectorOp::NotIn, {"east"}, east));
  EXPECT_TRUE(match("zone", SelectorOp::NotIn, {"west"}, east));
  EXPECT_TRUE(match("zone", SelectorOp::NotIn, {"east"}, none));  // an absent key is not in anything
  EXPECT_FALSE(match("zone", SelectorOp::In, {}, east));
}

TEST_F(Labelled, ExistsEvenWithAnEmptyValue) {
  const LabelSet empty_value = set({{"gpu", ""}});
  EXPECT_TRUE(match("gpu", SelectorOp::Exists, {}, empty_value));
  EXPECT_FALSE(match("gpu", SelectorOp::DoesNotExist, {}, empty_value));
  EXPECT_TRUE(match("tpu", SelectorOp::DoesNotExist, {}, empty_value));
  EXPECT_TRUE(match("gpu", SelectorOp::In, {""}, empty_value));
}

TEST_F(Labelled, GreaterAndLessCompareIntegers) {
  const LabelSet nine = set({{"cores", "9"}});
  EXPECT_TRUE(compare(SelectorOp::Gt, 8, nine));
  EXPECT_FALSE(compare(SelectorOp::Gt, 9, nine));
  EXPECT_TRUE(compare(SelectorOp::Lt, 10, nine));  // as text "9" is not less than "10"
  EXPECT_FALSE(compare(SelectorOp::Lt, 9, nine));
  EXPECT_TRUE(compare(SelectorOp::Gt, -11, set({{"cores", "-10"}})));
  EXPECT_FALSE(compare(SelectorOp::Gt, 1, set({})));
  for (const char* text : {"", "9x", "x9", "9.5", " 9", "99999999999999999999"}) {
    EXPECT_FALSE(compare(SelectorOp::Gt, 1, set({{"cores", text}}))) << text;
    EXPECT_FALSE(compare(SelectorOp::Lt, 1, set({{"cores", text}}))) << text;
  }
  EXPECT_FALSE(compare(SelectorOp::Gt, 1, nine, /*malformed=*/true));
}

TEST_F(Labelled, EmptySelectorsAndAbsentOnes) {
  const LabelSet labels = set({{"a", "1"}});
  EXPECT_TRUE(matches(Selector{}, labels, names));
  EXPECT_FALSE(matches(Selector{.nothing = true}, labels, names));
  Selector both;
  both.requirements.push_back({.key = names.intern("a"), .op = SelectorOp::Exists});
  EXPECT_TRUE(matches(both, labels, names));
  both.requirements.push_back({.key = names.intern("b"), .op = SelectorOp::Exists});
  EXPECT_FALSE(matches(both, labels, names));
}

}  // namespace
}  // namespace basalt::model
