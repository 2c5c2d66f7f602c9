#include "kube/text/yaml_writer.h"

#include <gtest/gtest.h>

#include "kube/text/yaml.h"

namespace basalt::text {
namespace {

TEST(YamlWriter, WritesBlockStyle) {
  const Value value =
      *parse_json(R"({"kind":"Pod","metadata":{"name":"a","labels":{}},"spec":{"ports":[{"l":1,"m":"x"},2]}})");
  EXPECT_EQ(to_yaml(value),
            "kind: Pod\nmetadata:\n  name: a\n  labels: {}\nspec:\n  ports:\n  - l: 1\n    m: x\n  - 2\n");
}

TEST(YamlWriter, WhatIsWrittenReadsBackTheSame) {
  for (const std::string_view json :
       {R"({"a":"true","b":"1","c":"","d":"- x","e":"a: b","f":"line\nbreak","g":"#no"})",
        R"({"h":null,"i":[[1,[2]],[]],"j":"on","k":"0755"})",
        R"(["2026-01-01","0x1","~","null",{"k":{"l":[{"m":[]}]}}])", R"("alone")", "{}", "[]"}) {
    const Value value = *parse_json(json);
    const auto back = parse_yaml(to_yaml(value));
    ASSERT_TRUE(back) << to_yaml(value);
    EXPECT_EQ(back->value, value) << to_yaml(value);
  }
}

// Found by the YAML fuzzer: readers refuse a key whose colon comes after 1024 characters.
TEST(YamlWriter, LongKeysReadBackTheSame) {
  for (const size_t length : {10U, 997U, 1000U, 1001U, 1024U, 5000U}) {
    for (const std::string_view inside : {"1", "null", "[1,{\"a\":2}]", "{\"b\":{\"c\":[]}}", "{}", "\"text\""}) {
      for (const char letter : {'x', ':'}) {
        Object object;
        object[std::string(length, letter)] = *parse_json(inside);
        object["after"] = 1;
        const Value value = Array{object, Object{{"below", object}}};
        const auto back = parse_yaml(to_yaml(value));
        ASSERT_TRUE(back) << to_yaml(value);
        EXPECT_EQ(back->value, value) << to_yaml(value);
      }
    }
  }
}

}  // namespace
}  // namespace basalt::text
