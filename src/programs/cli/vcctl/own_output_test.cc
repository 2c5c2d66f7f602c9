// What our own form of output says where Volcano's says nothing, something untrue, or says it elsewhere.
#include <cstdlib>
#include <fstream>

#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::vcctl {
namespace {

class OwnOutput : public VcctlTest {
 protected:
  void SetUp() override {
    environment.clear();
    api.put("jobs", R"(
metadata: {name: hello, namespace: default, uid: u-1, creationTimestamp: "2026-11-15T18:46:29Z"}
spec: {queue: research, schedulerName: volcano, minAvailable: 1, tasks: [{name: main, replicas: 1, template: {spec: {
  containers: [{name: main, image: busybox, resources: {limits: {nvidia.com/gpu: 8}}}]}}}]}
status: {minAvailable: 1, running: 1, state: {phase: Running, message: "all is well"}}
)");
    api.put("queues", "{metadata: {name: research, uid: q-1}, spec: {weight: 1}, status: {state: Open}}");
  }

  // Makes the job of that name be in a phase, with one pod.
  void job_is(const std::string& name, const std::string& phase, const std::string& pod_phase, int exit_code = 0) {
    api.put("jobs", "{metadata: {name: " + name + ", namespace: default}, status: {state: {phase: " + phase + "}}}");
    api.put("pods", "{metadata: {name: " + name + "-0, namespace: default, uid: p-1, labels: {volcano.sh/job-name: " +
                        name + "}}, status: {phase: " + pod_phase + ", containerStatuses: [{state: {terminated: " +
                        "{exitCode: " + std::to_string(exit_code) + ", finishedAt: \"2026-11-15T18:46:31Z\"}}}]}}");
  }
};

TEST_F(OwnOutput, AnActionSaysInOneLineWhatItDid) {
  const auto result = [this](std::vector<std::string> words) {
    const CommandResult now = vcctl(std::move(words));
    EXPECT_EQ(now.code, 0);
    EXPECT_EQ(now.err, "");
    return now.out;
  };
  EXPECT_EQ(result({"job", "suspend", "-N", "hello"}), "suspend ordered for job default/hello (was Running)\n");
  EXPECT_EQ(result({"job", "resume", "hello"}), "resume ordered for job default/hello (was Running)\n");
  EXPECT_EQ(result({"queue", "create", "-n", "dev", "-w", "4"}), "queue dev created with weight 4\n");
  EXPECT_EQ(result({"queue", "create", "-n", "off", "-S", "Closed"}),
            "queue off created with weight 1, close ordered\n");
  EXPECT_EQ(result({"queue", "operate", "-n", "research", "-a", "close"}),
            "close ordered for queue research (was Open)\n");
  EXPECT_EQ(result({"queue", "operate", "-n", "dev", "-a", "open"}), "open ordered for queue dev (was new)\n");
  EXPECT_EQ(result({"queue", "operate", "-n", "dev", "-a", "update", "-w", "8"}), "queue dev has weight 8 now\n");
  EXPECT_EQ(result({"queue", "delete", "-n", "dev"}), "queue dev deleted\n");
}

TEST_F(OwnOutput, AnOrderThatCanDoNothingIsRefused) {
  job_is("over", "Completed", "Succeeded");
  for (const char* verb : {"suspend", "resume"}) {
    const CommandResult result = vcctl({"job", verb, "-N", "over"});
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.err, std::string("Failed to ") + verb +
                              " job: job default/over is Completed: there is nothing to " + verb + "\n");
  }
  EXPECT_TRUE(api.created("commands").is_null());
}

TEST_F(OwnOutput, FailuresAreOnStandardErrorWithOne) {
  const CommandResult missing = vcctl({"job", "view", "-N", "nowhere"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.out, "");
  EXPECT_EQ(missing.err, "Failed to view job: jobs.batch.volcano.sh \"nowhere\" not found\n");
  EXPECT_EQ(tool("vcancel", {"-n", "nowhere"}).err, "vcancel: jobs.batch.volcano.sh \"nowhere\" not found\n");
  const CommandResult nameless = vcctl({"queue", "create"});
  EXPECT_EQ(nameless.code, 1);
  EXPECT_EQ(nameless.err, "Failed to create queue: queue name must be specified\n");
  EXPECT_EQ(api.find("queues", "test"), nullptr);
  input = "metadata: {name: hello}\n---\nmetadata: {name: hello}\n";
  const CommandResult flows = vcctl({"jobflow", "create", "-f", "-"});
  EXPECT_EQ(flows.code, 1);
  EXPECT_EQ(flows.out, "Created JobFlow: default/hello\n");
  EXPECT_EQ(flows.err,
            "Failed to create JobFlow: jobflows.flow.volcano.sh \"hello\" already exists\n"
            "Failed to create jobflow: 1 of 2 failed\n");
}

TEST_F(OwnOutput, WrongWordsBringTheNearestAndNoUsage) {
  const auto refused = [this](std::vector<std::string> words) {
    const CommandResult result = vcctl(std::move(words));
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(refused({"jobb"}),
            "Error: unknown command \"jobb\" for \"vcctl\"; did you mean \"job\"?\nRun 'vcctl --help' for usage.\n");
  EXPECT_EQ(refused({"job", "lst"}),
            "Error: unknown command \"lst\" for \"vcctl job\"; did you mean \"list\"?\n"
            "Run 'vcctl job --help' for usage.\n");
  EXPECT_EQ(refused({"job", "list", "--qeue", "x"}),
            "Error: unknown flag: --qeue; did you mean --queue?\nRun 'vcctl job list --help' for usage.\n");
  EXPECT_EQ(refused({"job", "list", "extra"}),
            "Error: unknown argument \"extra\" for \"vcctl job list\"\nRun 'vcctl job list --help' for usage.\n");
  EXPECT_EQ(refused({"--versoin"}),
            "Error: unknown flag: --versoin; did you mean --version?\nRun 'vcctl --help' for usage.\n");
  EXPECT_EQ(refused({"job", "--hepl"}),
            "Error: unknown flag: --hepl; did you mean --help?\nRun 'vcctl job --help' for usage.\n");
  EXPECT_EQ(tool("vsub", {"--gpu", "1"}).err,
            "Error: unknown flag: --gpu; did you mean --gpus?\nRun 'vsub --help' for usage.\n");
}

TEST_F(OwnOutput, VolcanosTextsComeByFlagAndByVariable) {
  const std::string volcanos = "Failed to view job: jobs.batch.volcano.sh \"nowhere\" not found\n";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--volcano-output", "job", "view", "-N", "nowhere"},
        {"job", "view", "-N", "nowhere", "--volcano-output"}}) {
    const CommandResult result = vcctl(words);
    EXPECT_EQ(result.code, 255);
    EXPECT_EQ(result.out, volcanos);
    EXPECT_EQ(result.err, "");
  }
  EXPECT_EQ(tool("vsuspend", {"-n", "hello", "--volcano-output"}).out, "");
  environment["BASALT_VOLCANO_OUTPUT"] = "0";
  EXPECT_EQ(vcctl({"job", "view", "-N", "nowhere"}).err, volcanos);
  environment["BASALT_VOLCANO_OUTPUT"] = "1";
  EXPECT_EQ(vcctl({"job", "view", "-N", "nowhere"}).out, volcanos);
}

TEST_F(OwnOutput, VersionAndAllNamespacesHaveTheirUsualFlags) {
  const std::string version = vcctl({"--version"}).out;
  EXPECT_TRUE(version.starts_with("vcctl (Basalt) ")) << version;
  EXPECT_EQ(version.find('\n'), version.size() - 1);
  EXPECT_EQ(tool("vsub", {"--version"}).out, version);
  EXPECT_TRUE(api.calls.empty());
  EXPECT_EQ(vcctl({"job", "list", "-A"}).out, vcctl({"job", "list", "--all-namespaces"}).out);
  EXPECT_EQ(vcctl({"queue", "list", "-A"}).out, vcctl({"queue", "list"}).out) << "queues have no namespace";
  EXPECT_EQ(tool("vqueues", {"-A"}).out, tool("vqueues", {}).out);
}

TEST_F(OwnOutput, ThePageOfAJobSaysOnlyWhatIsSo) {
  EXPECT_EQ(vcctl({"job", "view", "hello"}).out,
            "Name:       \thello\n"
            "Namespace:  \tdefault\n"
            "Labels:     \t<none>\n"
            "Annotations:\t<none>\n"
            "API Version:\tbatch.volcano.sh/v1alpha1\n"
            "Kind:       \tJob\n"
            "Metadata:\n"
            "  Creation Timestamp:\t2026-11-15 18:46:29 +0000 UTC\n"
            "  Generation:        \t0\n"
            "  Resource Version:  \t101\n"
            "  UID:               \tu-1\n"
            "Spec:\n"
            "  Min Available:     \t1\n"
            "  Scheduler Name:    \tvolcano\n"
            "  Queue:             \tresearch\n"
            "  Tasks:\n"
            "    Name:\tmain\n"
            "    Replicas:\t1\n"
            "    Template:\n"
            "      Spec:\n"
            "        Containers:\n"
            "          Image:\tbusybox\n"
            "          Name: \tmain\n"
            "          Resources:\n"
            "            Limits:\n"
            "              nvidia.com/gpu:\t8\n"
            "Status:\n"
            "  Running:      \t1\n"
            "  Min Available:\t1\n"
            "  State:\n"
            "    Phase:\tRunning\n"
            "    Message:\tall is well\n"
            "Events: \t<none>\n");
}

TEST_F(OwnOutput, SubmitNamesQueuePriorityAndGpus) {
  const CommandResult result =
      tool("vsub", {"-n", "train", "-q", "research", "--gpus", "8", "--priority", "high", "-R", "cpu=1", "-L", ""});
  EXPECT_EQ(result.code, 0) << result.err;
  const text::Value spec = api.created("jobs").at("spec");
  EXPECT_EQ(spec.at("queue"), "research");
  EXPECT_EQ(spec.at("priorityClassName"), "high");
  EXPECT_EQ(text::to_json(spec.at("tasks").at(0).at("template").at("spec").at("containers").at(0).at("resources")),
            R"({"requests":{"cpu":"1","nvidia.com/gpu":"8"},"limits":{"nvidia.com/gpu":"8"}})");
  EXPECT_EQ(tool("vsub", {"-n", "x", "--gpus", "-1"}).err, "vsub: --gpus: must not be less than 0\n");
  EXPECT_EQ(tool("vsub", {"-n", "x", "--gpus", "1", "-L", "nvidia.com/gpu=2"}).err,
            "vsub: nvidia.com/gpu is given twice: by --gpus and in a list of resources\n");
  EXPECT_EQ(vcctl({"job", "run", "-f", "x.yaml", "-q", "research"}).err,
            "Failed to run job: --queue is for a job from flags; the file says it\n");
}

TEST_F(OwnOutput, WaitFollowsTheLogsAndEndsWithTheJobsCode) {
  int looks = 0;
  while_waiting = [&] {
    ASSERT_LT(++looks, 4) << "it goes on after the job is over";
    if (looks == 1) {
      job_is("train", "Running", "Running");
      api.logs["default/train-0"] = "first\nsec";
    } else {
      job_is("train", "Failed", "Failed", 7);
      api.logs["default/train-0"] = "first\nsecond\nlast without an end";
    }
  };
  const CommandResult result = tool("vsub", {"-n", "train", "--wait"});
  EXPECT_EQ(result.code, 7);
  EXPECT_EQ(result.out, "run job train successfully\nfirst\nsecond\nlast without an end\n");
  EXPECT_EQ(result.err, "job default/train is Running\njob default/train is Failed\n");
  EXPECT_EQ(looks, 2);
}

TEST_F(OwnOutput, WaitEndsWithZeroForAJobThatCompleted) {
  while_waiting = [&] { job_is("train", "Completed", "Succeeded"); };
  EXPECT_EQ(vcctl({"job", "run", "-N", "train", "--wait"}).code, 0);
}

TEST_F(OwnOutput, WaitEndsWhenTheJobIsDeleted) {
  while_waiting = [&] { EXPECT_EQ(vcctl({"job", "delete", "train"}).code, 0); };
  const CommandResult result = vcctl({"job", "run", "-N", "train", "--wait"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "Failed to run job: job default/train was deleted before it was over; it was last new\n");
}

TEST_F(OwnOutput, NamesOfObjectsForCompletion) {
  EXPECT_EQ(vcctl({"names", "job"}).out, "hello\n");
  EXPECT_EQ(vcctl({"names", "job", "-n", "nowhere"}).out, "");
  EXPECT_EQ(vcctl({"names", "queue"}).out, "research\n");
  EXPECT_EQ(vcctl({"names", "frob"}).code, 1);
  EXPECT_EQ(vcctl({"--help"}).out.find("names"), std::string::npos);
}

// bash completes with what a program called vcctl on the PATH answers.
TEST_F(OwnOutput, BashCompletesNamesOfObjects) {
  const std::string folder = ::testing::TempDir() + "vcctl-names-" + std::to_string(getpid());
  ASSERT_EQ(std::system(("mkdir -p " + folder).c_str()), 0);
  std::ofstream(folder + "/script") << vcctl({"completion", "bash"}).out;
  std::ofstream(folder + "/basalt")
      << "#!/bin/sh\ncase \"$*\" in --help) printf \"usage\\n  follow  x\\n  up  y\\n\" ;; "
         "*) printf \"  -n,--namespace TEXT\\n  --until TEXT\\n\" ;; esac\n";
  ASSERT_EQ(std::system(("chmod +x " + folder + "/basalt").c_str()), 0);
  std::ofstream(folder + "/vcctl") << "#!/bin/sh\n[ \"$1\" = names ] && echo \"${2}_${4:-here}\"\n";
  ASSERT_EQ(std::system(("chmod +x " + folder + "/vcctl").c_str()), 0);
  const auto completes = [&folder](const std::string& words, int at, const std::string& expected) {
    const std::string script = "PATH=" + folder + ":$PATH; source " + folder + "/script; COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(at) + "; _" +
                               (words.starts_with("basalt") ? "basalt" : "vcctl") + "; [[ \"${COMPREPLY[*]}\" == \"" +
                               expected + "\" ]] || { echo \"got: ${COMPREPLY[*]}\"; exit 1; }";
    return std::system(("bash -c '" + script + "'").c_str()) == 0;
  };
  EXPECT_TRUE(completes("vcctl job view -N j", 4, "job_here"));
  EXPECT_TRUE(completes("vcctl job view j", 3, "job_here"));
  EXPECT_TRUE(completes("vcctl job view -n research -N j", 6, "job_research"));
  EXPECT_TRUE(completes("vcctl queue get -n q", 4, "queue_here"));
  EXPECT_TRUE(completes("vcctl job list -n n", 4, "namespace_here"));
  EXPECT_TRUE(completes("vsub -q q", 2, "queue_here"));
  EXPECT_TRUE(completes("vcancel -N research -n j", 4, "job_research"));
  EXPECT_TRUE(completes("vcctl job run -N j", 4, ""));
  EXPECT_TRUE(completes("basalt fo", 1, "follow"));
  EXPECT_TRUE(completes("basalt follow j", 2, "job"));
  EXPECT_TRUE(completes("basalt follow job j", 3, "job_here"));
  EXPECT_TRUE(completes("basalt follow -n research job j", 5, "job_research"));
  EXPECT_TRUE(completes("basalt follow job train -n n", 5, "namespace_here"));
  EXPECT_TRUE(completes("basalt follow job train --un", 4, "--until"));
  EXPECT_TRUE(completes("basalt vcctl job view -n research -N j", 7, "job_research"));
  EXPECT_EQ(std::system(("rm -r " + folder).c_str()), 0);
}

// There is no fish where tests run: what the script says.
TEST_F(OwnOutput, FishCompletesNamesOfTheNamespaceThatIsMeant) {
  const std::string script = vcctl({"completion", "fish"}).out;
  EXPECT_NE(script.find("function __vcctl_names"), std::string::npos);
  EXPECT_EQ(script.find("(vcctl names"), std::string::npos) << "names are asked without the namespace";
  EXPECT_NE(script.find("-l name -s N -r -f -a '(__vcctl_names job)'"), std::string::npos);
  EXPECT_NE(script.find("complete -c vcancel -f -a '(__vcctl_names job)'"), std::string::npos);
  EXPECT_NE(script.find("complete -c basalt -f -n '__basalt_follows; and __fish_seen_subcommand_from job' -a "
                        "'(__vcctl_names job)'"),
            std::string::npos);
}

}  // namespace
}  // namespace basalt::cli::vcctl
