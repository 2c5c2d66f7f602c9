// Six jobs wait for six different causes: `vcctl job list` alone names each with its numbers, and when the cause goes
// so do the words. The same for what only the controller or the API server knows.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>

#include "kube/api/object_fields.h"
#include "programs/cli/vcctl/vcctl.h"
#include "tests/whole/standalone_fixture.h"

namespace basalt::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct JobDraft {
  std::string name;
  int pods = 1, gpus = 1;
  std::string queue = "default";
  std::string more_spec;  // ", nodeSelector: {…}"
  std::string scheduler = "volcano";
  std::string more_job;  // ", priorityClassName: x", of the job's spec
};

class ReasonsTest : public testing::Test {
 protected:
  ReasonsTest() {
    fixture.options.components.simulated = {
        *node::parse_simulated_group("4:cpu=64,memory=64Gi,nvidia.com/gpu=8,name=sim")};
  }
  void submit(const JobDraft& job) {
    fixture.create(StandaloneFixture::kJobs, "default",
                   fmt::format("{{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {{name: {}}}, spec: "
                               "{{minAvailable: {}, schedulerName: {}, queue: {}{}, tasks: [{{name: w, replicas: {}, "
                               "template: {{metadata: {{annotations: {{basalt.sh/run-seconds: \"100000\"}}}}, spec: "
                               "{{restartPolicy: Never, containers: [{{name: c, image: example/none, resources: "
                               "{{requests: {{nvidia.com/gpu: {}}}, limits: {{nvidia.com/gpu: {}}}}}}}]{}}}}}}}]}}}}",
                               job.name, job.pods, job.scheduler, job.queue, job.more_job, job.pods, job.gpus, job.gpus,
                               job.more_spec));
  }
  static std::string message(const text::Object& job) {
    return std::string(api::string_at(job, {"status", "state", "message"}));
  }
  void expect_reason(WatchedObjects& jobs, const std::string& name, const std::string& reason,
                     const std::string& words) {
    EXPECT_TRUE(jobs.wait(name, [&](const text::Object& job) {
      return api::string_at(job, {"status", "state", "reason"}) == reason &&
             message(job).find(words) != std::string::npos;
    })) << words;
  }
  std::string job_list() {
    std::ostringstream out, err;
    std::istringstream in;
    cli::vcctl::Terminal terminal{.out = out,
                                  .err = err,
                                  .in = in,
                                  .now = [] { return Instant::from_unix_seconds(1'800'000'000); },
                                  .environment = [](const std::string&) { return std::string(); }};
    const int code = cli::vcctl::run_words(
        {"job", "list"},
        [this](const cli::FlagValues&) -> Result<std::unique_ptr<client::ObjectClient>> { return fixture.connect(); },
        terminal);
    EXPECT_EQ(code, 0) << err.str();
    return out.str();
  }

  StandaloneFixture fixture;
};

TEST_F(ReasonsTest, SixJobsThatWaitForSixCausesSayEachOfThem) {
  fixture.start();
  WatchedObjects jobs(fixture.client(), StandaloneFixture::kJobs);
  fixture.create(StandaloneFixture::kQueues, "",
                 "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: dev}, spec: {weight: 1, "
                 "reclaimable: false, capability: {nvidia.com/gpu: 4}}}");
  submit({.name = "holds-dev", .gpus = 3, .queue = "dev"});
  submit({.name = "holds", .pods = 3, .gpus = 5});
  for (const char* name : {"holds-dev", "holds"}) {
    EXPECT_TRUE(jobs.wait(name, [](const text::Object& job) { return StandaloneFixture::has_phase(job, "Running"); }));
  }
  submit({.name = "pieces", .pods = 3, .gpus = 4});
  expect_reason(jobs, "pieces", "Fragmented", "needs 3 × 4 nvidia.com/gpu; largest free blocks ");
  submit({.name = "large", .pods = 5, .gpus = 8});
  submit({.name = "capped", .gpus = 2, .queue = "dev"});
  submit({.name = "full", .pods = 2, .gpus = 8});
  submit({.name = "gated", .more_spec = ", schedulingGates: [{name: example.com/hold}]"});
  submit({.name = "picky", .more_spec = ", nodeSelector: {disk: ssd}"});
  expect_reason(jobs, "large", "NeverFits", "needs 40 nvidia.com/gpu, the cluster has 32: cannot ever run");
  expect_reason(jobs, "capped", "QueueFull", "needs 2 nvidia.com/gpu; queue dev holds 3 of 4");
  expect_reason(jobs, "full", "ClusterFull", "needs 16 nvidia.com/gpu; the cluster has 14 of 32 free");
  expect_reason(jobs, "gated", "Gated", "held by scheduling gate example.com/hold: 1 of 1 pods");
  // Whether there is room elsewhere, or not.
  submit({.name = "outside", .pods = 2, .gpus = 8, .more_spec = ", nodeSelector: {disk: ssd}"});
  for (const char* name : {"picky", "outside"}) {
    expect_reason(jobs, name, "NoNodeMatches",
                  "no node matches: 4 of 4 have other labels than the node selector or affinity asks for: cannot ever "
                  "run");
  }

  const std::string table = job_list();
  EXPECT_THAT(table, HasSubstr("Reason"));
  for (const char* words :
       {"needs 3 × 4 nvidia.com/gpu; largest free blocks", "needs 40 nvidia.com/gpu, the cluster has 32: cannot ever",
        "needs 2 nvidia.com/gpu; queue dev holds 3 of 4", "needs 16 nvidia.com/gpu; the cluster has 14 of 32 free",
        "held by scheduling gate example.com/hold", "no node matches: 4 of 4 have other labels"}) {
    EXPECT_THAT(table, HasSubstr(words));
  }

  fixture.remove(StandaloneFixture::kJobs, "default", "holds");
  EXPECT_TRUE(jobs.wait("pieces", [](const text::Object& job) {
    return StandaloneFixture::has_phase(job, "Running") && message(job).empty();
  }));
  EXPECT_THAT(job_list(), Not(HasSubstr("needs 3 × 4")));
}

TEST_F(ReasonsTest, CausesThatTheSchedulerDoesNotKnow) {
  fixture.start();
  WatchedObjects jobs(fixture.client(), StandaloneFixture::kJobs);
  submit({.name = "classless", .more_job = ", priorityClassName: nope"});
  submit({.name = "claimless", .more_job = ", volumes: [{mountPath: /d, volumeClaimName: data}]"});
  submit({.name = "nobodys", .scheduler = "volcno"});
  expect_reason(jobs, "classless", "FailedCreate", "no PriorityClass with name nope was found");
  expect_reason(jobs, "claimless", "ClaimMissing", "claim data does not exist in namespace default");
  expect_reason(jobs, "nobodys", "SchedulerUnknown", "nobody places pods for scheduler volcno");
  const std::string table = job_list();
  for (const char* words :
       {"no PriorityClass with name nope was found", "claim data does not exist in namespace default",
        "nobody places pods for scheduler volcno"}) {
    EXPECT_THAT(table, HasSubstr(words));
  }
  fixture.create({.group = "scheduling.k8s.io", .version = "v1", .plural = "priorityclasses"}, "",
                 "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: nope}, value: 7}");
  EXPECT_TRUE(jobs.wait("classless", [](const text::Object& job) {
    return StandaloneFixture::has_phase(job, "Running") && message(job).empty();
  }));
}

}  // namespace
}  // namespace basalt::tests
