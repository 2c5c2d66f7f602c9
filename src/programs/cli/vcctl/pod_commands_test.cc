#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::vcctl {
namespace {

class PodCommands : public VcctlTest {
 protected:
  void add_pod(const std::string& place, const std::string& name, const std::string& metadata) {
    api.put("pods",
            "{metadata: {namespace: " + place + ", name: " + name + ", " + metadata +
                ", creationTimestamp: \"2026-11-15T18:46:29Z\"}, spec: {containers: [{name: c}], nodeName: n1}, "
                "status: {phase: Running, containerStatuses: [{name: c, ready: true, state: {running: {}}}]}}");
  }
  void SetUp() override {
    add_pod("default", "test-job-nginx-0", "labels: {volcano.sh/job-name: test-job, volcano.sh/queue-name: default}");
    add_pod("default", "test-job-nginx-1", "labels: {volcano.sh/job-name: test-job, volcano.sh/queue-name: default}");
    add_pod("default", "bare", "annotations: {scheduling.volcano.sh/queue-name: research}");
  }
};

TEST_F(PodCommands, ListShowsPodsOfJobs) {
  EXPECT_EQ(vcctl({"pod", "list"}).out,
            "Name                    Ready      Status         Restart  Age       \n"
            "test-job-nginx-0        1/1        Running        0        4s        \n"
            "test-job-nginx-1        1/1        Running        0        4s        \n");
}

TEST_F(PodCommands, ListByJobAndQueue) {
  EXPECT_EQ(vcctl({"pod", "list", "-j", "other"}).out, "No resources found\n");
  EXPECT_EQ(vcctl({"pod", "list", "-j", "test-job", "-q", "default", "-o", "name"}).out,
            "pod/test-job-nginx-0\npod/test-job-nginx-1\n");
  EXPECT_EQ(vcctl({"pod", "list", "-q", "research", "-o", "name"}).out, "pod/bare\n");
  EXPECT_EQ(vcctl({"pod", "list", "-j", "test-job", "-q", "research"}).out,
            "Failed to list pod: the input vcjob test-job does not match the queue research\n");
  EXPECT_EQ(vcctl({"pod", "list", "-j", "a)b"}).code, 255);
}

TEST_F(PodCommands, ListOfAllNamespacesIsSorted) {
  add_pod("another", "z", "labels: {volcano.sh/job-name: z}");
  const std::string out = vcctl({"pod", "list", "--all-namespaces"}).out;
  EXPECT_TRUE(
      out.starts_with("Namespace      Name                    Ready      Status         Restart  Age       \n"
                      "another        z                       1/1        Running        0        4s        \n"))
      << out;
}

TEST_F(PodCommands, PodGroups) {
  api.put("podgroups",
          "{metadata: {name: g, namespace: default, creationTimestamp: \"2026-11-15T18:46:29Z\"}, "
          "spec: {minMember: 3, queue: default}, status: {phase: Inqueue, running: 1}}");
  const std::string table =
      "Name    Phase      MinMember    Running    Succeeded    Failed    Queue      Age    \n"
      "g       Inqueue    3            1          0            0         default    4s     \n";
  EXPECT_EQ(vcctl({"podgroup", "list"}).out, table);
  EXPECT_EQ(vcctl({"podgroup", "get", "g"}).out, table);
  EXPECT_EQ(vcctl({"podgroup", "list", "-q", "research"}).out, "No resources found\n");
  EXPECT_EQ(vcctl({"podgroup", "get"}).out,
            "Failed to get podgroup: name is mandatory to get the particular podgroup details\n");
}

TEST_F(PodCommands, NothingFromAServerSteersAScreen) {
  api.put("podgroups", "{metadata: {name: \"a\\e[2Jb\", namespace: default}, status: {phase: \"\\n\"}}");
  EXPECT_NE(vcctl({"podgroup", "list"}).out.find("a^[[2Jb    ^J "), std::string::npos);
}

TEST_F(PodCommands, WatchAddsRowsInTheSameColumns) {
  api.watches = {{FakeApi::event(client::WatchEventType::Deleted, "{metadata: {name: x, namespace: default}}"),
                  FakeApi::end_of_watch(500, "InternalError", "enough")}};
  const std::string out = vcctl({"pod", "list", "-w"}).out;
  EXPECT_TRUE(out.ends_with("\nx                       0/0                       0        <unknown> \n")) << out;
}

TEST_F(PodCommands, AServerThatEndsEveryWatchIsGivenUp) {
  for (int i = 0; i < 9; ++i) api.watches.push_back({FakeApi::end_of_watch(504, "WatchEnded", "over")});
  EXPECT_EQ(vcctl({"pod", "list", "-w"}).err,
            "Failed to list pod: the server ends every watch at once; run the command again later\n");
}

}  // namespace
}  // namespace basalt::cli::vcctl
