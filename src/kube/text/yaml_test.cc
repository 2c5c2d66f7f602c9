#include "kube/text/yaml.h"

#include <gtest/gtest.h>

#include <string>

namespace basalt::text {
namespace {

std::string json_of(std::string_view yaml) {
  const Result<Document> doc = parse_yaml(yaml);
  return doc ? to_json(doc->value) : "error: " + doc.error().message;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(YamlScalar, FollowsYaml11AsGoReadsIt) {
  struct Case {
    std::string_view text, json;
  };
  for (const auto& [text, json] : {
           Case{"", "null"},
           Case{"~", "null"},
           Case{"null", "null"},
           Case{"yes", "true"},
           Case{"On", "true"},
           Case{"y", "true"},
           Case{"off", "false"},
           Case{"N", "false"},
           Case{"oN", "\"oN\""},
           Case{"5", "5"},
           Case{"+5", "5"},
           Case{"-5", "-5"},
           Case{"010", "8"},
           Case{"0x1F", "31"},
           Case{"0b11", "3"},
           Case{"0o17", "15"},
           Case{"1_000", "1000"},
           Case{"08", "8.0"},
           Case{"5.0", "5.0"},
           Case{".5", "0.5"},
           Case{"1.", "1.0"},
           Case{"1e3", "1000.0"},
           Case{"-", "\"-\""},
           Case{".", "\".\""},
           Case{"1e", "\"1e\""},
           Case{"0x", "\"0x\""},
           Case{"1e999", "\"1e999\""},
           Case{"1:30", "\"1:30\""},
           Case{"100m", "\"100m\""},
           Case{"+-5", "\"+-5\""},
           Case{"2024-05-01", "\"2024-05-01\""},
           Case{"_1", "\"_1\""},
           Case{"18446744073709551615", "18446744073709551615"},
           Case{"-9223372036854775808", "-9223372036854775808"},
           Case{"99999999999999999999", "1e+20"},
           Case{".inf", "null"},
       }) {
    EXPECT_EQ(to_json(plain_scalar(text)), json) << text;
  }
}

TEST(Yaml, ReadsAConfiguration) {
  EXPECT_EQ(json_of("actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n    enablePreemptable: off\n"
                    "  - name: drf\n    arguments: {a: 5, b: 5.0, c: '5', d: !!str 5, e: }\n"),
            R"({"actions":"enqueue, allocate","tiers":[{"plugins":[{"name":"gang","enablePreemptable":false},)"
            R"({"name":"drf","arguments":{"a":5,"b":5.0,"c":"5","d":"5","e":null}}]}]})");
  EXPECT_EQ(json_of(""), "null");
  EXPECT_EQ(json_of("1: a\ntrue: b\n"), R"({"1":"a","true":"b"})");
  EXPECT_EQ(json_of("a: |\n  x\n  y\n"), R"({"a":"x\ny\n"})");
}

TEST(Yaml, AliasesAndMergeKeys) {
  EXPECT_EQ(json_of("a: &x {p: 1, q: 2}\nb: *x\nc:\n  <<: *x\n  q: 3\nd:\n  <<: [*x, {r: 4, p: 9}]\n"),
            R"({"a":{"p":1,"q":2},"b":{"p":1,"q":2},"c":{"q":3,"p":1},"d":{"p":1,"q":2,"r":4}})");
  EXPECT_TRUE(has(json_of("a:\n  <<: 5\n"), "the merge key << needs a mapping"));
  EXPECT_EQ(json_of("'<<': 5\n"), R"({"<<":5})");
}

TEST(Yaml, RefusesWhatKubernetesWould) {
  EXPECT_EQ(json_of("a:\n  b: 1\n  b: 2\n"), "error: line 3: a: the key \"b\" is given twice: remove one of them");
  EXPECT_TRUE(has(json_of("? [a]\n: 1\n"), "only scalars can be keys"));
  EXPECT_TRUE(has(json_of("~: 1\n"), "a mapping key is null"));
  EXPECT_TRUE(has(json_of("a: &x [*x]\n"), "inside its own anchor"));
  EXPECT_TRUE(has(json_of("a: *unknown\n"), "error: line 1"));
  EXPECT_TRUE(has(json_of("a: [1\nb: 2\n"), "not YAML"));
  EXPECT_TRUE(has(json_of("a: \xff\n"), "UTF-8"));
  EXPECT_TRUE(has(json_of("a: 1\n---\nb: 2\n"), "expected one YAML document, got 2"));
}

TEST(Yaml, BoundsNestingAndGrowth) {
  EXPECT_TRUE(has(json_of(std::string(100'000, '[')), "error: "));
  EXPECT_TRUE(has(json_of(std::string(200, '[') + std::string(200, ']')), "nested deeper than 100 levels"));
  std::string laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  std::string chain = "a0: &a0 [x]\n";
  for (int i = 1; i < 400; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::string before = "*a" + std::to_string(i - 1);
    chain += name + ": &" + name + " [" + before + "]\n";
    if (i < 12) {
      laughs += name + ": &" + name + " [" + before;
      for (int k = 0; k < 9; ++k) laughs += "," + before;
      laughs += "]\n";
    }
  }
  EXPECT_TRUE(has(json_of(laughs), "grows too large"));
  EXPECT_TRUE(has(json_of(chain), "nested deeper"));
}

TEST(Yaml, BoundsTheBytesOfItsLines) {
  // 90 levels of keys that a path shows in full: each element below has a path of more than 11 KB.
  const std::string key(kMaxKeyInPath, 'k');
  std::string deep;
  for (int i = 0; i < 90; ++i) deep += "{" + key + ": ";
  deep += "[";
  for (int i = 0; i < 20'000; ++i) deep += "0,";
  deep += "0]" + std::string(90, '}');
  const auto document = parse_yaml(deep).value();
  EXPECT_LE(document.lines.bytes(), LineMap::kMaxLineBytes);
  EXPECT_LT(document.lines.size(), 500U);
  EXPECT_EQ(document.lines.line_of(key), 1U);
}

TEST(Yaml, BoundsWhatAliasesAdd) {
  // Two levels of 1,000 would be a million values, from 10 KB.
  std::string two_levels = "a: &a [";
  for (int i = 0; i < 1'000; ++i) two_levels += "0,";
  two_levels += "0]\nb: [";
  for (int i = 0; i < 1'000; ++i) two_levels += "*a,";
  two_levels += "*a]\n";
  EXPECT_TRUE(has(json_of(two_levels), "error: line 2: b[260]: the document grows too large with its aliases"));
  // One anchor inside of the other is copied at each level.
  std::string nested;
  for (int i = 0; i < 90; ++i) nested += "&a" + std::to_string(i) + " [";
  for (int i = 0; i < 3'000; ++i) nested += "0,";
  EXPECT_TRUE(has(json_of(nested + "0" + std::string(90, ']')), "grows too large with its aliases"));
}

TEST(Yaml, StreamsLeaveOutEmptyDocuments) {
  const auto documents = parse_yaml_stream("---\na: 1\n---\n# nothing\n---\nb: 2\n...\n").value();
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(to_json(documents[1].value), R"({"b":2})");
  EXPECT_EQ(documents[1].lines.line_of("b"), 6U);
}

TEST(Yaml, DocumentsMayBeJson) {
  EXPECT_EQ(to_json(parse_documents("{\"a\":\t1}\n").value()[0].value), R"({"a":1})");
  EXPECT_EQ(to_json(parse_documents("{a: yes}\n").value()[0].value), R"({"a":true})");
  EXPECT_TRUE(has(parse_documents("{\"a\": [1}").error().message, "not JSON"));
}

}  // namespace
}  // namespace basalt::text
