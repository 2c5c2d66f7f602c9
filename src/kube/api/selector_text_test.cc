#include "kube/api/selector_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/api/api_test_values.h"

namespace basalt::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

text::Value labelled(std::string_view labels) { return json(R"({"metadata":{"labels":)" + std::string(labels) + "}}"); }

bool matches(std::string_view selector, std::string_view labels) {
  const auto query = LabelQuery::parse(selector);
  EXPECT_TRUE(query.has_value()) << selector << ": " << (query ? "" : query.error().message);
  return query && query->matches(labelled(labels));
}

TEST(LabelQuery, matches_each_operator) {
  const char* labels = R"({"app":"web","n":"5","e":""})";
  struct Row {
    const char* selector;
    bool yes;
  };
  for (const Row& row : {Row{"", true},
                         {"app=web", true},
                         {"app==web", true},
                         {"app = web", true},
                         {"app=db", false},
                         {"app!=db", true},
                         {"app!=web", false},
                         {"none!=x", true},
                         {"app in (db, web)", true},
                         {"app in (db)", false},
                         {"app notin (db)", true},
                         {"none notin (db)", true},
                         {"app", true},
                         {"none", false},
                         {"!none", true},
                         {"!app", false},
                         {"n>4", true},
                         {"n>5", false},
                         {"n<6", true},
                         {"app>1", false},
                         {"none<1", false},
                         {"app=web,n", true},
                         {"app=web,!n", false},
                         {"e=", true},
                         {"app=", false},
                         {"e in ()", true},
                         {"e in (,a)", true},
                         {"app in (in,web)", true},
                         {"in in (x)", false},
                         {"!in", true},
                         {" app = web , n ", true}}) {
    EXPECT_EQ(matches(row.selector, labels), row.yes) << row.selector;
  }
}

TEST(LabelQuery, refuses_what_kubernetes_refuses) {
  for (const char* bad : {"app=web,",    ",",
                          ",app",        "=x",
                          "app=(x)",     "app in x",
                          "app in (x",   "app in (x y)",
                          "app x",       "!app=x",
                          "!",           "app=web n",
                          "n>x",         "-a=b",
                          "a/b/c",       "a=-",
                          "app in (x),", "a=b=c",
                          "(",           "a b c",
                          "a=\x01",      "n>99999999999999999999"}) {
    EXPECT_FALSE(LabelQuery::parse(bad).has_value()) << bad;
  }
  EXPECT_FALSE(LabelQuery::parse(std::string(kMaxSelectorBytes + 1, 'a')).has_value());
  std::string many = "a";
  for (size_t i = 0; i < kMaxSelectorTerms; ++i) many += ",a";
  EXPECT_FALSE(LabelQuery::parse(many).has_value());
}

TEST(LabelQuery, everything_and_nothing) {
  EXPECT_TRUE(LabelQuery::parse("")->matches_everything());
  EXPECT_TRUE(LabelQuery::parse("  ")->matches_everything());
  EXPECT_FALSE(LabelQuery::parse("a")->matches_everything());
  EXPECT_FALSE(LabelQuery::nothing().matches_everything());
  EXPECT_FALSE(LabelQuery::nothing().matches(labelled("{}")));
  EXPECT_TRUE(LabelQuery::parse("!a")->matches(json("{}")));
  EXPECT_FALSE(LabelQuery::parse("a")->matches(json("[]")));
}

TEST(LabelQuery, reads_a_selector_object) {
  Causes causes;
  const auto query = LabelQuery::from_selector(
      json(R"({"matchLabels":{"app":"web"},"matchExpressions":[{"key":"n","operator":"NotIn","values":["1","2"]},
               {"key":"e","operator":"Exists"},{"key":"z","operator":"DoesNotExist"}]})"),
      "spec.selector", causes);
  EXPECT_TRUE(causes.empty());
  EXPECT_TRUE(query.matches(labelled(R"({"app":"web","e":"","n":"3"})")));
  EXPECT_FALSE(query.matches(labelled(R"({"app":"web","e":"","n":"2"})")));
  EXPECT_FALSE(query.matches(labelled(R"({"app":"web","e":"","z":""})")));
  EXPECT_TRUE(LabelQuery::from_selector(json("{}"), "s", causes).matches_everything());
}

TEST(LabelQuery, names_what_is_wrong_in_a_selector_object) {
  Causes causes;
  const auto query =
      LabelQuery::from_selector(json(R"({"matchLabels":{"-":"x"},"matchExpressions":[{"key":"n","operator":"In"},
               {"key":"e","operator":"Exists","values":["a"]},{"key":"z","operator":"Like"},
               {"key":"","operator":"Exists"},{"key":"a","operator":"In","values":["b c"]},5]})"),
                                "spec.selector", causes);
  std::vector<std::string> found;
  for (const Cause& cause : causes.list()) found.push_back(cause.reason + " " + cause.field);
  using ::testing::Contains;
  EXPECT_THAT(found, Contains("FieldValueRequired spec.selector.matchExpressions[0].values"));
  EXPECT_THAT(found, Contains("FieldValueForbidden spec.selector.matchExpressions[1].values"));
  EXPECT_THAT(found, Contains("FieldValueInvalid spec.selector.matchExpressions[2].operator"));
  EXPECT_THAT(found, Contains("FieldValueInvalid spec.selector.matchExpressions[3].key"));
  EXPECT_THAT(found, Contains("FieldValueInvalid spec.selector.matchExpressions[4].values[0]"));
  EXPECT_THAT(found, Contains("FieldValueInvalid spec.selector.matchExpressions[5]"));
  EXPECT_FALSE(query.matches(labelled("{}")));
}

TEST(FieldQuery, reads_terms_and_matches) {
  const text::Value pod =
      json(R"({"metadata":{"name":"a"},"spec":{"nodeName":"n1","hostNetwork":true},"status":{"n":5}})");
  const auto yes = [&](std::string_view selector) {
    const auto query = FieldQuery::parse(selector);
    EXPECT_TRUE(query.has_value()) << selector;
    return query && query->matches(pod);
  };
  EXPECT_TRUE(yes(""));
  EXPECT_TRUE(yes("metadata.name=a"));
  EXPECT_TRUE(yes("metadata.name==a,spec.nodeName=n1"));
  EXPECT_TRUE(yes("metadata.name=a,"));
  EXPECT_FALSE(yes("metadata.name!=a"));
  EXPECT_TRUE(yes("spec.nodeName!=n2"));
  EXPECT_TRUE(yes("spec.other="));
  EXPECT_FALSE(yes("spec.other!="));
  EXPECT_TRUE(yes("spec.hostNetwork=true,status.n=5"));
  EXPECT_FALSE(yes("spec=x"));
  const auto query = FieldQuery::parse(R"(metadata.name=a\,b\=\\,x!=y)");
  ASSERT_TRUE(query.has_value());
  ASSERT_NE(query->required_value("metadata.name"), nullptr);
  EXPECT_EQ(*query->required_value("metadata.name"), R"(a,b=\)");
  EXPECT_EQ(query->required_value("x"), nullptr);
}

TEST(FieldQuery, refuses_what_it_cannot_read) {
  for (const char* bad : {"metadata.name", "a=b=c", R"(a=\x)", R"(a=\)", "a>b"}) {
    EXPECT_FALSE(FieldQuery::parse(bad).has_value()) << bad;
  }
}

TEST(FieldQuery, a_field_may_stand_elsewhere_and_read_as_something_when_it_is_absent) {
  FieldQuery query = *FieldQuery::parse("status.successful=0");
  const text::Value none = text::parse_json("{}").value();
  EXPECT_FALSE(query.matches(none));
  query.read_as("status.successful", "status.succeeded", "", "0");
  EXPECT_TRUE(query.matches(none));
  EXPECT_FALSE(query.matches(text::parse_json(R"({"status":{"succeeded":1,"successful":0}})").value()));
  FieldQuery source = *FieldQuery::parse("source=x");
  source.read_as("source", "source.component", "reporter", "");
  EXPECT_TRUE(source.matches(text::parse_json(R"({"source":{"component":"x"},"reporter":"y"})").value()));
  EXPECT_TRUE(source.matches(text::parse_json(R"({"source":{},"reporter":"x"})").value()));
}

}  // namespace
}  // namespace basalt::api
