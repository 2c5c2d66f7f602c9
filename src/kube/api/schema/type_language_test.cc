#include "kube/api/schema/type_language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/api/schema/type_lines.h"

namespace basalt::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TypeLibrary read(std::string_view text, const SchemaSet* base = nullptr) {
  const TypeText texts[] = {{.name = "t.types", .text = text}};
  auto library = parse_types(texts, base);
  EXPECT_TRUE(library.has_value()) << (library ? "" : library.error().message);
  return library ? std::move(*library) : TypeLibrary{};
}

std::string error_of(std::string_view text) {
  const TypeText texts[] = {{.name = "t.types", .text = text}};
  const auto library = parse_types(texts);
  return library ? "no error" : library.error().message;
}

TEST(TypeLines, WordsKeepQuotesAndBracketsTogether) {
  const auto lines = type_lines("a b={\"x\": [1, 2]} \"two words\" # rest\n\n  c (d\n e) \\\n f\n");
  ASSERT_TRUE(lines.has_value());
  ASSERT_EQ(lines->size(), 2U);
  EXPECT_THAT((*lines)[0].words, ElementsAre("a", "b={\"x\": [1, 2]}", "\"two words\""));
  EXPECT_FALSE((*lines)[0].indented);
  EXPECT_THAT((*lines)[1].words, ElementsAre("c", "(d\n e)", "f"));
  EXPECT_TRUE((*lines)[1].indented);
  EXPECT_EQ((*lines)[1].number, 3U);
}

TEST(TypeLines, RefuseWhatIsNotClosedOrNotText) {
  EXPECT_THAT(error_of("type A \"open"), HasSubstr("line 1: a quoted text is not closed"));
  EXPECT_THAT(error_of("type A\n  a [string\n"), HasSubstr("a bracket is not closed"));
  EXPECT_THAT(error_of("type A\n  a string]\n"), HasSubstr("line 2: a closing bracket"));
  EXPECT_THAT(error_of("type A\n  a [string}\n"), HasSubstr("line 2: a closing bracket"));
  EXPECT_THAT(error_of("type \xff"), HasSubstr("line 1: only printable"));
  EXPECT_THAT(error_of(std::string("type \0", 6)), HasSubstr("line 1: only printable"));
  EXPECT_THAT(error_of("type " + std::string(100, '[')), HasSubstr("too many brackets"));
  EXPECT_THAT(error_of(std::string(kMaxTypeTextBytes + 1, ' ')), HasSubstr("longer than"));
}

TEST(TypeLanguage, FieldsCarryTheirWords) {
  const TypeLibrary library = read(R"(
package p.v1
type Port  "A port."
  port      int32   required write          "Its number."
  protocol  string  omit default="TCP" embedded-default="UDP"
  hosts     [Host]  omit merge=ip retain-keys list=map(ip,name)
  tags      [string]  merge list=set
  labels    {string}  atomic
  self      Port    nullable
type Host preserve-unknown
  ip  string
)");
  const Schema* port = library.schemas.find("p.v1.Port");
  ASSERT_NE(port, nullptr);
  EXPECT_EQ(port->description, "A port.");
  const SchemaField* number = port->find("port");
  ASSERT_NE(number, nullptr);
  EXPECT_TRUE(number->required);
  EXPECT_EQ(number->when_empty, WhenEmpty::Write);
  EXPECT_EQ(number->description, "Its number.");
  EXPECT_EQ(number->type->shape, Shape::Int32);
  const SchemaField* protocol = port->find("protocol");
  EXPECT_EQ(protocol->when_empty, WhenEmpty::Omit);
  EXPECT_EQ(*protocol->fallback, text::Value("TCP"));
  EXPECT_EQ(*protocol->embedded_fallback, text::Value("UDP"));
  const SchemaField* hosts = port->find("hosts");
  EXPECT_TRUE(hosts->patch_merge);
  EXPECT_TRUE(hosts->patch_retain_keys);
  EXPECT_EQ(hosts->patch_merge_key, "ip");
  EXPECT_EQ(hosts->type->list_type, ListType::Map);
  EXPECT_THAT(hosts->type->list_keys, ElementsAre("ip", "name"));
  EXPECT_EQ(hosts->type->element, library.schemas.find("p.v1.Host"));
  EXPECT_TRUE(hosts->type->element->preserve_unknown);
  EXPECT_EQ(port->find("tags")->type->list_type, ListType::Set);
  EXPECT_TRUE(port->find("tags")->patch_merge);
  EXPECT_EQ(port->find("labels")->type->shape, Shape::Map);
  EXPECT_TRUE(port->find("labels")->type->atomic);
  EXPECT_EQ(port->find("self")->type, port);
  EXPECT_TRUE(port->find("self")->nullable);
  EXPECT_EQ(port->find("self")->when_empty, WhenEmpty::Keep);
  EXPECT_EQ(port->find("port2"), nullptr);
}

TEST(TypeLanguage, LimitsAreThoseOfTheFieldAlone) {
  const TypeLibrary library = read(R"(
type Phase = Word enum=["a", "b"]  "A phase."
type Word = string max-length=9
type T
  plain   string
  short   string  max-length=3 min-length=1 pattern="^\\d+$" format=uri
  count   int32   min=0 max=1.5 multiple-of=0.5 exclusive-min exclusive-max
  phase   Phase   max-length=5
  list    [string]  min-items=1 max-items=2 unique-items
  map     {any}   min-properties=1 max-properties=2
)");
  const Schema* type = library.schemas.find("T");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->find("plain")->type->limits, nullptr);
  const ValueLimits& text = *type->find("short")->type->limits;
  EXPECT_EQ(text.max_length, 3U);
  EXPECT_EQ(text.min_length, 1U);
  EXPECT_EQ(text.pattern, "^\\d+$");
  EXPECT_EQ(text.format, "uri");
  const ValueLimits& count = *type->find("count")->type->limits;
  EXPECT_EQ(count.minimum, 0);
  EXPECT_EQ(count.maximum, 1.5);
  EXPECT_EQ(count.multiple_of, 0.5);
  EXPECT_TRUE(count.exclusive_minimum && count.exclusive_maximum);
  const Schema& phase = *type->find("phase")->type;
  EXPECT_EQ(phase.shape, Shape::String);
  EXPECT_EQ(phase.limits->allowed.size(), 2U);
  EXPECT_EQ(phase.limits->max_length, 5U);
  EXPECT_EQ(library.schemas.find("Phase")->limits->max_length, 9U);
  EXPECT_EQ(library.schemas.find("Phase")->description, "A phase.");
  EXPECT_TRUE(library.schemas.find("Word")->limits->allowed.empty());
  EXPECT_TRUE(type->find("list")->type->limits->unique_items);
  EXPECT_EQ(type->find("map")->type->limits->max_properties, 2U);
}

TEST(TypeLanguage, NamesComeFromThePackageAnAliasOrTheBase) {
  const TypeLibrary base = read("package a.v1\ntype Ref atomic\n  name string\n");
  const TypeLibrary library = read(R"(
package b.v1
use base = a.v1
type T
  one    base.Ref
  two    a.v1.Ref
  three  base.Ref granular
)",
                                   &base.schemas);
  const Schema* type = library.schemas.find("b.v1.T");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->find("one")->type, base.schemas.find("a.v1.Ref"));
  EXPECT_EQ(type->find("two")->type, base.schemas.find("a.v1.Ref"));
  EXPECT_FALSE(type->find("three")->type->atomic);
  EXPECT_NE(type->find("three")->type->find("name"), nullptr);
  EXPECT_TRUE(base.schemas.find("a.v1.Ref")->atomic);
}

TEST(TypeLanguage, CrdRows) {
  const TypeLibrary library = read(R"(
type Job
  kind string
crd Job group=g.sh version=v1 plural=jobs singular=job scope=Cluster short=j,jj status
  column AGE  date  .metadata.creationTimestamp  "How old." priority=2
)");
  ASSERT_EQ(library.crds.size(), 1U);
  const CrdRow& row = library.crds[0];
  EXPECT_EQ(row.type, library.schemas.find("Job"));
  EXPECT_EQ(row.group + row.version + row.plural + row.singular + row.scope, "g.shv1jobsjobCluster");
  EXPECT_THAT(row.short_names, ElementsAre("j", "jj"));
  EXPECT_TRUE(row.status);
  ASSERT_EQ(row.columns.size(), 1U);
  EXPECT_EQ(row.columns[0].json_path, ".metadata.creationTimestamp");
  EXPECT_EQ(row.columns[0].description, "How old.");
  EXPECT_EQ(row.columns[0].priority, 2);
}

TEST(TypeLanguage, ErrorsNameTextAndLine) {
  EXPECT_EQ(error_of("type A\n  b  nope\n"), "t.types: line 2: unknown type \"nope\" (nope)");
  EXPECT_EQ(error_of("type A\n  b\n"), "t.types: line 2: a field wants a name and a type");
  EXPECT_EQ(error_of("type A\n  b string  loud\n"), "t.types: line 2: unknown word \"loud\"");
  EXPECT_EQ(error_of("type A\ntype A\n"), "t.types: line 2: the type A is written twice");
  EXPECT_EQ(error_of("type A\n  b string\n  b string\n"), "t.types: line 1: the field b is written twice");
  EXPECT_EQ(error_of("type A = A\n"), "t.types: line 1: the type is another name for itself");
  EXPECT_THAT(error_of("type A = B\ntype B = A\n"), HasSubstr("another name for itself"));
  EXPECT_THAT(error_of("type A = string\n  b string\n"), HasSubstr("line 2: another name"));
  EXPECT_THAT(error_of("  b string\n"), HasSubstr("line 1: an indented line"));
  EXPECT_THAT(error_of("package a\n  b string\n"), HasSubstr("line 2: an indented line"));
  EXPECT_THAT(error_of("thing A\n"), HasSubstr("line 1: a line at the margin"));
  EXPECT_THAT(error_of("type A\n  b string list=set\n"), HasSubstr("line 2: list= wants a list type"));
  EXPECT_THAT(error_of("type A\n  b [string] list=map()\n"), HasSubstr("line 2: list=map"));
  EXPECT_THAT(error_of("type A\n  b string atomic\n"), HasSubstr("line 2: atomic and granular"));
  EXPECT_THAT(error_of("type A\n  b string default={\n"), HasSubstr("a bracket is not closed"));
  EXPECT_THAT(error_of("type A\n  b string default=x\n"), HasSubstr("line 2: default= wants JSON"));
  EXPECT_THAT(error_of("type A\n  b string max-length=-1\n"), HasSubstr("line 2: max-length= wants a count"));
  EXPECT_THAT(error_of("type A\n  b int32 min=nan\n"), HasSubstr("line 2: min= wants a number"));
  EXPECT_THAT(error_of("type A\n  b string enum=3\n"), HasSubstr("line 2: enum= wants a list"));
  EXPECT_THAT(error_of("type A\n  b string pattern=x\n"), HasSubstr("line 2: pattern="));
  EXPECT_THAT(error_of("type A\n  b [[[[[[[[[[string]]]]]]]]]]\n"), HasSubstr("line 2: lists and maps are nested"));
  EXPECT_THAT(error_of("type\n"), HasSubstr("type wants a name"));
  EXPECT_THAT(error_of("use a b\n"), HasSubstr("expected: use ALIAS = PACKAGE"));
  EXPECT_THAT(error_of("crd X group=g version=v plural=p singular=s scope=Cluster\n"), HasSubstr("no type called X"));
  EXPECT_THAT(error_of("type X\ncrd X group=g\n"), HasSubstr("line 2: crd wants group="));
}

// Every cut and every change of one byte of a text with all features ends in a library or an error, never in a crash.
TEST(TypeLanguage, SurvivesDamagedTexts) {
  const std::string text =
      "package a.b\nuse c = d\ntype T atomic \"x\"\n  f [{int32}] required default={\"a\":[1]} list=map(k,l) \"d\"\n"
      "type U = string enum=[\"q\"] pattern=\"z\" rule=[\"a\",\"b\"]\ncrd T group=g version=v plural=p singular=s "
      "scope=Cluster short=a,b\n  column N t .p priority=1\n";
  size_t read_well = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string cut = text.substr(0, at);
    read_well += error_of(cut) == "no error" ? 1 : 0;
    for (const char c : {'\0', '"', '[', '}', '\n', '=', ' ', '\\', '\xc3'}) {
      std::string changed = text;
      changed[at] = c;
      read_well += error_of(changed) == "no error" ? 1 : 0;
    }
  }
  EXPECT_EQ(error_of(text), "no error");
  EXPECT_GT(read_well, 0U);
}

TEST(TypeLanguage, LongChainsOfNamesNeedNoStack) {
  std::string text = "type T0 = string\n";
  for (int i = 1; i < 20000; ++i) {
    text.insert(0, "type T" + std::to_string(i) + " = T" + std::to_string(i - 1) + "\n");
  }
  EXPECT_EQ(read(text).schemas.find("T19999")->shape, Shape::String);
}

TEST(BuiltinTypes, AllTextsParse) {
  const auto builtin = parse_types(builtin_type_texts());
  ASSERT_TRUE(builtin.has_value()) << builtin.error().message;
  const auto volcano = parse_types(volcano_type_texts(), &builtin->schemas);
  ASSERT_TRUE(volcano.has_value()) << volcano.error().message;
  EXPECT_EQ(volcano->crds.size(), 11U);
}

TEST(BuiltinTypes, PodsMergeAndDefaultAsInKubernetes) {
  const Schema* spec = builtin_schemas().find("io.k8s.api.core.v1.PodSpec");
  ASSERT_NE(spec, nullptr);
  EXPECT_EQ(spec->find("containers")->patch_merge_key, "name");
  EXPECT_EQ(spec->find("containers")->when_empty, WhenEmpty::Write);
  EXPECT_TRUE(spec->find("containers")->required);
  EXPECT_TRUE(spec->find("volumes")->patch_retain_keys);
  EXPECT_TRUE(spec->find("nodeSelector")->type->atomic);
  EXPECT_EQ(*spec->find("restartPolicy")->fallback, text::Value("Always"));
  EXPECT_EQ(*spec->find("terminationGracePeriodSeconds")->fallback, text::Value(30));
  EXPECT_EQ(spec->find("terminationGracePeriodSeconds")->when_empty, WhenEmpty::Keep);
  EXPECT_EQ(spec->find("tolerations")->type->list_type, ListType::Atomic);
  const Schema* container = spec->find("containers")->type->element;
  EXPECT_EQ(container->find("resources")->when_empty, WhenEmpty::Write);
  EXPECT_THAT(container->find("ports")->type->list_keys, ElementsAre("containerPort", "protocol"));
  EXPECT_EQ(container->find("ports")->patch_merge_key, "containerPort");
  const Schema* meta = builtin_schemas().find("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  EXPECT_EQ(meta->find("creationTimestamp")->when_empty, WhenEmpty::Omit);
  EXPECT_EQ(meta->find("ownerReferences")->patch_merge_key, "uid");
  EXPECT_EQ(meta->find("finalizers")->type->list_type, ListType::Set);
  EXPECT_TRUE(meta->find("ownerReferences")->type->element->atomic);
}

// A list that is a map has its keys among the fields of its elements, and each key is given or has a default.
TEST(BuiltinTypes, KeysOfListsExist) {
  size_t lists = 0;
  for (const auto& [name, type] : builtin_schemas().by_name()) {
    for (const SchemaField& field : type->fields) {
      ASSERT_NE(field.type, nullptr) << name << "." << field.name;
      for (const std::string& key : field.type->list_keys) {
        EXPECT_NE(field.type->element->find(key), nullptr) << name << "." << field.name << " " << key;
        ++lists;
      }
      if (field.patch_merge && !field.patch_merge_key.empty()) {
        EXPECT_NE(field.type->element->find(field.patch_merge_key), nullptr) << name << "." << field.name;
      }
    }
  }
  EXPECT_GT(lists, 40U);
}

}  // namespace
}  // namespace basalt::api
