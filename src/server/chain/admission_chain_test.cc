#include "server/chain/admission_chain.h"

#include <gtest/gtest.h>

#include <map>

#include "kube/api/kind_rules.h"

namespace basalt::server::chain {
namespace {

text::Object object_of(std::string_view json) { return text::parse_json(json).value().get_object(); }

// A small cluster of objects by "resource/key", which counts how often it was asked.
struct World {
  std::map<std::string, ObjectPtr> objects;
  int lookups = 0;
  AdmissionChainOptions options;

  World() { put("namespaces", "n", R"({"status":{"phase":"Active"}})"); }
  void put(const std::string& resource, const std::string& key, std::string_view json) {
    objects[resource + ":" + key] = std::make_shared<const text::Value>(object_of(json));
  }
  AdmissionContext admission_context() {
    AdmissionContext out;
    out.get = [this](std::string_view resource, std::string_view key) {
      ++lookups;
      const auto at = objects.find(std::string(resource) + ":" + std::string(key));
      return at == objects.end() ? nullptr : at->second;
    };
    out.list = [this](std::string_view resource, std::string_view prefix) {
      ++lookups;
      std::vector<ObjectPtr> found;
      const std::string head = std::string(resource) + ":" + std::string(prefix);
      for (const auto& [key, object] : objects) {
        if (key.starts_with(head)) found.push_back(object);
      }
      return found;
    };
    out.options = &options;
    return out;
  }
};

api::ApiResource resource_of(std::string_view group, std::string_view kind, std::string_view plural, bool namespaced) {
  api::ApiResource resource;
  resource.group = group;
  resource.storage_group = group;
  resource.kind = kind;
  resource.plural = plural;
  resource.namespaced = namespaced;
  return resource;
}

const api::ApiResource kPods = resource_of("", "Pod", "pods", true);

api::ApiResult<void> create(World& world, const api::ApiResource& resource, text::Object& object) {
  return admit(AdmissionOperation::Create, resource, "", &object, nullptr, world.admission_context());
}

text::Object pod(std::string_view spec = R"({"containers":[{"name":"c"}]})") {
  return text::Object{{"metadata", text::Object{{"name", "p"}, {"namespace", "n"}}}, {"spec", object_of(spec)}};
}

TEST(Admission, APodGetsPriorityAndTolerationsForFiveLookups) {
  World world;
  text::Object one = pod();
  ASSERT_TRUE(create(world, kPods, one).has_value());
  const text::Object& spec = one["spec"].get_object();
  EXPECT_EQ(spec.at("priority"), text::Value(0));
  EXPECT_EQ(spec.at("preemptionPolicy"), "PreemptLowerPriority");
  EXPECT_EQ(spec.at("tolerations").get_array().size(), 2U);
  EXPECT_LE(world.lookups, 5);
}

TEST(Admission, NamespacesMustExistAndLive) {
  World world;
  text::Object lost = pod();
  lost["metadata"].get_object()["namespace"] = "nowhere";
  EXPECT_EQ(create(world, kPods, lost).error().code, 404);
  world.put("namespaces", "n", R"({"status":{"phase":"Terminating"}})");
  text::Object late = pod();
  const auto refused = create(world, kPods, late);
  EXPECT_EQ(refused.error().code, 403);
  EXPECT_EQ(refused.error().causes.at(0).reason, "NamespaceTerminating");
}

TEST(Admission, SomeNamespacesCannotBeDeleted) {
  World world;
  const api::ApiResource spaces = resource_of("", "Namespace", "namespaces", false);
  for (const std::string name : {"default", "kube-system", "kube-public", "mine"}) {
    const text::Object old{{"metadata", text::Object{{"name", name}}}};
    EXPECT_EQ(admit(AdmissionOperation::Delete, spaces, "", nullptr, &old, world.admission_context()).has_value(),
              name == "mine");
  }
}

TEST(Admission, PriorityComesFromTheClass) {
  World world;
  world.put("priorityclasses.scheduling.k8s.io", "high", R"({"metadata":{"name":"high"},"value":100})");
  world.put("priorityclasses.scheduling.k8s.io", "low",
            R"({"metadata":{"name":"low"},"value":7,"globalDefault":true,"preemptionPolicy":"Never"})");
  text::Object high = pod(R"({"priorityClassName":"high"})");
  ASSERT_TRUE(create(world, kPods, high).has_value());
  EXPECT_EQ(high["spec"].get_object().at("priority"), text::Value(100));
  text::Object plain = pod("{}");
  ASSERT_TRUE(create(world, kPods, plain).has_value());
  EXPECT_EQ(plain["spec"].get_object().at("priorityClassName"), "low");
  EXPECT_EQ(plain["spec"].get_object().at("preemptionPolicy"), "Never");
  text::Object unknown = pod(R"({"priorityClassName":"nope"})");
  EXPECT_EQ(create(world, kPods, unknown).error().code, 403);
  text::Object liar = pod(R"({"priorityClassName":"high","priority":5})");
  EXPECT_EQ(create(world, kPods, liar).error().code, 403);
  const api::ApiResource classes = resource_of("scheduling.k8s.io", "PriorityClass", "priorityclasses", false);
  text::Object second = object_of(R"({"metadata":{"name":"other"},"globalDefault":true})");
  EXPECT_EQ(create(world, classes, second).error().code, 403);
}

TEST(Admission, LimitRangesFillAndBound) {
  World world;
  world.put("limitranges", "n/l", R"({"spec":{"limits":[{"type":"Container","default":{"cpu":"1"},
      "defaultRequest":{"cpu":"500m"},"max":{"cpu":"2"}}]}})");
  text::Object one = pod();
  ASSERT_TRUE(create(world, kPods, one).has_value());
  EXPECT_EQ(one["spec"].get_object()["containers"].get_array()[0].get_object()["resources"].get_object(),
            (text::Object{{"requests", text::Object{{"cpu", "500m"}}}, {"limits", text::Object{{"cpu", "1"}}}}));
  EXPECT_EQ(one["metadata"].get_object()["annotations"].get_object()["kubernetes.io/limit-ranger"],
            "LimitRanger plugin set: cpu request for container c; cpu limit for container c");
  text::Object big = pod(R"({"containers":[{"name":"c","resources":{"limits":{"cpu":"3"}}}]})");
  EXPECT_EQ(create(world, kPods, big).error().message,
            "pods \"p\" is forbidden: maximum cpu usage per Container is 2, but limit is 3");
}

TEST(Admission, QuotasCountWhatIsThere) {
  World world;
  world.put("resourcequotas", "n/q", R"({"metadata":{"name":"q"},"spec":{"hard":{"requests.cpu":"2","pods":"5"}}})");
  world.put("pods", "n/a", R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"1500m"}}}]}})");
  world.put("pods", "n/done",
            R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"9"}}}]},"status":{"phase":"Succeeded"}})");
  text::Object fits = pod(R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"500m"}}}]})");
  EXPECT_TRUE(create(world, kPods, fits).has_value());
  text::Object big = pod(R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"501m"}}}]})");
  EXPECT_EQ(create(world, kPods, big).error().message,
            "pods \"p\" is forbidden: exceeded quota: q, requested: requests.cpu=501m, used: requests.cpu=1500m, "
            "limited: requests.cpu=2");
  text::Object silent = pod();
  EXPECT_EQ(create(world, kPods, silent).error().message,
            "pods \"p\" is forbidden: failed quota: q: must specify requests.cpu for: c");
  world.options.quota_by_spec = false;  // no controller has filled in status.hard
  EXPECT_TRUE(create(world, kPods, big).has_value());
}

TEST(Admission, ServicesGetFreeAddresses) {
  World world;
  world.put("services", "n/a", R"({"metadata":{"name":"a","namespace":"n"},"spec":{"clusterIP":"10.96.0.2"}})");
  const api::ApiResource services = resource_of("", "Service", "services", true);
  text::Object service =
      object_of(R"({"metadata":{"name":"s","namespace":"n"},"spec":{"type":"NodePort","ports":[{"port":80}]}})");
  ASSERT_TRUE(create(world, services, service).has_value());
  EXPECT_EQ(service["spec"].get_object()["clusterIP"], "10.96.0.3");
  EXPECT_EQ(service["spec"].get_object()["ipFamilies"].get_array(), text::Array{"IPv4"});
  EXPECT_EQ(service["spec"].get_object()["ports"].get_array()[0].get_object()["nodePort"], text::Value(30000));
  text::Object taken =
      object_of(R"({"metadata":{"name":"t","namespace":"n"},"spec":{"type":"ClusterIP","clusterIP":"10.96.0.2"}})");
  EXPECT_EQ(create(world, services, taken).error().code, 422);
  text::Object next =
      object_of(R"({"metadata":{"name":"s","namespace":"n"},"spec":{"type":"ClusterIP","ports":[{"port":80}]}})");
  ASSERT_TRUE(admit(AdmissionOperation::Update, services, "", &next, &service, world.admission_context()).has_value());
  EXPECT_EQ(next["spec"].get_object()["clusterIP"], "10.96.0.3");
  EXPECT_FALSE(next["spec"].get_object()["ports"].get_array()[0].get_object().contains("nodePort"));
}

TEST(Admission, NewNodesAreNotReadyUnlessToldOtherwise) {
  World world;
  const api::ApiResource nodes = resource_of("", "Node", "nodes", false);
  text::Object node = object_of(R"({"metadata":{"name":"n"}})");
  ASSERT_TRUE(create(world, nodes, node).has_value());
  EXPECT_EQ(node["spec"].get_object()["taints"].get_array().size(), 1U);
  world.options.taint_new_nodes = false;
  text::Object clean = object_of(R"({"metadata":{"name":"n"}})");
  ASSERT_TRUE(create(world, nodes, clean).has_value());
  EXPECT_FALSE(clean.contains("spec"));
}

TEST(Admission, ClaimsGetTheDefaultStorageClass) {
  World world;
  world.put("storageclasses.storage.k8s.io", "fast", R"({"metadata":{"name":"fast","annotations":
      {"storageclass.kubernetes.io/is-default-class":"true"}}})");
  text::Object claim = object_of(R"({"metadata":{"name":"c","namespace":"n"}})");
  ASSERT_TRUE(
      create(world, resource_of("", "PersistentVolumeClaim", "persistentvolumeclaims", true), claim).has_value());
  EXPECT_EQ(claim["spec"].get_object()["storageClassName"], "fast");
}

TEST(Admission, AccountsOnlyWhenWanted) {
  World world;
  world.options.service_accounts = true;
  text::Object one = pod();
  EXPECT_EQ(create(world, kPods, one).error().code, 403);
  world.put("serviceaccounts", "n/default", "{}");
  ASSERT_TRUE(create(world, kPods, one).has_value());
  EXPECT_EQ(one["spec"].get_object()["serviceAccount"], "default");
}

}  // namespace
}  // namespace basalt::server::chain
