#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::vcctl {
namespace {

constexpr std::string_view kJobHeader =
    "Name       Creation       Phase       JobType     Replicas    Min   Pending   Running   Succeeded   Failed    "
    "Unknown     RetryCount\n";

class JobCommands : public VcctlTest {
 protected:
  void SetUp() override {
    api.put("jobs", R"(
metadata: {name: test-job, namespace: default, uid: u-1, creationTimestamp: "2026-11-15T18:46:29Z"}
spec: {queue: default, schedulerName: volcano, minAvailable: 3, tasks: [{name: nginx, replicas: 3}]}
status: {minAvailable: 3, running: 3, state: {phase: Running}}
)");
  }
};

TEST_F(JobCommands, ListHasVolcanosColumns) {
  const CommandResult result = vcctl({"job", "list"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            std::string(kJobHeader) +
                "test-job   2026-11-15     Running     Batch       3           3     0         3         0           "
                "0         0           0         \n");
}

TEST_F(JobCommands, ListSaysLastWhyAJobWaits) {
  environment.clear();  // our own output
  api.put("jobs", R"(
metadata: {name: large, namespace: default, uid: u-2, creationTimestamp: "2026-11-15T18:46:29Z"}
spec: {queue: default, schedulerName: volcano, minAvailable: 1, tasks: [{name: a, replicas: 1}]}
status:
  minAvailable: 1
  pending: 1
  state: {phase: Pending, reason: NeverFits, message: "needs 100 nvidia.com/gpu, the cluster has 64: cannot ever run"}
)");
  const std::string table = vcctl({"job", "list"}).out;
  EXPECT_NE(table.find("RetryCount  Reason"), std::string::npos) << table;
  EXPECT_NE(table.find("0           needs 100 nvidia.com/gpu, the cluster has 64: cannot ever run"), std::string::npos)
      << table;
  EXPECT_EQ(vcctl({"job", "list", "--volcano-output"}).out.find("Reason"), std::string::npos);
  const std::string wide = tool("vjobs", {"-o", "wide"}).out;
  EXPECT_NE(wide.find("Age   Reason"), std::string::npos) << wide;
}

TEST_F(JobCommands, ListOfAllNamespacesHasOneColumnMore) {
  api.put("jobs", R"(
metadata: {name: a, namespace: research, labels: {volcano.sh/job-type: Ray}, creationTimestamp: "2026-11-15T18:46:29Z"}
spec: {tasks: [{replicas: 1}, {replicas: 2}]}
status: {state: {phase: Pending}, pending: 3, retryCount: 1}
)");
  const CommandResult result = vcctl({"job", "list", "--all-namespaces"});
  EXPECT_EQ(result.out,
            "Namespace   Name       Creation       Phase       JobType     Replicas    Min   Pending   Running   "
            "Succeeded   Failed    Unknown     RetryCount\n"
            "default     test-job   2026-11-15     Running     Batch       3           3     0         3         "
            "0           0         0           0         \n"
            "research    a          2026-11-15     Pending     Ray         3           0     3         0         "
            "0           0         0           1         \n");
}

TEST_F(JobCommands, ListFilters) {
  EXPECT_EQ(vcctl({"job", "list", "-q", "other"}).out, "No resources found\n");
  EXPECT_EQ(vcctl({"job", "list", "-S", "other"}).out, "No resources found\n");
  EXPECT_EQ(vcctl({"job", "list", "--selector", "xyz"}).out, "No resources found\n");
  EXPECT_EQ(vcctl({"job", "list", "-n", "nowhere"}).out, "No resources found\n");
  EXPECT_NE(vcctl({"job", "list", "-q", "default", "-S", "volcano", "--selector", "st-j"}).out.find("test-job"),
            std::string::npos);
  EXPECT_EQ(tool("vjobs", {"--selector", "xyz"}).out, "No resources found\n");
  EXPECT_EQ(vcctl({"job", "list", "-n", "nowhere"}).code, 0);
}

TEST_F(JobCommands, ListInFormatsForPrograms) {
  EXPECT_EQ(vcctl({"job", "list", "-o", "name"}).out, "job.batch.volcano.sh/test-job\n");
  const auto json = text::parse_json(vcctl({"job", "list", "-o", "json"}).out);
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(json->at("kind"), "List");
  EXPECT_EQ(json->at("items").at(0).at("apiVersion"), "batch.volcano.sh/v1alpha1");
  const auto yaml = text::parse_yaml(vcctl({"job", "list", "-o", "yaml"}).out);
  ASSERT_TRUE(yaml.has_value());
  EXPECT_EQ(yaml->value, *json);
  EXPECT_NE(vcctl({"job", "list", "-o", "wide"}).out.find("RetryCount  Queue     Scheduler   Age   \n"),
            std::string::npos);
  EXPECT_EQ(vcctl({"job", "list", "-n", "nowhere", "-o", "name"}).out, "");
  const CommandResult wrong = vcctl({"job", "list", "-o", "xml"});
  EXPECT_EQ(wrong.code, 255);
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err, "Failed to list job: unknown output format \"xml\"; there are json, yaml, wide and name\n");
}

TEST_F(JobCommands, PhasesHaveColoursOnlyOnAScreen) {
  color = true;
  EXPECT_NE(vcctl({"job", "list"}).out.find("\033[32mRunning\033[0m     Batch"), std::string::npos);
  color = false;
  EXPECT_EQ(vcctl({"job", "list"}).out.find('\033'), std::string::npos);
}

TEST_F(JobCommands, WatchGoesOnWithWhatChanges) {
  api.watches = {{FakeApi::event(client::WatchEventType::Modified, R"(
metadata: {name: test-job, namespace: default, resourceVersion: "200", creationTimestamp: "2026-11-15T18:46:29Z"}
status: {state: {phase: Aborted}}
)"),
                  FakeApi::event(client::WatchEventType::Bookmark, "metadata: {resourceVersion: '210'}"),
                  FakeApi::end_of_watch(504, "WatchEnded", "over")},
                 {FakeApi::end_of_watch(410, "Expired", "too old")},
                 {FakeApi::end_of_watch(503, "NotReached", "connection refused")}};
  const CommandResult result = vcctl({"job", "list", "--watch"});
  EXPECT_EQ(result.code, 255);
  EXPECT_EQ(result.err, "Failed to list job: connection refused\n");
  std::vector<std::string> lines;
  std::istringstream in(result.out);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_GE(lines.size(), 3U) << result.out;
  EXPECT_TRUE(lines[1].starts_with("test-job   2026-11-15     Running "));
  EXPECT_TRUE(lines[2].starts_with("test-job   2026-11-15     Aborted ")) << result.out;
  // The second watch goes on behind the bookmark; the list after 410 shows again only what is new.
  std::vector<std::string> versions;
  for (const api::Call& call : api.calls) {
    if (call.verb == api::Verb::Watch) versions.push_back(call.resource_version);
  }
  EXPECT_EQ(versions, (std::vector<std::string>{"101", "210", "101"}));
}

TEST_F(JobCommands, SuspendAndResumeIssueCommands) {
  const CommandResult result = vcctl({"job", "suspend", "-N", "test-job"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out + result.err, "");
  const text::Value command = api.created("commands");
  ASSERT_TRUE(command.is_object());
  EXPECT_EQ(text::to_json(command),
            R"({"apiVersion":"bus.volcano.sh/v1alpha1","kind":"Command","metadata":)"
            R"({"generateName":"test-job-abortjob-","namespace":"default","ownerReferences":[)"
            R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"test-job","uid":"u-1","controller":true,)"
            R"("blockOwnerDeletion":true}]},"action":"AbortJob","target":{"apiVersion":"batch.volcano.sh/v1alpha1",)"
            R"("kind":"Job","name":"test-job","uid":"u-1","controller":true,"blockOwnerDeletion":true}})");
  EXPECT_EQ(tool("vresume", {"-n", "test-job", "-N", "default"}).code, 0);
  EXPECT_EQ(api.created("commands").at("action"), "ResumeJob");
  EXPECT_EQ(api.created("commands").at("metadata").at("generateName"), "test-job-resumejob-");
}

TEST_F(JobCommands, DeleteAndCancel) {
  EXPECT_EQ(vcctl({"job", "delete", "-N", "test-job"}).out, "delete job test-job successfully\n");
  EXPECT_EQ(api.find("jobs", "default/test-job"), nullptr);
  const CommandResult again = tool("vcancel", {"-n", "test-job"});
  EXPECT_EQ(again.out, "Failed to: jobs.batch.volcano.sh \"test-job\" not found\n");
  EXPECT_EQ(again.code, 255);
  SetUp();
  EXPECT_EQ(tool("vcancel", {"-n", "test-job"}).out, "cancel job test-job successfully\n");
}

TEST_F(JobCommands, ANameIsMandatory) {
  const auto failed = [this](std::vector<std::string> words) {
    const CommandResult result = vcctl(std::move(words));
    EXPECT_EQ(result.code, 255);
    return result.out;
  };
  EXPECT_EQ(failed({"job", "view"}),
            "Failed to view job: job name (specified by --name or -N) is mandatory to view a particular job\n");
  EXPECT_EQ(failed({"job", "suspend", "-n", "nowhere"}),
            "Failed to suspend job: job name is mandatory to suspend a particular job\n");
  EXPECT_EQ(failed({"job", "resume"}), "Failed to resume job: job name is mandatory to resume a particular job\n");
  EXPECT_EQ(failed({"job", "delete"}), "Failed to delete job: job name is mandatory to delete a particular job\n");
  EXPECT_EQ(failed({"job", "run"}), "Failed to run job: job name cannot be left blank\n");
  EXPECT_EQ(tool("vcancel", {}).out, "Failed to: job name is mandatory to cancel a particular job\n");
}

TEST_F(JobCommands, ANameInThePlaceOfANamespaceIsUnderstood) {
  EXPECT_EQ(tool("vcancel", {"-N", "test-job"}).code, 255);  // but not in the tools, where -n is the name
  EXPECT_EQ(vcctl({"job", "delete", "-n", "test-job"}).out,
            "Failed to delete job: job name is mandatory to delete a particular job\n")
      << "Volcano's, to the letter";
  environment.clear();  // our own output
  const CommandResult result = vcctl({"job", "delete", "-n", "test-job"});
  EXPECT_EQ(result.out, "delete job test-job successfully\n");
  EXPECT_EQ(result.err, "note: taking \"test-job\" as the name of a job; the flag for that is -N test-job\n");
  EXPECT_EQ(result.code, 0);
}

TEST_F(JobCommands, AWordIsTheName) {
  EXPECT_EQ(vcctl({"job", "delete", "test-job"}).out, "delete job test-job successfully\n");
  EXPECT_EQ(vcctl({"job", "delete", "a", "-N", "b"}).code, 1);
}

}  // namespace
}  // namespace basalt::cli::vcctl
