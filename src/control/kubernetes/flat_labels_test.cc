#include "control/kubernetes/flat_labels.h"

#include <gtest/gtest.h>

#include "kube/api/selector_text.h"

namespace basalt::kubernetes {
namespace {

FlatLabels labels_of(std::string_view json) { return FlatLabels(text::parse_json(json).value().get_object()); }

TEST(FlatLabels, FindsWhatIsThere) {
  const FlatLabels labels = labels_of(R"({"app":"web","empty":"","volcano.sh/job-name":"resnet"})");
  EXPECT_EQ(labels.find("app"), "web");
  EXPECT_EQ(labels.find("empty"), "");
  EXPECT_EQ(labels.find("volcano.sh/job-name"), "resnet");
  EXPECT_EQ(labels.find("web"), std::nullopt);  // a value is no key
  EXPECT_EQ(labels.find("ap"), std::nullopt);
  EXPECT_EQ(FlatLabels().find("app"), std::nullopt);
}

TEST(FlatLabels, ValuesThatNoServerWouldAcceptDoNoHarm) {
  const FlatLabels labels = labels_of(R"({"a\u0000b":"c\u0000d","n":5,"o":{}})");
  EXPECT_EQ(labels.find("a"), "b");  // read as two pairs
  EXPECT_EQ(labels.find("n"), "");
  EXPECT_EQ(labels.find("zzz"), std::nullopt);
}

// The reference: what a selector says about the labels as JSON.
TEST(FlatLabels, SelectorsSeeTheSame) {
  const std::string_view json = R"({"app":"web","tier":"","n":"5"})";
  const text::Value value = text::parse_json(json).value();
  const FlatLabels labels = labels_of(json);
  for (const std::string_view text : {"", "app", "!app", "app=web", "app!=web", "tier=", "tier!=", "app in (a,web)",
                                      "app notin (a,web)", "x", "!x", "x!=1", "x notin (1)", "n>4", "n<5", "x>1"}) {
    const auto query = api::LabelQuery::parse(text);
    ASSERT_TRUE(query) << text;
    EXPECT_EQ(query->matches_found([&](std::string_view key) { return labels.find(key); }),
              query->matches_labels(&value))
        << text;
  }
}

}  // namespace
}  // namespace basalt::kubernetes
