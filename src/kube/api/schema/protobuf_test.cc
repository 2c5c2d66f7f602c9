#include "kube/api/schema/protobuf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace basalt::api {
namespace {

using ::testing::HasSubstr;

// Writes messages: what a client would have sent.
std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>(static_cast<uint8_t>(value) | 0x80U);
  return out + static_cast<char>(value);
}
std::string number(uint64_t field, int64_t value) { return varint(field << 3U) + varint(static_cast<uint64_t>(value)); }
std::string bytes(uint64_t field, std::string_view value) {
  return varint(field << 3U | 2U) + varint(value.size()) + std::string(value);
}
std::string fixed(uint64_t field, double value) {
  std::string out = varint(field << 3U | 1U);
  const auto bits = std::bit_cast<uint64_t>(value);
  for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(bits >> (8 * i) & 0xFFU);
  return out;
}
std::string entry(uint64_t field, std::string_view key, std::string_view value) {
  return bytes(field, bytes(1, key) + bytes(2, value));
}
std::string sealed(std::string_view version, std::string_view kind, std::string_view message) {
  return std::string("k8s\0", 4) + bytes(1, bytes(1, version) + bytes(2, kind)) + bytes(2, message);
}

constexpr std::string_view kCore = "io.k8s.api.core.v1.";
constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
constexpr std::string_view kExtensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

// The JSON of a message, or what is wrong with it.
std::string decoded(std::string_view package, std::string_view type, std::string_view message) {
  const ProtobufMessage* layout = builtin_protobuf().find(std::string(package) + std::string(type));
  if (layout == nullptr) return "no such type";
  const auto value = decode_protobuf(*layout, message);
  return value ? text::to_json(*value) : value.error().message;
}

// The names of all fields that have a number, and every number once.
void gather(const ProtobufMessage& message, std::set<std::string>& names) {
  uint32_t last = 0;
  for (const ProtobufField& field : message.fields) {
    EXPECT_GT(field.number, last) << message.name;
    last = field.number;
    if (field.field == nullptr) {
      ASSERT_NE(field.message, nullptr);
      gather(*field.message, names);
    } else {
      EXPECT_TRUE(names.insert(field.field->name).second) << message.name << "." << field.field->name;
    }
  }
}

TEST(ProtobufLayout, EveryFieldOfEveryBuiltInTypeHasANumber) {
  size_t types = 0;
  for (const auto& [name, schema] : builtin_schemas().by_name()) {
    if (schema->shape != Shape::Object) continue;
    const ProtobufMessage* message = builtin_protobuf().find(name);
    ASSERT_NE(message, nullptr) << name;
    std::set<std::string> names;
    gather(*message, names);
    // An object's own apiVersion and kind are in the envelope, not in the message.
    const bool in_envelope = schema->find("apiVersion") != nullptr && schema->find("kind") != nullptr;
    for (const SchemaField& field : schema->fields) {
      if (in_envelope && (field.name == "apiVersion" || field.name == "kind")) continue;
      EXPECT_TRUE(names.contains(field.name)) << name << "." << field.name << " has no number";
    }
    ++types;
  }
  EXPECT_GT(types, 300U);
}

TEST(ProtobufLayout, MistakesInTheTextAreNamed) {
  const auto problem = [](std::string_view text) {
    const auto read = ProtobufLayout::read(builtin_schemas(), text);
    return read ? std::string("none") : read.error().message;
  };
  EXPECT_EQ(problem("# a comment\nio.k8s.api.core.v1.Pod metadata=1 spec=2\n\nunknown.Type a=1\n"), "none");
  EXPECT_THAT(problem("io.k8s.api.core.v1.Pod metadata=x"), HasSubstr("Pod: \"metadata=x\" is not field=number"));
  EXPECT_THAT(problem("io.k8s.api.core.v1.Pod metadata=0"), HasSubstr("is not field=number"));
  EXPECT_THAT(problem("io.k8s.api.core.v1.Pod metadata=1 spec=1"), HasSubstr("has the number 1 twice"));
  EXPECT_THAT(problem("io.k8s.api.core.v1.Volume name=2 hostPath=2.1"), HasSubstr("has the number 2 twice"));
  EXPECT_THAT(problem("io.k8s.api.core.v1.Volume hostPath=.1"), HasSubstr("is not field=number"));
  EXPECT_THAT(problem("io.k8s.api.core.v1.Pod spec=1\nio.k8s.api.core.v1.Pod spec=1"), HasSubstr("has two lines"));
  EXPECT_THAT(problem("io.k8s.api.core.v1.PersistentVolumeSpec claimRef=4"), HasSubstr("say whose numbers"));
}

TEST(Protobuf, TheEnvelopeNamesTheKind) {
  const std::string body = sealed("apps/v1", "Deployment", "abc") + bytes(4, "ignored");
  const auto envelope = open_envelope(body);
  ASSERT_TRUE(envelope.has_value());
  EXPECT_EQ(envelope->api_version, "apps/v1");
  EXPECT_EQ(envelope->kind, "Deployment");
  EXPECT_EQ(envelope->message, "abc");
  for (const std::string& wrong : {std::string(), std::string("{}"), std::string("k8s"), std::string("k8s\0", 4),
                                   body.substr(0, body.size() - 1), sealed("\xff", "Pod", "")}) {
    EXPECT_FALSE(open_envelope(wrong).has_value());
  }
}

TEST(Protobuf, APodWithListsMapsAndInnerMessages) {
  const std::string meta = bytes(1, "p") + bytes(3, "default") + bytes(5, "") + bytes(8, "") + entry(11, "app", "web");
  const std::string resources = entry(2, "cpu", bytes(1, "500m"));
  const std::string container = bytes(1, "main") + bytes(3, "sh") + bytes(3, "-c") + bytes(8, resources);
  const std::string volume = bytes(1, "v") + bytes(2, bytes(1, bytes(1, "/data")));
  const std::string spec = bytes(1, volume) + bytes(2, container) + bytes(3, "") + number(4, 30) + number(11, 0) +
                           number(21, 0) + number(25, -5);
  EXPECT_EQ(decoded(kCore, "Pod", bytes(1, meta) + bytes(2, spec)),
            R"({"metadata":{"name":"p","namespace":"default","labels":{"app":"web"}},)"
            R"("spec":{"volumes":[{"name":"v","hostPath":{"path":"/data"}}],)"
            R"("containers":[{"name":"main","command":["sh","-c"],"resources":{"requests":{"cpu":"500m"}}}],)"
            R"("terminationGracePeriodSeconds":30,"automountServiceAccountToken":false,"priority":-5}})");
}

TEST(Protobuf, NumbersMayBePackedAndUnknownFieldsAreSkipped) {
  EXPECT_EQ(decoded(kCore, "PodSecurityContext", number(4, 7) + bytes(4, varint(8) + varint(9)) + bytes(999, "x")),
            R"({"supplementalGroups":[7,8,9]})");
  EXPECT_THAT(decoded(kCore, "PodSecurityContext", bytes(4, "\x80")), HasSubstr("supplementalGroups"));
}

TEST(Protobuf, ValuesThatAreMessagesOfTheirOwn) {
  EXPECT_EQ(decoded(kCore, "Secret", entry(2, "k", std::string_view("\0\xff", 2)) + bytes(2, bytes(1, "none"))),
            R"({"data":{"k":"AP8=","none":""}})");
  const auto budget = [](std::string_view value) {
    return decoded("io.k8s.api.policy.v1.", "PodDisruptionBudgetSpec", bytes(1, value));
  };
  EXPECT_EQ(budget(number(1, 0) + number(2, -3)), R"({"minAvailable":-3})");
  EXPECT_EQ(budget(number(1, 1) + bytes(3, "50%")), R"({"minAvailable":"50%"})");
  EXPECT_EQ(decoded(kMeta, "ManagedFieldsEntry", bytes(7, bytes(1, R"({"f:a":{}})"))), R"({"fieldsV1":{"f:a":{}}})");
  EXPECT_EQ(decoded("io.k8s.api.authentication.v1.", "UserInfo", entry(4, "scopes", bytes(1, "a") + bytes(1, "b"))),
            R"({"extra":{"scopes":["a","b"]}})");
}

// Protobuf leaves out what is empty: an entry may have no key, no value, or neither.
TEST(Protobuf, EntriesMayLackTheirKeyOrValue) {
  EXPECT_EQ(decoded(kCore, "ConfigMap", bytes(2, bytes(2, "v"))), R"({"data":{"":"v"}})");
  EXPECT_EQ(decoded(kCore, "ConfigMap", bytes(2, bytes(1, "k"))), R"({"data":{"k":""}})");
  EXPECT_EQ(decoded(kCore, "ConfigMap", bytes(2, "")), R"({"data":{"":""}})");
}

TEST(Protobuf, TimesHaveWholeSecondsOrSixDigits) {
  const auto time = [](std::string_view value) { return decoded(kMeta, "ManagedFieldsEntry", bytes(4, value)); };
  EXPECT_EQ(time(number(1, 1'700'000'000) + number(2, 5000)), R"({"time":"2023-11-14T22:13:20Z"})");
  EXPECT_EQ(time(number(1, 0)), R"({"time":"1970-01-01T00:00:00Z"})");
  EXPECT_EQ(time(""), R"({"time":null})");
  EXPECT_EQ(time(number(1, -62'135'596'800)), R"({"time":null})");
  EXPECT_THAT(time(number(1, INT64_MAX)), HasSubstr("between the years"));
  EXPECT_EQ(decoded("io.k8s.api.coordination.v1.", "LeaseSpec", bytes(4, number(1, 1) + number(2, 5'999))),
            R"({"renewTime":"1970-01-01T00:00:01.000005Z"})");
}

TEST(Protobuf, SchemasOfDefinitionsHaveAlternatives) {
  const auto schema = [](const std::string& message) { return decoded(kExtensions, "JSONSchemaProps", message); };
  const std::string text = bytes(5, "string");
  EXPECT_EQ(schema(bytes(8, bytes(1, "[1]")) + fixed(9, 2.5)), R"({"default":[1],"maximum":2.5})");
  EXPECT_EQ(schema(bytes(24, bytes(1, text))), R"({"items":{"type":"string"}})");
  EXPECT_EQ(schema(bytes(24, bytes(2, text) + bytes(2, text))), R"({"items":[{"type":"string"},{"type":"string"}]})");
  EXPECT_EQ(schema(bytes(30, number(1, 1))), R"({"additionalProperties":true})");
  EXPECT_EQ(schema(bytes(30, number(1, 0))), R"({"additionalProperties":false})");
  EXPECT_EQ(schema(bytes(30, number(1, 1) + bytes(2, text))), R"({"additionalProperties":{"type":"string"}})");
  EXPECT_EQ(schema(entry(32, "a", bytes(2, "x"))), R"({"dependencies":{"a":["x"]}})");
  EXPECT_EQ(schema(entry(32, "a", bytes(1, text))), R"({"dependencies":{"a":{"type":"string"}}})");
}

TEST(Protobuf, DeepNestingIsAnErrorNotACrash) {
  std::string nested = bytes(5, "string");
  size_t levels = 1;
  for (; levels < kMaxProtobufDepth; ++levels) nested = bytes(28, nested);
  EXPECT_THAT(decoded(kExtensions, "JSONSchemaProps", nested), HasSubstr(R"("type":"string")"));
  EXPECT_THAT(decoded(kExtensions, "JSONSchemaProps", bytes(28, nested)), HasSubstr("nested deeper"));
  for (; levels < 2'000; ++levels) nested = bytes(24, bytes(1, nested));
  EXPECT_THAT(decoded(kExtensions, "JSONSchemaProps", nested), HasSubstr("nested deeper"));
}

TEST(Protobuf, BrokenBytesAreErrors) {
  const std::string whole = bytes(1, bytes(1, "name")) + bytes(2, bytes(2, bytes(1, "main")));
  ASSERT_EQ(decoded(kCore, "Pod", whole), R"({"metadata":{"name":"name"},"spec":{"containers":[{"name":"main"}]}})");
  const size_t first = bytes(1, bytes(1, "name")).size();
  for (size_t size = 1; size < whole.size(); ++size) {
    if (size == first) continue;
    EXPECT_THAT(decoded(kCore, "Pod", whole.substr(0, size)), HasSubstr("broken")) << size;
  }
  EXPECT_THAT(decoded(kCore, "Pod", std::string(11, '\xff')), HasSubstr("broken"));
  EXPECT_THAT(decoded(kCore, "Pod", bytes(0, "")), HasSubstr("broken"));
  EXPECT_THAT(decoded(kCore, "Pod", "\x0b\x0c"), HasSubstr("broken"));         // a group
  EXPECT_THAT(decoded(kCore, "Pod", number(2, 1)), HasSubstr("spec: "));       // a number for an object
  EXPECT_THAT(decoded(kCore, "PodSpec", bytes(4, "x")), HasSubstr("broken"));  // text for a number
  EXPECT_THAT(decoded(kCore, "PodSpec", bytes(10, "\xc3(")), HasSubstr("UTF-8"));
  EXPECT_THAT(decoded(kCore, "Volume", number(2, 1)), HasSubstr("broken"));
  EXPECT_THAT(decoded(kCore, "ConfigMap", entry(2, "\xff", "x")), HasSubstr("UTF-8"));
  EXPECT_THAT(decoded(kMeta, "ManagedFieldsEntry", bytes(7, bytes(1, "{"))), HasSubstr("fieldsV1"));
}

}  // namespace
}  // namespace basalt::api
