#include "programs/daemon/program_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basalt::daemon {
namespace {

using testing::ElementsAre;

// Every flag of Volcano's programs, with a value that its manifests might give.
const std::vector<std::string> kKlog = {"-v=3",
                                        "--logtostderr",
                                        "-alsologtostderr=true",
                                        "--alsologtostderrthreshold=2",
                                        "-stderrthreshold=INFO",
                                        "--legacy_stderr_threshold_behavior",
                                        "--log_dir=/var/log",
                                        "--log_file=x",
                                        "--log-file-max-size=1800",
                                        "--one_output",
                                        "--log-flush-frequency=5s",
                                        "--vmodule=a=1,b=2",
                                        "--log_backtrace_at=x:1",
                                        "--add_dir_header",
                                        "--skip_headers",
                                        "--skip-log-headers=false"};
const std::vector<std::string> kShared = {"--master=https://x",
                                          "--kubeconfig",
                                          "/etc/kubeconfig",
                                          "--kube-api-qps=50.5",
                                          "--kube-api-burst=100",
                                          "--ca-cert-file=a",
                                          "--tls-cert-file=b",
                                          "--tls-private-key-file=c",
                                          "--scheduler-name=volcano",
                                          "--scheduler-name=other",
                                          "--enable-healthz=true",
                                          "--healthz-address=:11251",
                                          "--feature-gates=CSIStorage=true,PriorityClass=false",
                                          "--version=false"};
const std::vector<std::string> kElection = {"--leader-elect=false",
                                            "--leader-elect-lease-duration=15s",
                                            "--leader-elect-renew-deadline=10s",
                                            "--leader-elect-retry-period=2s",
                                            "--leader-elect-resource-lock=leases",
                                            "--leader-elect-resource-name=volcano",
                                            "--leader-elect-resource-namespace=volcano-system",
                                            "--lock-object-namespace=volcano-system",
                                            "--enable-metrics=true",
                                            "--listen-address=:8080"};

std::vector<std::string> all(std::initializer_list<std::vector<std::string>> parts) {
  std::vector<std::string> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

void expect_taken(std::span<const cli::Flag> rows, const std::vector<std::string>& words) {
  const auto flags = cli::FlagValues::read(rows, words, cli::FlagSpelling::Daemon);
  ASSERT_TRUE(flags) << flags.error().message;
  EXPECT_THAT(flags->arguments(), ElementsAre("2>&1"));
}

TEST(ProgramFlags, TheSchedulerTakesVolcanosFlags) {
  expect_taken(scheduler_flags(), all({kKlog,
                                       kShared,
                                       kElection,
                                       {"--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf",
                                        "--disable-default-scheduler-config",
                                        "--schedule-period=1s",
                                        "--resync-period=0",
                                        "--resource-sync-timeout=60s",
                                        "--default-queue=default",
                                        "--priority-class=true",
                                        "--minimum-feasible-nodes=100",
                                        "--minimum-percentage-nodes-to-find=5",
                                        "--percentage-nodes-to-find=-1",
                                        "--node-selector=a:b,c:d",
                                        "--node-selector=e:f",
                                        "--node-worker-threads=20",
                                        "--csi-storage",
                                        "--ignored-provisioners=a,b",
                                        "--plugins-dir=",
                                        "--enable-pprof=true",
                                        "--cache-dumper",
                                        "--cache-dump-dir=/tmp",
                                        "--gate-removal-worker-num=5",
                                        "--scheduler-sharding-mode=none",
                                        "--scheduler-sharding-name=volcano",
                                        "2>&1"}}));
}

TEST(ProgramFlags, TheControllersTakeVolcanosFlags) {
  expect_taken(controllers_flags(),
               all({kKlog,
                    kShared,
                    kElection,
                    {"--worker-threads=3", "--worker-threads-for-cronjob=3", "--worker-threads-for-podgroup=5",
                     "--worker-threads-for-queue=5", "--worker-threads-for-gc=1", "--max-requeue-num=-1",
                     "--inherit-owner-annotations=false", "--controllers=*,-sharding-controller",
                     "--scheduler-configs=a,b", "--shard-sync-period=60s", "--enable-node-event-trigger=true",
                     "--sharding-configmap=volcano-sharding-configmap", "--sharding-configmap-namespace=volcano-system",
                     "2>&1"}}));
}

TEST(ProgramFlags, TheWebhooksTakeVolcanosFlags) {
  expect_taken(webhook_flags(), all({kKlog,
                                     kShared,
                                     {"--listen-address=0.0.0.0", "--port=8443", "--webhook-namespace=volcano-system",
                                      "--webhook-service-name=volcano-admission-service", "--webhook-url=https://x",
                                      "--enabled-admission=/jobs/mutate,/jobs/validate", "--admission-conf=/x",
                                      "--graceful-shutdown-time=30s", "--enable-queue-allocated-pods-check=true",
                                      "--enable-root-queue-protection=false", "--max-queue-depth=5", "2>&1"}}));
}

TEST(ProgramFlags, DefaultsAreVolcanosButForTheLimits) {
  const auto scheduler = cli::FlagValues::read(scheduler_flags(), {}, cli::FlagSpelling::Daemon);
  ASSERT_TRUE(scheduler) << scheduler.error().message;
  EXPECT_TRUE(scheduler->on("leader-elect"));
  EXPECT_EQ(scheduler->text("leader-elect-resource-name"), "volcano");
  EXPECT_EQ(scheduler->text("listen-address"), ":8080");
  EXPECT_EQ(scheduler->real("kube-api-qps"), 2000);
  EXPECT_FALSE(scheduler->on("enable-healthz"));
  EXPECT_TRUE(scheduler->idle().empty());
  const auto controllers = cli::FlagValues::read(controllers_flags(), {}, cli::FlagSpelling::Daemon);
  ASSERT_TRUE(controllers);
  EXPECT_EQ(controllers->text("leader-elect-resource-name"), "vc-controller-manager");
  EXPECT_EQ(controllers->text("listen-address"), ":8081");
  EXPECT_THAT(controllers->list("controllers"), ElementsAre("*", "-sharding-controller"));
  ASSERT_TRUE(cli::FlagValues::read(webhook_flags(), {}, cli::FlagSpelling::Daemon));
  ASSERT_TRUE(cli::FlagValues::read(nodes_flags(), {}, cli::FlagSpelling::Daemon));
  ASSERT_TRUE(cli::FlagValues::read(crds_flags(), {}, cli::FlagSpelling::Daemon));
}

}  // namespace
}  // namespace basalt::daemon
