// What a real API server recorded in managedFields, story by story: who wrote what, and who owned it then.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "kube/api/api_test_values.h"
#include "kube/api/apply/managed_fields.h"
#include "kube/api/schema/defaults.h"
#include "kube/api/schema/normalize.h"
#include "kube/api/schema/structural.h"
#include "kube/text/patch.h"

namespace basalt::api {
namespace {

using text::Value;

struct Type {
  const Schema* schema;
  bool custom;
};

Type builtin(std::string_view name) { return {.schema = builtin_schemas().find(name), .custom = false}; }

Type gadget() {
  static SchemaSet schemas;
  static const Schema* schema = [] {
    Causes causes;
    return compile_structural(json(R"({"type":"object","properties":{
      "spec":{"type":"object","properties":{
        "n":{"type":"integer"},
        "set":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
        "m":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","p"],
          "items":{"type":"object","required":["k"],"properties":{
            "k":{"type":"string"},"p":{"type":"string","default":"TCP"},"v":{"type":"integer"}}}},
        "at":{"type":"array","items":{"type":"integer"}},
        "am":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"integer"}}},
        "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
      "status":{"type":"object","properties":{"s":{"type":"string"}}}}})"),
                              schemas, causes, "schema");
  }();
  return {.schema = schema, .custom = true};
}

// One object and the writes to it. Step n happens at second n.
class Story {
 public:
  Story(Type type, std::string api_version, std::string kind)
      : type_(type), api_version_(std::move(api_version)), kind_(std::move(kind)) {}

  void create(const std::string& manager, std::string_view body) {
    Value next = decoded(whole(body));
    track_update(*type_.schema, nullptr, next, writer(manager, ""));
    object_ = std::move(next);
  }
  void update(const std::string& manager, std::string_view body) { store(manager, "", whole(body)); }
  void merge(const std::string& manager, std::string_view patch) { merge(manager, "", patch); }
  void merge(const std::string& manager, const std::string& subresource, std::string_view patch) {
    store(manager, subresource, text::merge_patch(object_, json(patch)));
  }
  void apply(const std::string& manager, std::string_view config) { apply(manager, config, false); }
  void force(const std::string& manager, std::string_view config) { apply(manager, config, true); }

  // The owners that the last step made or changed (null: gone); the others are as before.
  void expect(std::string_view changed) {
    EXPECT_EQ(refusal_, "");
    const Value changes = json(changed);
    for (const auto& [owner, entry] : changes.as_object()) {
      if (entry.is_null()) {
        expected_.erase(std::string(owner));
      } else {
        expected_[std::string(owner)] = text::to_json(entry);
      }
    }
    EXPECT_EQ(owners(), expected_);
  }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  [[nodiscard]] const Value& object() const { return object_; }

 private:
  using Owners = std::map<std::string, std::string>;

  [[nodiscard]] Value whole(std::string_view body) const {
    Value object = json(body);
    object.as_object()["apiVersion"] = api_version_;
    object.as_object()["kind"] = kind_;
    return object;
  }
  Value decoded(Value object) const {
    EXPECT_TRUE(type_.custom ? normalize_custom(*type_.schema, object) : normalize(*type_.schema, object));
    EXPECT_TRUE(apply_defaults(*type_.schema, object));
    return object;
  }
  FieldManager writer(const std::string& manager, const std::string& subresource) {
    return {.manager = manager,
            .api_version = api_version_,
            .subresource = subresource,
            .now = Instant::from_unix_seconds(1767225600 + step_++),
            .custom = type_.custom};
  }
  void store(const std::string& manager, const std::string& subresource, Value next) {
    next = decoded(std::move(next));
    track_update(*type_.schema, &object_, next, writer(manager, subresource));
    object_ = std::move(next);
  }
  void apply(const std::string& manager, std::string_view config, bool force) {
    const Value* live = object_.is_null() ? nullptr : &object_;
    auto result = apply_config(*type_.schema, live, whole(config), writer(manager, ""), force);
    refusal_ = result ? "" : result.error().message;
    if (result) object_ = decoded(std::move(*result));
  }
  [[nodiscard]] Owners owners() const {
    Owners out;
    const Value* entries = text::find_member(object_.at("metadata"), "managedFields");
    if (entries == nullptr) return out;
    for (const Value& entry : entries->as_array()) {
      std::string name = std::string(entry.at("operation").as_string()) + " " + entry.at("manager").as_string().c_str();
      if (const Value* sub = text::find_member(entry, "subresource")) name += "/" + std::string(sub->as_string());
      const Value* time = text::find_member(entry, "time");
      Value shown(boost::json::object_kind);
      shown.as_object()["at"] = time == nullptr ? "" : std::string(time->as_string()).substr(17, 2);
      shown.as_object()["fields"] = entry.at("fieldsV1");
      out[name] = text::to_json(shown);
    }
    return out;
  }

  Type type_;
  std::string api_version_, kind_;
  Value object_;
  int64_t step_ = 0;
  std::string refusal_;
  Owners expected_;
};

TEST(ManagedFieldsStory, ConfigMap) {
  Story story(builtin("io.k8s.api.core.v1.ConfigMap"), "v1", "ConfigMap");
  story.create("m1", R"({"metadata":{"name":"x","labels":{"a":"1"}},"data":{"k":"v"}})");
  story.expect(
      R"({"Update m1":{"at":"00","fields":{"f:data":{".":{},"f:k":{}},"f:metadata":{"f:labels":{".":{},
      "f:a":{}}}}}})");
  story.update("m2", R"({"metadata":{"name":"x","labels":{"a":"2","b":"1"}},"data":{"k":"v"}})");
  story.expect(R"({"Update m1":{"at":"00","fields":{"f:data":{".":{},"f:k":{}},"f:metadata":{"f:labels":{}}}},
      "Update m2":{"at":"01","fields":{"f:metadata":{"f:labels":{"f:a":{},"f:b":{}}}}}})");
  story.update("m3", R"({"metadata":{"name":"x","labels":{"a":"2"}},"data":{"k":"v"}})");
  story.expect(R"({"Update m2":{"at":"01","fields":{"f:metadata":{"f:labels":{"f:a":{}}}}}})");
  story.apply("ap", R"({"metadata":{"name":"x","labels":{"a":"2"}},"data":{"k":"v"}})");
  story.expect(R"({"Apply ap":{"at":"","fields":{"f:data":{"f:k":{}},"f:metadata":{"f:labels":{"f:a":{}}}}}})");
  story.apply("ap", R"({"metadata":{"name":"x"},"data":{"k":"w","n":"1"}})");
  EXPECT_EQ(story.refusal(), R"(Apply failed with 1 conflict: conflict with "m1" using v1: .data.k)");
  story.force("ap", R"({"metadata":{"name":"x"},"data":{"k":"w","n":"1"}})");
  story.expect(
      R"({"Apply ap":{"at":"05","fields":{"f:data":{"f:k":{},"f:n":{}}}},"Update m1":{"at":"00","fields":{"f:data":{},
      "f:metadata":{"f:labels":{}}}}})");
  story.apply("ap", R"({"metadata":{"name":"x"},"data":{"k":"w"}})");
  story.expect(R"({"Apply ap":{"at":"06","fields":{"f:data":{"f:k":{}}}}})");
  story.apply("zz", R"({"metadata":{"name":"x"},"data":{"k":"w"}})");
  story.expect(R"({"Apply zz":{"at":"","fields":{"f:data":{"f:k":{}}}}})");
}

TEST(ManagedFieldsStory, ServicePortsByTwoKeys) {
  Story story(builtin("io.k8s.api.core.v1.Service"), "v1", "Service");
  story.apply("ap",
              R"({"metadata":{"name":"x"},"spec":{"ports":[{"port":443,"name":"b"},{"port":80,"name":"a"}],
      "selector":{"x":"y"}}})");
  story.expect(R"({"Apply ap":{"at":"00",
      "fields":{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},
      "f:name":{},"f:port":{}},"k:{\"port\":443,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}}},
      "f:selector":{}}}}})");
  story.apply(
      "other",
      R"({"metadata":{"name":"x"},"spec":{"ports":[{"port":80,"protocol":"UDP","name":"c","targetPort":53}]}})");
  story.expect(
      R"({"Apply other":{"at":"01","fields":{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"UDP\"}":{".":{},
      "f:name":{},"f:port":{},"f:protocol":{},"f:targetPort":{}}}}}}})");
  story.apply("ap", R"({"metadata":{"name":"x"},"spec":{"ports":[{"port":80,"name":"a"}]}})");
  story.expect(R"({"Apply ap":{"at":"02",
      "fields":{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},
      "f:name":{},"f:port":{}}}}}}})");
}

TEST(ManagedFieldsStory, PodAndItsStatus) {
  Story story(builtin("io.k8s.api.core.v1.Pod"), "v1", "Pod");
  story.create("m1", R"({"metadata":{"name":"x","finalizers":["x.io/b","x.io/a"]},"spec":{"enableServiceLinks":true,
      "containers":[{"name":"c","image":"i","imagePullPolicy":"Always","ports":[{"containerPort":443},
      {"containerPort":80}],"env":[{"name":"E","value":"1"}]}]}})");
  story.expect(
      R"({"Update m1":{"at":"00","fields":{"f:metadata":{"f:finalizers":{".":{},"v:\"x.io/a\"":{},"v:\"x.io/b\"":{}}},
      "f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"E\"}":{".":{},
      "f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:ports":{".":{},
      "k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}},
      "k:{\"containerPort\":443,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},
      "f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},
      "f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},
      "f:terminationGracePeriodSeconds":{}}}}})");
  story.merge("kubelet", "status", R"({"status":{"phase":"Running","conditions":[{"type":"Ready",
      "status":"True"}]}})");
  story.expect(R"({"Update kubelet/status":{"at":"01","fields":{"f:status":{"f:conditions":{".":{},
      "k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},
      "f:type":{}}},"f:phase":{}}}}})");
  story.merge("kubelet", "status", R"({"status":{"phase":"Failed"}})");
  story.expect(R"({"Update kubelet/status":{"at":"02","fields":{"f:status":{"f:conditions":{".":{},
      "k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},
      "f:type":{}}},"f:phase":{}}}}})");
  story.merge("m1", R"({"metadata":{"finalizers":["x.io/a"],"managedFields":null}})");
  story.expect(R"({"Update m1":{"at":"00","fields":{"f:metadata":{"f:finalizers":{".":{},"v:\"x.io/a\"":{}}},
      "f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"E\"}":{".":{},
      "f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:ports":{".":{},
      "k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}},
      "k:{\"containerPort\":443,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},
      "f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},
      "f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},
      "f:terminationGracePeriodSeconds":{}}}}})");
}

TEST(ManagedFieldsStory, DeploymentSharedByAppliers) {
  Story story(builtin("io.k8s.api.apps.v1.Deployment"), "apps/v1", "Deployment");
  story.create("m1", R"({"metadata":{"name":"x"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},
      "strategy":{"type":"Recreate"},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i","imagePullPolicy":"Always"}]}}}})");
  story.expect(R"({"Update m1":{"at":"00","fields":{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},
      "f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:type":{}},
      "f:template":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},
      "f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},
      "f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},
      "f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},
      "f:terminationGracePeriodSeconds":{}}}}}}})");
  story.apply("hpa", R"({"metadata":{"name":"x"},"spec":{"replicas":5}})");
  EXPECT_EQ(story.refusal(), R"(Apply failed with 1 conflict: conflict with "m1" using apps/v1: .spec.replicas)");
  story.force("hpa", R"({"metadata":{"name":"x"},"spec":{"replicas":5}})");
  story.expect(R"({"Apply hpa":{"at":"02","fields":{"f:spec":{"f:replicas":{}}}},"Update m1":{"at":"00",
      "fields":{"f:spec":{"f:progressDeadlineSeconds":{},"f:revisionHistoryLimit":{},"f:selector":{},
      "f:strategy":{"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},
      "f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},
      "f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},
      "f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},
      "f:terminationGracePeriodSeconds":{}}}}}}})");
  story.apply("side", R"({"metadata":{"name":"x"},"spec":{"template":{"spec":{"containers":[{"name":"s","image":"j",
      "imagePullPolicy":"Always"}]}}}})");
  story.expect(R"({"Apply side":{"at":"03",
      "fields":{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"s\"}":{".":{},"f:image":{},
      "f:imagePullPolicy":{},"f:name":{}}}}}}}}})");
  story.apply("side", R"({"metadata":{"name":"x","labels":{"x":"y"}}})");
  story.expect(R"({"Apply side":{"at":"04","fields":{"f:metadata":{"f:labels":{"f:x":{}}}}}})");
}

TEST(ManagedFieldsStory, NodeThatWasNeverTracked) {
  Story story(builtin("io.k8s.api.core.v1.Node"), "v1", "Node");
  story.create("m1", R"({"metadata":{"name":"x"}})");
  story.expect(R"({})");
  story.merge("kubelet", "status",
              R"({"status":{"conditions":[{"type":"Ready","status":"True","reason":"a"},{"type":"Disk",
      "status":"False"}]}})");
  story.expect(R"({})");
  story.merge("ctl", "status",
              R"({"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"a"},{"type":"Disk",
      "status":"False"}]}})");
  story.expect(R"({})");
}

TEST(ManagedFieldsStory, CustomKind) {
  Story story(gadget(), "x.io/v1", "Gadget");
  story.create("m1", R"({"metadata":{"name":"x","labels":{"a":"b"}},"spec":{"n":1,"set":["q","p"],"m":[{"k":"a","v":1}],
      "at":[1],
      "free":{"z":{"y":1}},"am":{"a":1}}})");
  story.expect(
      R"({"Update m1":{"at":"00","fields":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{".":{},"f:am":{},
      "f:at":{},"f:free":{".":{},"f:z":{".":{},"f:y":{}}},"f:m":{".":{},"k:{\"k\":\"a\",\"p\":\"TCP\"}":{".":{},
      "f:k":{},"f:p":{},"f:v":{}}},"f:n":{},"f:set":{".":{},"v:\"p\"":{},"v:\"q\"":{}}}}}})");
  story.apply("ap",
              R"({"metadata":{"name":"x"},"spec":{"set":["r"],"m":[{"k":"a","p":"UDP"}],"free":{"z":{"x":[1]}}}})");
  story.expect(R"({"Apply ap":{"at":"01","fields":{"f:spec":{"f:free":{"f:z":{".":{},"f:x":{}}},
      "f:m":{"k:{\"k\":\"a\",\"p\":\"UDP\"}":{".":{},"f:k":{},"f:p":{}}},"f:set":{"v:\"r\"":{}}}}}})");
  story.apply("ap", R"({"metadata":{"name":"x"},"spec":{"set":["s","p"]}})");
  story.expect(R"({"Apply ap":{"at":"02","fields":{"f:spec":{"f:set":{"v:\"p\"":{},"v:\"s\"":{}}}}}})");
  story.merge("ctl", "status", R"({"status":{"s":"ok"}})");
  story.expect(R"({"Update ctl/status":{"at":"03","fields":{"f:status":{".":{},"f:s":{}}}}})");
}
Value config_map(size_t keys) {
  Value object = json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})");
  text::Object& data = object.get_object()["data"].emplace_object();
  for (size_t i = 0; i < keys; ++i) data.emplace("k" + std::to_string(i), "");
  return object;
}

FieldManager writer_called(const std::string& manager) {
  return {.manager = manager, .api_version = "v1", .subresource = "", .now = Instant::from_unix_seconds(1)};
}

// What a manager no longer applies is found by a search among what it owned, not by a walk for each key.
TEST(ManagedFields, AManagerGivesUpManyFields) {
  const Schema& schema = *builtin_schemas().find("io.k8s.api.core.v1.ConfigMap");
  const auto before = apply_config(schema, nullptr, config_map(50'000), writer_called("m"), false);
  ASSERT_TRUE(before);
  const auto after = apply_config(schema, &*before, config_map(1), writer_called("m"), false);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->get_object().at("data").get_object().size(), 1U);
}

TEST(ManagedFields, OwnersAreBounded) {
  constexpr size_t kMost = 1'000;
  const Schema& schema = *builtin_schemas().find("io.k8s.api.core.v1.ConfigMap");
  Value object = config_map(1);
  text::Array& entries = object.get_object()["metadata"].get_object()["managedFields"].emplace_array();
  for (size_t i = 0; i < kMost; ++i) {
    entries.push_back({{"manager", "m" + std::to_string(i)},
                       {"operation", "Apply"},
                       {"apiVersion", "v1"},
                       {"time", "2020-01-01T00:00:00Z"},
                       {"fieldsType", "FieldsV1"},
                       {"fieldsV1", json(R"({"f:data":{"f:k0":{}}})")}});
  }
  const auto refused = apply_config(schema, &object, config_map(1), writer_called("another"), false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 413);
  EXPECT_TRUE(apply_config(schema, &object, config_map(1), writer_called("m7"), false));
  // A client that sends more of them in an update is not listened to.
  entries.push_back(entries.front());
  Value next = object;
  const Value old = config_map(1);
  track_update(schema, &old, next, writer_called("m"));
  EXPECT_FALSE(next.get_object().at("metadata").get_object().contains("managedFields"));
}

TEST(ManagedFields, ConflictsAreToldUpToABound) {
  const auto with_long_key = [](std::string_view value) {
    Value object = json(R"({"apiVersion":"x.io/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"free":{}}})");
    text::Object inner;
    for (int i = 0; i < 10'000; ++i) inner.emplace("k" + std::to_string(i), value);
    object.get_object()["spec"].get_object()["free"].get_object()[std::string(100'000, 'l')] = std::move(inner);
    return object;
  };
  FieldManager writer = writer_called("one");
  writer.api_version = "x.io/v1";
  const auto made = apply_config(*gadget().schema, nullptr, with_long_key("a"), writer, false);
  ASSERT_TRUE(made);
  writer.manager = "two";
  const auto refused = apply_config(*gadget().schema, &*made, with_long_key("b"), writer, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 409);
  EXPECT_LT(refused.error().message.size(), 1'000'000U);
}

}  // namespace
}  // namespace basalt::api
