#include <cstdio>
#include <fstream>

#include "programs/cli/vcctl/shell_words.h"
#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::vcctl {
namespace {

class JobRun : public VcctlTest {
 protected:
  std::string file(const std::string& name, const std::string& content) {
    const std::string path = ::testing::TempDir() + "vcctl-" + std::to_string(getpid()) + "-" + name;
    std::ofstream(path) << content;
    files_.push_back(path);
    return path;
  }
  void TearDown() override {
    for (const std::string& path : files_) std::remove(path.c_str());
  }

 private:
  std::vector<std::string> files_;
};

TEST_F(JobRun, FromFlags) {
  const CommandResult result =
      vcctl({"job", "run", "-N", "hello", "-n", "research", "-r", "3", "-m", "2", "-R", "cpu=500m", "-L", ""});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "run job hello successfully\n");
  EXPECT_EQ(
      text::to_json(api.created("jobs")),
      R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"hello",)"
      R"("namespace":"research"},"spec":{"minAvailable":2,"schedulerName":"volcano","tasks":[{"replicas":3,)"
      R"("template":{"metadata":{"name":"hello","labels":{"job.volcano.sh":"hello"}},"spec":{)"
      R"("restartPolicy":"Never","containers":[{"name":"hello","image":"busybox","imagePullPolicy":"IfNotPresent",)"
      R"("resources":{"requests":{"cpu":"500m"}}}]}}}]}})");
}

TEST_F(JobRun, SubmitTakesDefaultsFromTheEnvironment) {
  environment = {{"BASALT_VOLCANO_OUTPUT", "1"},
                 {"VOLCANO_DEFAULT_IMAGE", "alpine"},
                 {"VOLCANO_DEFAULT_JOB_NAMESPACE", "research"},
                 {"VOLCANO_SCHEDULER_NAME", "other"}};
  EXPECT_EQ(tool("vsub", {"-n", "hello", "-c", "sh -c 'echo  a'"}).out, "run job hello successfully\n");
  const text::Value job = api.created("jobs");
  EXPECT_EQ(job.at("metadata").at("namespace"), "research");
  EXPECT_EQ(job.at("spec").at("schedulerName"), "other");
  const text::Value& container = job.at("spec").at("tasks").at(0).at("template").at("spec").at("containers").at(0);
  EXPECT_EQ(container.at("image"), "alpine");
  EXPECT_EQ(text::to_json(container.at("command")), R"(["sh","-c","echo  a"])");
  EXPECT_EQ(text::to_json(container.at("resources")),
            R"({"requests":{"cpu":"1","memory":"100Mi"},"limits":{"cpu":"1","memory":"100Mi"}})");
  EXPECT_EQ(tool("vsub", {}).out, "Failed to: job name cannot be left blank\n");
  EXPECT_EQ(tool("vsub", {"-n", "x", "-c", "'open"}).out, "Failed to: EOF found when expecting closing quote\n");
}

TEST_F(JobRun, WrongResources) {
  EXPECT_EQ(vcctl({"job", "run", "-N", "x", "-R", "cpu"}).out,
            "Failed to run job: invalid argument syntax cpu, expected <resource>=<value>\n");
  EXPECT_EQ(vcctl({"job", "run", "-N", "x", "-L", "a=b=c"}).out,
            "Failed to run job: invalid argument syntax a=b=c, expected <resource>=<value>\n");
  EXPECT_NE(vcctl({"job", "run", "-N", "x", "-R", "cpu=many"}).out.find("cpu=many: "), std::string::npos);
  EXPECT_TRUE(api.calls.empty());
}

TEST_F(JobRun, FromAFileAsItIs) {
  const std::string path = file("job.yaml", R"(
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: from-file, namespace: research, annotations: {note: "a --- b"}}
spec: {unknownField: 1}
)");
  EXPECT_EQ(vcctl({"job", "run", "-f", path}).out, "run job from-file successfully\n");
  ASSERT_NE(api.find("jobs", "research/from-file"), nullptr);
  EXPECT_EQ(api.created("jobs").at("spec").at("unknownField"), 1);
}

TEST_F(JobRun, FromStandardInputWithSeveralDocuments) {
  input = "metadata: {name: a}\n---\n# nothing here\n---\nmetadata: {name: b}\n";
  EXPECT_EQ(vcctl({"job", "run", "-f", "-", "-n", "research"}).out, "run job a successfully\nrun job b successfully\n");
  EXPECT_NE(api.find("jobs", "research/b"), nullptr);
}

TEST_F(JobRun, FaultsOfAFileAreNamed) {
  EXPECT_EQ(vcctl({"job", "run", "-f", "job.txt"}).out, "Failed to run job: only support yaml file\n");
  EXPECT_NE(vcctl({"job", "run", "-f", "no-such.yaml"}).out.find("failed to read file, err: no-such.yaml"),
            std::string::npos);
  input = "metadata: {name: a}\n---\nkind: Queue\nmetadata: {name: b}\n";
  EXPECT_EQ(
      vcctl({"job", "run", "-f", "-"}).out,
      "Failed to run job: failed to read file, err: standard input: document 2: line 3: kind: is \"Queue\", and this "
      "command takes Job\n");
  EXPECT_TRUE(api.calls.empty());  // nothing was sent: not the first document either
  for (const char* hostile :
       {"", "[1, 2]", "a: b: c", "{", "metadata: 7", "metadata: {name: {}}", "\xff\xfe", "&a [*a]"}) {
    input = hostile;
    EXPECT_EQ(vcctl({"job", "run", "-f", "-"}).code, 255) << hostile;
  }
}

TEST_F(JobRun, ARefusalIsShownInTheServersWords) {
  api.refusals[api::Verb::Create] = api::bad_request("admission webhook \"x\" denied the request: no such queue");
  const CommandResult result = vcctl({"job", "run", "-N", "hello"});
  EXPECT_EQ(result.code, 255);
  EXPECT_EQ(result.out, "Failed to run job: admission webhook \"x\" denied the request: no such queue\n");
}

TEST(ShellWords, AreSplitAsAShellDoes) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(*split_shell_words("  a  b\tc "), (Words{"a", "b", "c"}));
  EXPECT_EQ(*split_shell_words(R"(a 'b "c"' "d \"e\" 'f'" g\ h)"), (Words{"a", "b \"c\"", "d \"e\" 'f'", "g h"}));
  EXPECT_EQ(*split_shell_words(R"(a''b "")"), (Words{"ab", ""}));
  EXPECT_EQ(*split_shell_words("a # comment\nb a#b"), (Words{"a", "b", "a#b"}));
  EXPECT_EQ(split_shell_words("a \\").error().message, "EOF found after escape character");
  EXPECT_EQ(split_shell_words("\"a\\").error().message, "EOF found when expecting closing quote");
  EXPECT_TRUE(split_shell_words("")->empty());
}

}  // namespace
}  // namespace basalt::cli::vcctl
