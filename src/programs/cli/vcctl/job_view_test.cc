#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::vcctl {
namespace {

// The job of a recorded session with Volcano; the page below is what its vcctl showed.
constexpr std::string_view kRecordedJob = R"(
metadata:
  name: test-job
  namespace: default
  creationTimestamp: "2026-11-15T18:46:29Z"
  generation: 1
  uid: 5c51a75e-49e0-490d-bee1-77e5258d4ca5
spec:
  minAvailable: 3
  plugins: {env: [], ssh: [], svc: [--publish-not-ready-addresses]}
  schedulerName: volcano
  tasks:
  - name: nginx
    replicas: 3
    template:
      spec:
        containers:
        - {image: nginx, name: nginx, resources: {requests: {cpu: "1", memory: 1Gi}}}
        restartPolicy: OnFailure
status:
  running: 3
  minAvailable: 3
  state: {phase: Running}
  controlledResources: {plugin-svc: svc, plugin-env: env, plugin-ssh: ssh}
  conditions:
  - {status: Pending, lastTransitionTime: "2026-11-15T18:46:30Z"}
  - {status: Running, lastTransitionTime: "2026-11-15T18:46:30Z"}
)";

constexpr std::string_view kPage =
    "Name:       \ttest-job\n"
    "Namespace:  \tdefault\n"
    "Labels:     \t<none>\n"
    "Annotations:\t<none>\n"
    "API Version:\t\n"
    "Kind:       \t\n"
    "Metadata:\n"
    "  Creation Timestamp:\t2026-11-15 18:46:29 +0000 UTC\n"
    "  Generate Name:     \t\n"
    "  Generation:        \t1\n"
    "  Resource Version:  \t101\n"
    "  UID:               \t5c51a75e-49e0-490d-bee1-77e5258d4ca5\n"
    "Spec:\n"
    "  Min Available:     \t3\n"
    "  Plugins:\n"
    "    Env:\t[]\n"
    "    Ssh:\t[]\n"
    "  Scheduler Name:    \tvolcano\n"
    "  Tasks:\n"
    "    Name:\tnginx\n"
    "    Replicas:\t3\n"
    "    Template:\n"
    "      Metadata:\n"
    "        Annotations:\n"
    "          Cri . Cci . Io / Container - Type:          \t\n"
    "          Kubernetes . Io / Availablezone:            \t\n"
    "          Network . Alpha . Kubernetes . Io / Network:\t\n"
    "        Creation Timestamp:\t0001-01-01 00:00:00 +0000 UTC\n"
    "      Spec:\n"
    "        Containers:\n"
    "          Command:\n"
    "          Image:\tnginx\n"
    "          Name: \tnginx\n"
    "          Ports:\n"
    "          Resources:\n"
    "            Limits:\n"
    "              Cpu:   \t0\n"
    "              Memory:\t0\n"
    "            Requests:\n"
    "              Cpu:   \t1\n"
    "              Memory:\t1Gi\n"
    "            Working Dir:\t\n"
    "        Image Pull Secrets:\n"
    "        Restart Policy:   \tOnFailure\n"
    "Status:\n"
    "  Running:      \t3\n"
    "  Min Available:\t3\n"
    "  State:\n"
    "    Phase:\tRunning\n"
    "  Controlled Resources:\n"
    "    plugin-env: \tenv\n"
    "    plugin-ssh: \tssh\n"
    "    plugin-svc: \tsvc\n";

constexpr std::string_view kConditions =
    "  Conditions:\n"
    "    Status\tTransitionTime\n"
    "    Pending \t2026-11-15 18:46:30 +0000 UTC \n"
    "    Running \t2026-11-15 18:46:30 +0000 UTC \n";

class JobView : public VcctlTest {
 protected:
  void SetUp() override { api.put("jobs", std::string(kRecordedJob)); }
};

TEST_F(JobView, IsThePageOfVolcano) {
  const CommandResult result = vcctl({"job", "view", "-N", "test-job"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, std::string(kPage) + std::string(kConditions) + "Events: \t<none>\n");
}

TEST_F(JobView, LeavesOutWhatTheControllerKeepsForItself) {
  std::string job(kRecordedJob);
  const std::string_view last = "plugin-ssh: ssh";
  job.insert(job.find(last) + last.size(),
             ", waiting: NeverFits, objects-generation: '1', podgroup-retired: u, finished-pods-lost: '2', "
             "object-services-j: f, evicted-j-w-0: u, command-done: u");
  api.put("jobs", job);
  std::string page(kPage);
  page.replace(page.find("\t101\n"), 5, "\t102\n");  // the version, for it was put again
  EXPECT_EQ(vcctl({"job", "view", "-N", "test-job"}).out, page + std::string(kConditions) + "Events: \t<none>\n");
}

TEST_F(JobView, OurOwnPageNamesKindAndEveryPlugin) {
  environment.clear();
  const std::string page = vcctl({"job", "view", "-N", "test-job"}).out;
  EXPECT_NE(page.find("API Version:\tbatch.volcano.sh/v1alpha1\nKind:       \tJob\n"), std::string::npos) << page;
  EXPECT_NE(page.find("    Ssh:\t[]\n    Svc:\t[--publish-not-ready-addresses]\n"), std::string::npos) << page;
}

TEST_F(JobView, VjobsLeavesConditionsOut) {
  EXPECT_EQ(tool("vjobs", {"-n", "test-job"}).out, std::string(kPage) + "Events: \t<none>\n");
}

TEST_F(JobView, ShowsItsEventsAndNoOthers) {
  const std::string about = "involvedObject: {uid: 5c51a75e-49e0-490d-bee1-77e5258d4ca5}";
  api.put("events",
          "{metadata: {name: test-job.2, namespace: default}, " + about +
              ", type: Warning, reason: Slow, count: 3, message: \" again \", source: {component: c, host: h}, "
              "firstTimestamp: \"2026-11-15T18:46:31Z\", lastTimestamp: \"2026-11-15T18:46:32Z\"}");
  api.put("events", "{metadata: {name: test-job.9, namespace: default}, " + about +
                        ", type: Normal, reason: Made, message: \"a\\eb\", reportingComponent: new, "
                        "eventTime: \"2026-11-15T18:46:30.000000Z\"}");
  api.put("events",
          "{metadata: {name: test-job.0, namespace: default}, involvedObject: {uid: another}, reason: Other}");
  const std::string out = vcctl({"job", "view", "test-job"}).out;
  const auto row = [](std::string type, std::string reason, std::string age, std::string from, const char* message) {
    type.resize(15, ' '), reason.resize(40, ' '), age.resize(30, ' '), from.resize(40, ' ');
    return type + "\t" + reason + "\t" + age + "\t" + from + "\t" + message + "\n";
  };
  EXPECT_EQ(out.substr(out.find("Events:")), "Events:\n" + row("Type", "Reason", "Age", "Form", "Message") +
                                                 row("-------", "-------", "-------", "-------", "-------") +
                                                 row("Normal", "Made", "3s", "new", "a^[b") +
                                                 row("Warning", "Slow", "1s (x3 over 2s)", "c, h", "again"));
}

TEST_F(JobView, InFormatsForPrograms) {
  const auto yaml = text::parse_yaml(vcctl({"job", "view", "-N", "test-job", "-o", "yaml"}).out);
  ASSERT_TRUE(yaml.has_value());
  EXPECT_EQ(yaml->value.at("kind"), "Job");
  EXPECT_EQ(vcctl({"job", "view", "-N", "test-job", "-o", "name"}).out, "job.batch.volcano.sh/test-job\n");
}

TEST_F(JobView, WatchShowsThePageAgain) {
  api.watches = {{FakeApi::event(client::WatchEventType::Modified, std::string(kRecordedJob)),
                  FakeApi::end_of_watch(500, "InternalError", "enough")}};
  const CommandResult result = vcctl({"job", "view", "-N", "test-job", "-w"});
  EXPECT_EQ(result.err, "Failed to view job: enough\n");
  EXPECT_NE(result.out.find("Events: \t<none>\n\nName:       \ttest-job\n"), std::string::npos);
  EXPECT_EQ(vcctl({"job", "view", "-N", "missing", "-w"}).err,
            "Failed to view job: jobs.batch.volcano.sh \"missing\" not found\n");
}

TEST_F(JobView, SurvivesAnyShape) {
  for (const char* shape : {"spec: 5, status: []", "spec: {tasks: [1, {template: x}], plugins: [a]}",
                            "status: {conditions: [7], controlledResources: {a: 1}, running: x}"}) {
    api.put("jobs", std::string("{metadata: {name: odd, namespace: default, labels: 3, creationTimestamp: no}, ") +
                        shape + "}");
    EXPECT_EQ(vcctl({"job", "view", "-N", "odd"}).code, 0) << shape;
    EXPECT_EQ(vcctl({"job", "list"}).code, 0) << shape;
  }
}

}  // namespace
}  // namespace basalt::cli::vcctl
