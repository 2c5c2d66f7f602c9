#include "control/node/local/hosts_file.h"

#include <sys/stat.h>

#include <set>
#include <sstream>

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

class NamesTest : public ::testing::Test {
 protected:
  void add_pod(std::string_view text, std::string address) {
    text::Object pod = json(text);
    pods.push_back(pod_endpoint_of(pod, std::move(address)));
  }
  // What `name` resolves to for the pod.
  std::set<std::string> find(const text::Object& pod, const std::string& address, std::string_view name) {
    const std::string text = hosts_text(pod, address, pods, world.services());
    std::set<std::string> found;
    size_t at = 0;
    while (at < text.size()) {
      const size_t end = text.find('\n', at);
      std::istringstream line(text.substr(at, end - at));
      std::string first, word;
      line >> first;
      while (line >> word) {
        if (word == name) found.insert(first);
      }
      at = end + 1;
    }
    return found;
  }

  using Found = std::set<std::string>;
  ObjectFixture world;
  std::vector<PodEndpoint> pods;
};

const char* const kMaster = R"({"metadata": {"name": "job-master-0", "namespace": "blue", "labels": {"job": "j"}},
  "spec": {"hostname": "job-master-0", "subdomain": "job"}, "status": {"phase": "Running",
  "conditions": [{"type": "Ready", "status": "True"}]}})";
const char* const kWorker = R"({"metadata": {"name": "job-worker-0", "namespace": "blue", "labels": {"job": "j"}},
  "spec": {"hostname": "job-worker-0", "subdomain": "job"}, "status": {"phase": "Pending"}})";

TEST_F(NamesTest, MembersOfAJobFindEachOther) {
  add_pod(kMaster, "127.64.0.1");
  add_pod(kWorker, "127.64.0.2");
  const text::Object worker = json(kWorker);
  EXPECT_EQ(find(worker, "127.64.0.2", "job-master-0.job"), Found{"127.64.0.1"});
  EXPECT_EQ(find(worker, "127.64.0.2", "job-master-0.job.blue"), Found{"127.64.0.1"});
  EXPECT_EQ(find(worker, "127.64.0.2", "job-master-0.job.blue.svc"), Found{"127.64.0.1"});
  EXPECT_EQ(find(worker, "127.64.0.2", "job-master-0.job.blue.svc.cluster.local"), Found{"127.64.0.1"});
  EXPECT_EQ(find(worker, "127.64.0.2", "job-worker-0"), Found{"127.64.0.2"});
  EXPECT_EQ(find(worker, "127.64.0.2", "job-worker-0.job"), Found{"127.64.0.2"}) << "also before it is ready";
  EXPECT_EQ(find(worker, "127.64.0.2", "localhost"), (Found{"127.0.0.1", "::1"}));
  EXPECT_EQ(find(worker, "127.64.0.2", "job-master-0"), Found{}) << "as in a cluster: only with the subdomain";

  const std::string text = hosts_text(worker, "127.64.0.2", pods, {});
  EXPECT_NE(text.find("\n127.64.0.2\tjob-worker-0.job.blue.svc.cluster.local\tjob-worker-0\t"), std::string::npos)
      << text;

  const text::Object stranger = json(R"({"metadata": {"name": "s", "namespace": "red"}})");
  EXPECT_EQ(find(stranger, "127.64.0.9", "job-master-0.job"), Found{});
  EXPECT_EQ(find(stranger, "127.64.0.9", "job-master-0.job.blue.svc"), Found{"127.64.0.1"});
}

TEST_F(NamesTest, ServicesAndTheirPods) {
  add_pod(kMaster, "127.64.0.1");
  add_pod(kWorker, "127.64.0.2");
  add_pod(R"({"metadata": {"name": "done", "namespace": "blue", "labels": {"job": "j"}},
              "spec": {"hostname": "done", "subdomain": "job"}, "status": {"phase": "Succeeded",
              "conditions": [{"type": "Ready", "status": "True"}]}})",
          "127.64.0.3");
  add_pod(R"({"metadata": {"name": "other", "namespace": "red", "labels": {"job": "j"}}, "status":
              {"conditions": [{"type": "Ready", "status": "True"}]}})",
          "127.64.0.4");
  world.put(R"({"kind": "Service", "metadata": {"name": "web"}, "spec": {"clusterIP": "127.96.0.2"}})");
  world.put(R"({"kind": "Service", "metadata": {"name": "ready"},
                "spec": {"clusterIP": "None", "selector": {"job": "j"}}})");
  world.put(R"({"kind": "Service", "metadata": {"name": "job"},
                "spec": {"clusterIP": "None", "selector": {"job": "j"}, "publishNotReadyAddresses": true}})");
  world.put(R"({"kind": "Service", "metadata": {"name": "all"}, "spec": {"clusterIP": "None"}})");
  world.put(
      R"({"kind": "Service", "metadata": {"name": "far"}, "spec": {"type": "ExternalName", "externalName": "x.y"}})");
  const text::Object master = json(kMaster);
  EXPECT_EQ(find(master, "127.64.0.1", "web"), Found{"127.96.0.2"});
  EXPECT_EQ(find(master, "127.64.0.1", "web.blue"), Found{"127.96.0.2"});
  EXPECT_EQ(find(master, "127.64.0.1", "web.blue.svc.cluster.local"), Found{"127.96.0.2"});
  EXPECT_EQ(find(master, "127.64.0.1", "ready"), Found{"127.64.0.1"});
  EXPECT_EQ(find(master, "127.64.0.1", "job"), (Found{"127.64.0.1", "127.64.0.2"}));
  EXPECT_EQ(find(master, "127.64.0.1", "all"), Found{}) << "no selector names no pod";
  EXPECT_EQ(find(master, "127.64.0.1", "far"), Found{});
  EXPECT_EQ(find(master, "127.64.0.1", "done.job"), Found{}) << "ended: its address is not its own any more";
}

TEST_F(NamesTest, AliasesAndHostileNames) {
  const text::Object pod = json(R"({"metadata": {"name": "p", "namespace": "blue"}, "spec": {"hostAliases": [
    {"ip": "192.0.2.1", "hostnames": ["foo.local", "bar"]}, {"ip": "1.2.3.4\n6.6.6.6", "hostnames": ["evil"]},
    {"ip": "192.0.2.2", "hostnames": ["good", "bad\n6.6.6.6 bank", "also bad", ""]},
    {"ip": "::7", "hostnames": ["six"]},
    {}, 5]}})");
  add_pod(R"({"metadata": {"name": "x", "namespace": "blue"},
              "spec": {"hostname": "a\n6.6.6.6 bank", "subdomain": "s p"}})",
          "127.64.0.1");
  world.put(R"({"kind": "Service", "metadata": {"name": "web"}, "spec": {"clusterIP": "127.96.0.2\n6.6.6.6 bank"}})");
  EXPECT_EQ(find(pod, "127.64.0.5", "foo.local"), Found{"192.0.2.1"});
  EXPECT_EQ(find(pod, "127.64.0.5", "bar"), Found{"192.0.2.1"});
  EXPECT_EQ(find(pod, "127.64.0.5", "good"), Found{"192.0.2.2"});
  EXPECT_EQ(find(pod, "127.64.0.5", "six"), Found{"::7"});
  EXPECT_EQ(hosts_text(pod, "127.64.0.5", pods, world.services()).find("6.6.6.6"), std::string::npos);
}

TEST_F(NamesTest, TheFileIsWrittenInPlace) {
  const TestDirectory directory;
  const auto file = directory.path() / "hosts";
  ASSERT_TRUE(write_hosts(file, "127.0.0.1\tlocalhost\n127.64.0.1\ta\n"));
  struct stat before{}, after{};
  ASSERT_EQ(stat(file.c_str(), &before), 0);
  ASSERT_TRUE(write_hosts(file, "127.0.0.1\tlocalhost\n"));
  ASSERT_EQ(stat(file.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(after.st_mode & 0777U, 0644U);
  EXPECT_EQ(content_of(file), "127.0.0.1\tlocalhost\n");

  const auto victim = directory.path() / "victim";
  put_file(victim, "precious");
  std::filesystem::create_symlink(victim, directory.path() / "link");
  EXPECT_FALSE(write_hosts(directory.path() / "link", "x"));
  EXPECT_EQ(content_of(victim), "precious");
  EXPECT_FALSE(write_hosts(directory.path() / "no/such/place", "x"));
}

TEST_F(NamesTest, NeighboursAreReadFromAnyObject) {
  const PodEndpoint none = pod_endpoint_of(json(R"({"metadata": 5, "spec": [], "status": "x"})"), "a");
  EXPECT_TRUE(none.name.empty());
  const PodEndpoint leaving = pod_endpoint_of(json(R"({"metadata": {"deletionTimestamp": "now"},
    "status": {"conditions": [{"type": "Ready", "status": "True"}]}, "spec": {"containers": [{"ports":
    [{"containerPort": 0}, {"containerPort": 70000}, {"containerPort": 80, "name": "http"},
     {"containerPort": "x"}]}]}})"),
                                              "a");
  EXPECT_FALSE(leaving.ready);
  ASSERT_EQ(leaving.ports.size(), 1U);
  EXPECT_EQ(leaving.ports[0].number, 80);
}

}  // namespace
}  // namespace basalt::node
