#include <gtest/gtest.h>

#include "control/volcano/job/expand/expand_job_builders.h"
#include "control/volcano/job/expand/pod_factory.h"
#include "control/volcano/job/plugins/job_plugin_registry.h"
#include "control/volcano/job/plugins/task_hosts.h"
#include "kube/api/object_fields.h"
#include "kube/text/base64.h"

namespace basalt::volcano {
namespace {

using tests::job_with;
using tests::parsed;
using tests::pod_of;
using tests::to_text;

// A job of one master and three workers, whose containers say `words`.
text::Object cluster_job(std::string_view plugins, std::string_view words = "run") {
  const std::string pod = R"({"spec": {"containers": [{"name": "c", "args": [")" + std::string(words) + R"("]}]}})";
  return job_with(R"({"plugins": )" + std::string(plugins) + R"(, "tasks": [
      {"name": "master", "replicas": 1, "template": )" +
                  pod + R"(}, {"name": "worker", "replicas": 3, "template": )" + pod + "}]}");
}

// The value of a variable of the first container; "(none)" when it is not there.
std::string env(const text::Object& pod, std::string_view name) {
  const text::Object& container = api::array_at(pod, {"spec", "containers"})->at(0).get_object();
  const text::Array* variables = api::array_at(container, {"env"});
  for (size_t i = 0; variables != nullptr && i < variables->size(); ++i) {
    const text::Object& one = variables->at(i).get_object();
    if (api::string_at(one, "name") == name) return std::string(api::string_at(one, "value"));
  }
  return "(none)";
}

std::vector<WantedObject> objects_of(const text::Object& object) {
  const JobView job(object);
  auto objects = JobPluginSet::of(job)->objects(job);
  EXPECT_TRUE(objects.has_value());
  return std::move(*objects);
}

TEST(Plugins, RunInOneOrderWhateverTheJobSays) {
  const text::Object object = cluster_job(R"({"hcclrank": [], "mpi": [], "env": [], "svc": []})");
  const auto set = JobPluginSet::of(JobView(object));
  ASSERT_TRUE(set.has_value());
  std::vector<std::string_view> names;
  for (const ConfiguredPlugin& plugin : set->plugins()) names.push_back(plugin.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"svc", "env", "mpi", "hcclrank"}));
  EXPECT_EQ(to_text(set->controlled_resources()), R"({"plugin-svc":"svc","plugin-env":"env","plugin-mpi":"mpi"})");
}

TEST(Plugins, AnUnknownOneIsNamedWithThoseThereAre) {
  const text::Object object = cluster_job(R"({"svc": [], "svk": []})");
  const auto set = JobPluginSet::of(JobView(object));
  ASSERT_FALSE(set.has_value());
  EXPECT_EQ(set.error().message,
            "failed to get plugin svk: spec.plugins may name svc, ssh, env, pytorch, tensorflow, mpi, ray, hcclrank");
}

TEST(Plugins, BadFlagsWarn) {
  const text::Object object = cluster_job(R"({"svc": ["--bogus"], "ssh": ["--ssh-port=99999"]})");
  EXPECT_EQ(JobPluginSet::of(JobView(object))->warnings(),
            (std::vector<std::string>{"svc: flag provided but not defined: -bogus",
                                      "ssh: ssh-port 99999 is no port, 22 is used"}));
}

TEST(Plugins, EnvTellsTheSizeToThoseWhoAsk) {
  EXPECT_EQ(env(pod_of(cluster_job(R"({"env": []})"), "worker", 1), "VC_TASK_NUM"), "(none)");
  const text::Object pod = pod_of(cluster_job(R"({"env": []})", "n=$(VK_TASK_NUM)"), "worker", 1);
  EXPECT_EQ(env(pod, "VK_TASK_NUM"), "3");
  EXPECT_EQ(env(pod, "VC_TASK_NUM"), "(none)");
  EXPECT_EQ(env(pod, "VC_TASK_INDEX"), "1");
  EXPECT_EQ(env(pod_of(cluster_job(R"({"env": ["--task-num"]})"), "master", 0), "VC_TASK_NUM"), "1");
}

TEST(Plugins, SvcTellsTheSingleHostToThoseWhoAsk) {
  EXPECT_EQ(env(pod_of(cluster_job(R"({"svc": []})"), "worker", 1), "VC_MASTER_HOST"), "(none)");
  EXPECT_EQ(env(pod_of(cluster_job(R"({"svc": []})", "$(VC_MASTER_HOSTS)"), "worker", 1), "VC_MASTER_HOST"), "(none)");
  const text::Object pod = pod_of(cluster_job(R"({"svc": []})", "$(VC_MASTER_HOST):1 $(VC_WORKER_HOST)"), "worker", 1);
  EXPECT_EQ(env(pod, "VC_MASTER_HOST"), "train-master-0.train");
  EXPECT_EQ(env(pod, "VC_WORKER_HOST"), "(none)");  // three hosts are not one
  EXPECT_EQ(env(pod_of(cluster_job(R"({"svc": ["--inject-host-env"]})"), "worker", 1), "VC_MASTER_HOST"),
            "train-master-0.train");
}

TEST(Plugins, SvcKeepsTheHostsInStepAndTheRestOnce) {
  const text::Object object = cluster_job(R"({"svc": []})");
  const auto wanted = objects_of(object);
  ASSERT_EQ(wanted.size(), 3U);
  EXPECT_EQ(wanted[0].resource.plural, "configmaps");
  EXPECT_EQ(wanted[0].name(), "train-svc");
  EXPECT_FALSE(object_change(wanted[0], wanted[0].object).has_value());
  text::Object old = wanted[0].object;
  old["data"] = parsed(R"({"VC_MASTER_HOSTS": "train-master-0.train", "stale": "x"})");
  const auto change = object_change(wanted[0], old);
  ASSERT_TRUE(change.has_value());
  const text::Object& data = change->at("data").get_object();
  EXPECT_TRUE(data.at("stale").is_null());
  EXPECT_FALSE(data.contains("VC_MASTER_HOSTS"));
  EXPECT_EQ(data.at("VC_WORKER_NUM"), "3");
  EXPECT_TRUE(wanted[1].once && wanted[2].once);
  EXPECT_FALSE(object_change(wanted[1], text::Object{}).has_value());
  EXPECT_EQ(objects_of(object)[0].fingerprint, wanted[0].fingerprint);
  EXPECT_NE(wanted[0].fingerprint, wanted[1].fingerprint);
}

TEST(Plugins, SshKeysAreMadeOnlyForASecretThatIsMade) {
  int made = 0;
  const SshKeyGenerator maker = [&]() -> Result<net::SshKeys> {
    ++made;
    return net::SshKeys{.private_pem = "PEM", .public_line = "LINE"};
  };
  const auto wanted = objects_of(cluster_job(R"({"ssh": []})"));
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_TRUE(wanted[0].once && wanted[0].needs_keys);
  EXPECT_EQ(made, 0);
  const auto secret = with_keys(wanted[0], maker);
  ASSERT_TRUE(secret.has_value());
  EXPECT_EQ(made, 1);
  EXPECT_EQ(api::string_at(*secret, {"data", "id_rsa"}), text::encode_base64("PEM"));
  EXPECT_EQ(api::string_at(*secret, {"data", "authorized_keys"}), text::encode_base64("LINE"));
  EXPECT_FALSE(object_change(wanted[0], *secret).has_value());  // never written over

  const auto given = objects_of(cluster_job(R"({"ssh": ["--ssh-private-key=P", "--ssh-public-key=Q"]})"));
  ASSERT_TRUE(with_keys(given[0], maker).has_value());
  EXPECT_EQ(made, 1);
  const auto failing = with_keys(wanted[0], []() -> Result<net::SshKeys> { return invalid("no entropy"); });
  EXPECT_EQ(failing.error().message, "keys for Secret train-ssh: no entropy");
}

TEST(Plugins, RankOfPytorchIsTheRankOfHccl) {
  const text::Object object = cluster_job(R"({"hcclrank": [], "pytorch": []})");
  const text::Object worker = pod_of(object, "worker", 2);
  EXPECT_EQ(env(worker, "RANK"), "3");
  EXPECT_EQ(api::string_at(worker, {"metadata", "annotations", "hccl/rankIndex"}), "3");
  EXPECT_EQ(api::string_at(pod_of(object, "master", 0), {"metadata", "annotations", "hccl/rankIndex"}), "0");
}

TEST(Plugins, JobsThatAreTooLargeToListAreRefused) {
  const text::Object object = job_with(
      R"({"plugins": {"svc": []}, "tasks": [{"name": "a", "replicas": 2000000000}, {"name": "b", "replicas": 1}]})");
  const auto objects = JobPluginSet::of(JobView(object))->objects(JobView(object));
  ASSERT_FALSE(objects.has_value());
  EXPECT_NE(objects.error().message.find("2000000001 are too many"), std::string::npos) << objects.error().message;
  const text::Object flow =
      job_with(R"({"plugins": {"tensorflow": []}, "tasks": [{"name": "a", "replicas": 2000000}]})");
  const JobView job(flow);
  EXPECT_FALSE(PodFactory::of(job, job.tasks[0], *JobPluginSet::of(job)).has_value());
}

TEST(Hosts, MentionsAreWholeWords) {
  const auto says = [](std::string_view json, std::string_view name) { return mentions(parsed(json), name); };
  EXPECT_TRUE(says(R"({"command": ["x", "$VC_A_HOST:1"]})", "VC_A_HOST"));
  EXPECT_TRUE(says(R"({"env": [{"name": "E", "value": "${VC_A_HOST}"}]})", "VC_A_HOST"));
  EXPECT_FALSE(says(R"j({"args": ["$(VC_A_HOSTS)", "MY_VC_A_HOST"]})j", "VC_A_HOST"));
  EXPECT_TRUE(says(R"({"args": ["VC_A_HOSTS VC_A_HOST"]})", "VC_A_HOST"));
  EXPECT_FALSE(says(R"({"args": 3, "env": [4], "command": [null]})", "VC_A_HOST"));
}

}  // namespace
}  // namespace basalt::volcano
