#include "kube/api/view_base.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/api/api_test_values.h"
#include "kube/api/views/pod_view.h"

namespace basalt::api {
namespace {

TEST(Views, ReadWhatIsThere) {
  const text::Value value = json(R"({"metadata":{"name":"p","labels":{"a":"1","b":2},"finalizers":["x",3,"y"]},
      "spec":{"terminationGracePeriodSeconds":5,"hostNetwork":true,"overhead":{"cpu":1},
              "containers":[{"name":"c"},null,{"name":"d","readinessProbe":{"httpGet":{"port":"web"}}}]},
      "status":{"containerStatuses":[{"restartCount":2,"started":false}]}})");
  const PodView pod(value);
  EXPECT_TRUE(pod);
  EXPECT_EQ(pod.metadata().name(), "p");
  EXPECT_EQ(pod.spec().termination_grace_period_seconds(), 5);
  EXPECT_TRUE(pod.spec().host_network());
  EXPECT_EQ(pod.status().container_statuses()[0].restart_count(), 2);
  EXPECT_EQ(pod.status().container_statuses()[0].started(), false);
  EXPECT_EQ(pod.spec().overhead()["cpu"]->get_int64(), 1);
  EXPECT_EQ(pod.spec().containers()[2].readiness_probe().http_get().port()->get_string(), "web");
  EXPECT_EQ(pod.spec().json(), &value.at("spec").get_object());
}

TEST(Views, ListsAndMapsPassByWhatIsOfAnotherType) {
  const text::Value value = json(R"({"metadata":{"labels":{"a":"1","b":2,"c":"3"},"finalizers":["x",3,"y"]},
      "spec":{"containers":[1,{"name":"c"},null,{"name":"d"}]}})");
  const PodView pod(value);
  std::vector<std::string> seen;
  for (const ContainerView container : pod.spec().containers()) seen.emplace_back(container.name());
  for (const std::string_view finalizer : pod.metadata().finalizers()) seen.emplace_back(finalizer);
  for (const auto [key, text] : pod.metadata().labels()) seen.push_back(std::string(key) + "=" + std::string(text));
  EXPECT_EQ(seen, (std::vector<std::string>{"c", "d", "x", "y", "a=1", "c=3"}));
  EXPECT_EQ(pod.spec().containers().size(), 4U);
  EXPECT_FALSE(pod.spec().containers()[0]);
  EXPECT_EQ(pod.metadata().labels()["b"], "");
  EXPECT_FALSE(pod.metadata().labels().find("b"));
  EXPECT_EQ(pod.metadata().labels().find("c"), "3");
}

TEST(Views, AbsentNullAndOfAnotherTypeReadAsZero) {
  for (const char* written : {"{}", "null", "[]", R"({"metadata":1,"spec":null,"status":[]})",
                              R"({"spec":{"nodeName":5,"hostNetwork":"x","priority":"1","containers":{},"overhead":[],
                                          "terminationGracePeriodSeconds":1.5,"affinity":"x"}})"}) {
    const text::Value value = json(written);
    const PodView pod(value);
    EXPECT_FALSE(pod.status());
    EXPECT_EQ(pod.spec().node_name(), "");
    EXPECT_FALSE(pod.spec().host_network());
    EXPECT_FALSE(pod.spec().priority());
    EXPECT_FALSE(pod.spec().termination_grace_period_seconds());
    EXPECT_FALSE(pod.spec().affinity().node_affinity());
    EXPECT_FALSE(pod.spec().containers());
    EXPECT_TRUE(pod.spec().containers().empty());
    EXPECT_TRUE(pod.spec().overhead().empty());
    EXPECT_EQ(pod.spec().overhead()["cpu"], nullptr);
    for (const ContainerView container : pod.spec().containers()) FAIL() << container.name();
    for (const auto [key, text] : pod.metadata().labels()) FAIL() << key << text;
    EXPECT_EQ(pod.metadata().generation(), 0);
    EXPECT_EQ(pod.metadata().generation(7), 7);
  }
}

}  // namespace
}  // namespace basalt::api
