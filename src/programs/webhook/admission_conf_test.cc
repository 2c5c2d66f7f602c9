#include "programs/webhook/admission_conf.h"

#include <gtest/gtest.h>

#include <string>

namespace basalt::webhook {
namespace {

std::string complaint_about_conf(std::string_view text) {
  const auto groups = read_admission_conf(text);
  return groups ? "" : groups.error().message;
}

TEST(AdmissionConf, ReadsGroups) {
  const auto groups = read_admission_conf(R"(
resourceGroups:
- resourceGroup: management
  object: {key: namespace, value: [mng-ns-1, mng-ns-2]}
  schedulerName: default-scheduler
  tolerations: [{effect: NoSchedule, key: taint, operator: Exists}]
  labels: {volcano.sh/nodetype: management, rack: 5}
- resourceGroup: cpu
  object: {key: annotation, value: ["volcano.sh/resource-group: cpu"]}
  affinity: '{"nodeAffinity":{"x":1}}'
- resourceGroup: gpu
  colour: red
)");
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 3U);
  const admission::ResourceGroup& first = groups->at(0);
  EXPECT_EQ(first.name, "management");
  EXPECT_EQ(first.key, "namespace");
  EXPECT_EQ(first.values, (std::vector<std::string>{"mng-ns-1", "mng-ns-2"}));
  EXPECT_EQ(first.scheduler_name, "default-scheduler");
  EXPECT_EQ(text::to_json(first.tolerations), R"([{"effect":"NoSchedule","key":"taint","operator":"Exists"}])");
  EXPECT_EQ(text::to_json(first.labels), R"({"volcano.sh/nodetype":"management","rack":"5"})");
  EXPECT_TRUE(first.affinity.is_null());
  EXPECT_EQ(text::to_json(groups->at(1).affinity), R"({"nodeAffinity":{"x":1}})");
  EXPECT_EQ(groups->at(2).key, "");
}

TEST(AdmissionConf, CommentsAloneAreNoGroups) {
  EXPECT_TRUE(read_admission_conf("")->empty());
  EXPECT_TRUE(read_admission_conf("# resourceGroups:\n# - resourceGroup: a\n")->empty());
  EXPECT_TRUE(read_admission_conf("resourceGroups: []")->empty());
}

TEST(AdmissionConf, SaysWhereItIsWrong) {
  EXPECT_EQ(complaint_about_conf("resourceGroups: 5"), "line 1: resourceGroups: expected a list, got number 5");
  EXPECT_NE(complaint_about_conf("resourceGroups: [5]"), "");
  EXPECT_EQ(complaint_about_conf("resourceGroups:\n- object:\n    key: namspace"),
            "line 3: resourceGroups[0].object.key: expected \"namespace\" or \"annotation\"");
  EXPECT_NE(complaint_about_conf("resourceGroups: [{affinity: '[1'}]"), "");
  EXPECT_NE(complaint_about_conf("resourceGroups: [{affinity: '[1]'}]"), "");
  EXPECT_NE(complaint_about_conf("resourceGroups: [{tolerations: [a]}]"), "");
  EXPECT_NE(complaint_about_conf("resourceGroups: [{labels: {a: [b]}}]"), "");
  EXPECT_EQ(complaint_about_conf("resourceGroups:\n- tolerations:\n  - {key: a, tolerationSeconds: '5'}"),
            "line 3: resourceGroups[0].tolerations[0]: json: cannot unmarshal string into Go struct field "
            "tolerationSeconds of type int64");
  EXPECT_NE(complaint_about_conf("resourceGroups: [{affinity: '{\"nodeAffinity\": []}'}]"), "");
  EXPECT_NE(complaint_about_conf("{"), "");
  std::string many = "resourceGroups:\n";
  for (size_t i = 0; i <= kMaxResourceGroups; ++i) many += "- {}\n";
  EXPECT_NE(complaint_about_conf(many), "");
  EXPECT_NE(complaint_about_conf(std::string(kMaxAdmissionConfBytes + 1, '#')), "");
}

}  // namespace
}  // namespace basalt::webhook
