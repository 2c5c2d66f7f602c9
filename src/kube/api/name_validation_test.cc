#include "kube/api/name_validation.h"

#include <gtest/gtest.h>

#include "kube/api/api_test_values.h"

namespace basalt::api {
namespace {

TEST(Names, FormsOfDnsNames) {
  EXPECT_TRUE(dns1123_label("a-1").empty());
  EXPECT_EQ(dns1123_label("a.b"), ValidationMessages{"must not contain dots"});
  EXPECT_FALSE(dns1123_label("").empty());
  EXPECT_FALSE(dns1123_label(std::string(64, 'a')).empty());
  EXPECT_TRUE(dns1123_subdomain("a.b-c.9").empty());
  for (const char* bad : {"", ".", "a..b", "A", "-a", "a-", "a_b"}) EXPECT_FALSE(dns1123_subdomain(bad).empty()) << bad;
  EXPECT_FALSE(dns1035_label("1a").empty());
  EXPECT_TRUE(path_segment("system:x").empty());
  EXPECT_FALSE(path_segment("a/b").empty());
}

TEST(Names, KeysAndValuesOfLabels) {
  for (const char* good : {"a", "A_b.c", "example.com/A-b"}) EXPECT_TRUE(qualified_name(good).empty()) << good;
  for (const char* bad : {"", "/a", "a/", "a/b/c", "A.b/c", "a b", "-a"})
    EXPECT_FALSE(qualified_name(bad).empty()) << bad;
  EXPECT_TRUE(label_value("").empty());
  EXPECT_FALSE(label_value("-").empty());
  EXPECT_FALSE(config_key("..x").empty());
  EXPECT_TRUE(env_name("1 odd name").empty());
  EXPECT_FALSE(env_name("A=").empty());
}

TEST(Names, GeneratedNamesAreCutAndReadable) {
  Rng rng(1);
  const std::string name = generate_name(std::string(100, 'x'), rng);
  EXPECT_EQ(name.size(), 63U);
  EXPECT_TRUE(dns1123_label(name).empty());
  EXPECT_NE(generate_name("a-", rng), generate_name("a-", rng));
  EXPECT_TRUE(object_name(NameRule::Label, "a-", true).empty());
  EXPECT_FALSE(object_name(NameRule::Label, "a-", false).empty());
}

TEST(Metadata, RefusesWhatUsersGetWrong) {
  Causes causes;
  validate_metadata(object_of(R"({"name":"A","namespace":"n","labels":{"a b":"c"},"annotations":{"x/y/z":""},
      "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},
                         {"apiVersion":"v1","kind":"Pod","name":"q","uid":"","controller":true}],
      "finalizers":["orphan","foregroundDeletion"]})"),
                    true, NameRule::Subdomain, causes);
  std::vector<std::string> fields;
  for (const Cause& cause : causes.list()) fields.push_back(cause.field);
  EXPECT_EQ(fields, (std::vector<std::string>{"metadata.name", "metadata.labels", "metadata.annotations",
                                              "metadata.ownerReferences.uid", "metadata.ownerReferences",
                                              "metadata.finalizers"}));
}

TEST(Metadata, ScopeDecidesAboutTheNamespace) {
  Causes causes;
  validate_metadata(object_of(R"({"name":"a"})"), true, NameRule::Subdomain, causes);
  validate_metadata(object_of(R"({"name":"a","namespace":"n"})"), false, NameRule::Subdomain, causes);
  ASSERT_EQ(causes.list().size(), 2U);
  EXPECT_EQ(causes.list()[0].reason, "FieldValueRequired");
  EXPECT_EQ(causes.list()[1].reason, "FieldValueForbidden");
}

TEST(Metadata, AnnotationsHaveABound) {
  Causes causes;
  const text::Object metadata{{"name", "a"},
                              {"annotations", text::Object{{"k", std::string(kMaxAnnotationBytes, 'x')}}}};
  validate_metadata(metadata, false, NameRule::Subdomain, causes);
  ASSERT_EQ(causes.list().size(), 1U);
  EXPECT_EQ(causes.list()[0].reason, "FieldValueTooLong");
}

TEST(Metadata, WhileDeletingFinalizersOnlyLeave) {
  Causes causes;
  const text::Object old =
      object_of(R"({"name":"a","uid":"1","deletionTimestamp":"t","finalizers":["x.y/a","x.y/b"]})");
  text::Object next = old;
  next["finalizers"] = text::Array{"x.y/b"};
  validate_metadata_update(next, old, causes);
  EXPECT_TRUE(causes.empty());
  next["finalizers"] = text::Array{"x.y/c"};
  next["uid"] = "2";
  validate_metadata_update(next, old, causes);
  ASSERT_EQ(causes.list().size(), 2U);
  EXPECT_EQ(causes.list()[0].field, "metadata.finalizers");
  EXPECT_EQ(causes.list()[1].field, "metadata.uid");
}

TEST(Metadata, WrongTypesAreHarmless) {
  Causes causes;
  validate_metadata(
      object_of(R"({"name":5,"labels":[],"annotations":"x","ownerReferences":{"a":1},"finalizers":[1,{}]})"), true,
      NameRule::Label, causes);
  EXPECT_FALSE(causes.empty());
}

TEST(Metadata, BuiltInKindsWantQualifiedFinalizers) {
  Causes causes;
  validate_builtin_finalizers(object_of(R"({"finalizers":["orphan","a.b/c","mine"]})"), causes);
  ASSERT_EQ(causes.list().size(), 1U);
  EXPECT_EQ(causes.list()[0].field, "metadata.finalizers[2]");
}

}  // namespace
}  // namespace basalt::api
