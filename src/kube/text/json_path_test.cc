#include "kube/text/json_path.h"

#include <gtest/gtest.h>

#include <string>

namespace basalt::text {
namespace {

// What a path finds, as JSON texts joined by blanks; "error" when it does not parse.
std::string found(std::string_view path, std::string_view document) {
  const auto value = parse_json(document);
  const auto parsed = JsonPath::parse(path);
  if (!value || !parsed) return "error";
  std::string out;
  for (const Value* match : parsed->find(*value)) out += (out.empty() ? "" : " ") + to_json(*match);
  const Value* first = parsed->first(*value);
  EXPECT_EQ(first == nullptr, out.empty()) << path;
  EXPECT_TRUE(first == nullptr || out.starts_with(to_json(*first))) << path;
  return out;
}

constexpr std::string_view kDocument = R"({
  "spec": {"replicas": 3, "a.b/c": 1, "none": null},
  "list": [{"name": "x", "n": 1}, {"name": "y", "n": 2.0, "on": true}, 7],
  "deep": [[1, 2], [3]]})";

TEST(JsonPath, StepsIntoMembers) {
  EXPECT_EQ(found(".spec.replicas", kDocument), "3");
  EXPECT_EQ(found("spec.replicas", kDocument), "3");
  EXPECT_EQ(found("{.spec.replicas}", kDocument), "3");
  EXPECT_EQ(found("$.spec.replicas", kDocument), "3");
  EXPECT_EQ(found(".spec.none", kDocument), "null");
  EXPECT_EQ(found(".spec.missing.more", kDocument), "");
  EXPECT_EQ(found(".spec.replicas.more", kDocument), "");
}

TEST(JsonPath, QuotedAndEscapedNames) {
  EXPECT_EQ(found(".spec['a.b/c']", kDocument), "1");
  EXPECT_EQ(found(".spec[\"a.b/c\"]", kDocument), "1");
  EXPECT_EQ(found(".spec.['a.b/c']", kDocument), "1");
  EXPECT_EQ(found(".spec.a\\.b/c", kDocument), "1");
  EXPECT_EQ(found(".x['it\\'s']", R"({"x": {"it's": 4}})"), "4");
  EXPECT_EQ(found(".a\\..b", R"({"a.": {"b": 4}})"), "4");
}

TEST(JsonPath, ListsByPlaceAndAll) {
  EXPECT_EQ(found(".list[0].name", kDocument), "\"x\"");
  EXPECT_EQ(found(".list[-1]", kDocument), "7");
  EXPECT_EQ(found(".list[3]", kDocument), "");
  EXPECT_EQ(found(".list[-4]", kDocument), "");
  EXPECT_EQ(found(".list[*].name", kDocument), "\"x\" \"y\"");
  EXPECT_EQ(found(".deep[*][*]", kDocument), "1 2 3");
  EXPECT_EQ(found(".spec.*", kDocument), "3 1 null");
}

TEST(JsonPath, SlicesAsKubectlCutsThem) {
  constexpr std::string_view kFive = R"({"l": [0, 1, 2, 3, 4], "none": []})";
  EXPECT_EQ(found(".l[-1:]", kFive), "4");
  EXPECT_EQ(found(".l[1:3]", kFive), "1 2");
  EXPECT_EQ(found(".l[:2]", kFive), "0 1");
  EXPECT_EQ(found(".l[3:]", kFive), "3 4");
  EXPECT_EQ(found(".l[:]", kFive), "0 1 2 3 4");
  EXPECT_EQ(found(".l[:-3]", kFive), "0 1");
  EXPECT_EQ(found(".l[-3:-1]", kFive), "2 3");
  EXPECT_EQ(found(".l[::2]", kFive), "0 2 4");
  EXPECT_EQ(found(".l[1:5:3]", kFive), "1 4");
  EXPECT_EQ(found(".l[0:5:9223372036854775807]", kFive), "0");
  EXPECT_EQ(found(".list[-2:].name", kDocument), "\"y\"");
  // What is not all there finds nothing: kubectl's error leaves the cell empty.
  for (const char* nothing :
       {".l[2:2]", ".l[5:]", ".l[-6:]", ".l[1:6]", ".l[3:1]", ".none[-1:]", ".none[:]", ".l.x[:]"}) {
    EXPECT_EQ(found(nothing, kFive), "") << nothing;
  }
  for (const char* wrong : {".l[a:]", ".l[1:b]", ".l[1:2:0]", ".l[1:2:-1]", ".l[1:2:1:1]", ".l[1:", ".l[- 1:]"}) {
    EXPECT_EQ(found(wrong, kFive), "error") << wrong;
  }
}

TEST(JsonPath, FiltersCompareOnePathBelowTheElement) {
  EXPECT_EQ(found(".list[?(@.name==\"y\")].n", kDocument), "2.0");
  EXPECT_EQ(found(".list[?(@.name=='y')].on", kDocument), "true");
  EXPECT_EQ(found(".list[?( @.n == 2 )].name", kDocument), "\"y\"");
  EXPECT_EQ(found(".list[?(@.n!=2)].name", kDocument), "\"x\"");
  EXPECT_EQ(found(".list[?(@.on==true)].name", kDocument), "\"y\"");
  EXPECT_EQ(found(".list[?(@.on)].name", kDocument), "\"y\"");
  EXPECT_EQ(found(".list[?(@==7)]", kDocument), "7");
  EXPECT_EQ(found(".l[?(@['a.b']==1)].c", R"({"l": [{"a.b": 1, "c": 5}]})"), "5");
}

TEST(JsonPath, RefusesWhatItDoesNotKnow) {
  for (const std::string_view path :
       {"..a", ".a..b", ".a[", ".a[]", ".a[0", ".a[0,1]", ".a['b", ".a[?(@.b=='c')", ".a[?(@.b<1)]", ".a[?(b==1)]",
        ".a[?(@.b==c)]", ".a b", ".a)", ".a[?]", ".a[?(@.)]", "['a'", ".a[99999999999999999999]"}) {
    EXPECT_FALSE(JsonPath::parse(path).has_value()) << path;
  }
}

TEST(JsonPath, IsBounded) {
  EXPECT_FALSE(JsonPath::parse(std::string(kMaxJsonPathBytes + 1, 'a')).has_value());
  std::string steps;
  for (size_t i = 0; i <= kMaxJsonPathSteps; ++i) steps += ".a";
  EXPECT_FALSE(JsonPath::parse(steps).has_value());
  // Each [*] could multiply the matches; the answer stays within its bound.
  Value tree = 1;
  for (int level = 0; level < 4; ++level) tree = Array(30, tree);
  const auto path = JsonPath::parse("[*][*][*][*]");
  ASSERT_TRUE(path.has_value());
  EXPECT_EQ(path->find(tree).size(), kMaxJsonPathMatches);
}

TEST(JsonPath, PlainPathsTellTheirNames) {
  const auto path = JsonPath::parse(".spec.replicas");
  ASSERT_TRUE(path.has_value());
  EXPECT_TRUE(path->plain());
  EXPECT_EQ(path->names(), (std::vector<std::string>{"spec", "replicas"}));
  EXPECT_FALSE(JsonPath::parse(".a[0]")->plain());
}

}  // namespace
}  // namespace basalt::text
