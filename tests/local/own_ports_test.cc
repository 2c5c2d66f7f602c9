// Pods with ports of their own: replicas that listen on one port of all addresses, beside services and each other.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "kube/text/json.h"
#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

// The machine has but one of each for what is not a pod's: tests that run at the same time keep apart by theirs.
int own_port() { return 30'000 + getpid() % 2'000; }

constexpr std::string_view kWords = R"(
import os, signal, socket, sys, threading
P = int(os.environ["PORT"])
def serve(address, port=P, family=socket.AF_INET):
  s = socket.create_server((address, port), family=family)
  def run():
    while True:
      c = s.accept()[0]
      c.sendall(os.environ["HOSTNAME"].encode())
      c.close()
  threading.Thread(target=run, daemon=True).start()
def ask(host, port=P):
  with socket.create_connection((host, int(port)), 20) as c: return c.recv(99).decode()
)";

struct PortPod {
  std::string name, script;
  std::string app = "none";
  bool probed = false;      // ready when its port answers
  std::string probe = "";   // a script, instead
  std::string mounts = "";  // volumeMounts of its container, in JSON, with a comma at the end
  std::string extra = "";   // further fields of the pod's spec, in JSON, with a comma at the end
  std::string sidecar = "";
};

std::string command_of(const std::string& script) {
  return R"("command": ["python3", "-c", )" + text::to_json(text::Value(std::string(kWords) + script)) + "]";
}

std::string probe_of(const PortPod& pod) {
  if (pod.probed) return fmt::format(R"("tcpSocket": {{"port": {}}})", own_port());
  return R"("exec": {)" + command_of(pod.probe) + "}";
}

class LocalPorts : public testing::Test {
 protected:
  void start(bool own_ports = true) {
    fixture.options.own_ports = own_ports;
    fixture.options.log = [this](bool, const std::string& line) {
      const std::lock_guard lock(mutex_);
      if (line.starts_with("pods share the ports")) told_shared_ = true;
    };
    fixture.start_node();
  }
  [[nodiscard]] bool told_shared() {
    const std::lock_guard lock(mutex_);
    return told_shared_;
  }

  [[nodiscard]] std::string container(std::string_view name, const std::string& script, const std::string& mounts,
                                      const std::string& more) const {
    return fmt::format(R"({{"name": "{}", "image": "x", {}, {} "env": [{{"name": "PORT", "value": "{}"}},
      {{"name": "MARK", "value": "{}"}}]{}}})",
                       name, command_of(script), mounts, own_port(), fixture.mark(), more);
  }
  void create(const PortPod& pod) {
    const bool probed = pod.probed || !pod.probe.empty();
    std::string containers = container(
        "a", pod.script, pod.mounts,
        probed ? fmt::format(R"(, "readinessProbe": {{{}, "periodSeconds": 1, "timeoutSeconds": 20}})", probe_of(pod))
               : "");
    if (!pod.sidecar.empty()) containers += ", " + container("b", pod.sidecar, "", "");
    fixture.create(fmt::format(
        R"({{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "{}", "labels": {{"app": "{}"}}}},
        "spec": {{"nodeName": "here", "terminationGracePeriodSeconds": 0, {} "restartPolicy": "Never",
        "containers": [{}]}}}})",
        pod.name, pod.app, pod.extra, containers));
  }
  // Answers its log.
  std::string finish(const PortPod& pod) {
    create(pod);
    fixture.wait(pod.name, [&](const text::Object&) {
      return fixture.at(pod.name, "status.phase") == "Succeeded" || fixture.at(pod.name, "status.phase") == "Failed";
    });
    return fixture.log(pod.name, "a");
  }
  void create_service(std::string_view name, int port, int target) {
    fixture.create(fmt::format(R"({{"apiVersion": "v1", "kind": "Service", "metadata": {{"name": "{}"}}, "spec":
      {{"selector": {{"app": "{}"}}, "ports": [{{"port": {}, "targetPort": {}}}]}}}})",
                               name, name, port, target));
  }

  LocalNodeFixture fixture;

 private:
  std::mutex mutex_;
  bool told_shared_ = false;
};

// Connects until somebody is there, from the machine.
bool answers(const std::string& address) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<uint16_t>(own_port()));
  if (::inet_pton(AF_INET, address.c_str(), &name.sin_addr) != 1) return false;
  const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
  while (std::chrono::steady_clock::now() < deadline) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool there = ::connect(socket, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0;
    ::close(socket);
    if (there) return true;
    std::this_thread::yield();
  }
  return false;
}

constexpr std::string_view kServe = "serve('0.0.0.0')\nsignal.pause()\n";

TEST_F(LocalPorts, ReplicasListenOnOnePortOfAllAddresses) {
  start();
  EXPECT_FALSE(told_shared());
  create_service("web", own_port() + 1, own_port());
  create_service("same", own_port(), own_port());
  for (const char* name : {"web-0", "web-1"}) {
    create({.name = name, .script = std::string(kServe), .app = "web", .probed = true});
  }
  ASSERT_TRUE(fixture.wait_ready("web-0"));
  ASSERT_TRUE(fixture.wait_ready("web-1"));
  EXPECT_EQ(finish({.name = "client",
                    .script = fmt::format("heard = set()\n"
                                          "while len(heard) < 2: heard.add(ask('web', P + 1))\n"
                                          "print(*sorted(heard), ask('{}'), ask('{}'))\n",
                                          fixture.at("web-0", "status.podIP"), fixture.at("web-1", "status.podIP"))}),
            "web-0 web-1 web-0 web-1");
}

// The service's address is listened on: it was before the pods were there.
TEST_F(LocalPorts, AServicesPortIsFreeForPods) {
  start();
  create_service("web", own_port(), own_port() + 1);
  create({.name = "web-0", .script = "serve('0.0.0.0', P + 1)\nsignal.pause()\n", .app = "web"});
  ASSERT_TRUE(fixture.wait_ready("web-0"));
  const std::string until_it_answers =
      "while True:\n"
      "  try: ask('web')\n"
      "  except OSError: continue\n"
      "  break\n";
  ASSERT_EQ(finish({.name = "before", .script = until_it_answers + "print('heard')\n"}), "heard");
  create({.name = "other", .script = std::string(kServe), .probed = true});
  ASSERT_TRUE(fixture.wait_ready("other"));
  EXPECT_EQ(finish({.name = "client",
                    .script = fmt::format("print(ask('web'), ask('{}'))\n", fixture.at("other", "status.podIP"))}),
            "web-0 other");
}

TEST_F(LocalPorts, TheIpv6WildcardIsThePodsAddress) {
  start();
  create({.name = "six",
          .script = "s = socket.create_server(('::', P), family=socket.AF_INET6, dualstack_ipv6=True)\n"
                    "while True: s.accept()[0].sendall(b'six')\n",
          .probed = true});
  create({.name = "four", .script = std::string(kServe), .probed = true});
  ASSERT_TRUE(fixture.wait_ready("six"));
  ASSERT_TRUE(fixture.wait_ready("four"));
  EXPECT_EQ(finish({.name = "client",
                    .script = fmt::format("print(ask('{}'), ask('{}'))\n", fixture.at("six", "status.podIP"),
                                          fixture.at("four", "status.podIP"))}),
            "six four");
}

TEST_F(LocalPorts, UdpAsWell) {
  start();
  const std::string echo =
      "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
      "s.bind(('', P))\n"
      "serve('', P)\n"  // for the probe
      "while True: s.sendto(os.environ['HOSTNAME'].encode(), s.recvfrom(99)[1])\n";
  for (const char* name : {"u-0", "u-1"}) create({.name = name, .script = echo, .probed = true});
  ASSERT_TRUE(fixture.wait_ready("u-0"));
  ASSERT_TRUE(fixture.wait_ready("u-1"));
  EXPECT_EQ(finish({.name = "client",
                    .script = fmt::format("s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                                          "for address in ('{}', '{}'):\n"
                                          "  s.sendto(b'?', (address, P))\n"
                                          "  print(s.recv(99).decode())\n",
                                          fixture.at("u-0", "status.podIP"), fixture.at("u-1", "status.podIP"))}),
            "u-0|u-1");
}

// "localhost" is the pod's own for all its containers, and the machine's where no container listens.
TEST_F(LocalPorts, LocalhostIsThePods) {
  const int machine = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(machine, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  ASSERT_EQ(::listen(machine, 8), 0);
  socklen_t size = sizeof name;
  ASSERT_EQ(::getsockname(machine, reinterpret_cast<sockaddr*>(&name), &size), 0);
  start();
  const std::string client =
      "while True:\n"
      "  try: print(ask('localhost', P), ask('127.0.0.1', P + 1))\n"
      "  except OSError: continue\n"
      "  break\n";
  for (const char* pod : {"p-0", "p-1"}) {
    // The sidecar of one pod is not that of the other.
    create({.name = pod,
            .script = client + fmt::format("socket.create_connection(('127.0.0.1', {})).close()\nprint('machine')\n",
                                           ntohs(name.sin_port)),
            .sidecar = "serve('127.0.0.1')\nserve('0.0.0.0', P + 1)\nsignal.pause()\n"});
  }
  const auto said = [&](std::string_view pod) {
    const std::string wanted = fmt::format("{0} {0}|machine", pod);
    fixture.wait(pod, [&](const text::Object&) {
      return fixture.at(pod, "status.containerStatuses.0.state.terminated.exitCode") == "0";
    });
    return fixture.log(pod, "a") == wanted;
  };
  EXPECT_TRUE(said("p-0")) << fixture.log("p-0", "a");
  EXPECT_TRUE(said("p-1")) << fixture.log("p-1", "a");
  ::close(machine);
}

// The pod's supervisor answers without the node, and goes on when the next one has come.
TEST_F(LocalPorts, SurvivesARestartOfTheNode) {
  fixture.options.keep_pods = true;
  start();
  create({.name = "p",
          .script = "signal.signal(signal.SIGUSR1, lambda *a: serve('0.0.0.0'))\n"
                    "signal.signal(signal.SIGUSR2, lambda *a: (print(ask('localhost')), sys.exit(0)))\n"
                    "open('/tmp/up', 'w')\n"
                    "while True: signal.pause()\n",
          .probe = "open('/tmp/up')\n",
          .mounts = R"("volumeMounts": [{"name": "v", "mountPath": "/tmp"}],)",
          .extra = R"("volumes": [{"name": "v", "emptyDir": {}}],)"});
  ASSERT_TRUE(fixture.wait_ready("p"));
  const std::string address = fixture.at("p", "status.podIP");
  fixture.stop_node();
  const std::vector<int> processes = fixture.marked();
  for (const int pid : processes) ::kill(pid, SIGUSR1);
  EXPECT_TRUE(answers(address)) << "bound while no node was there";
  fixture.start_node();
  create({.name = "q", .script = std::string(kServe), .probed = true});
  ASSERT_TRUE(fixture.wait_ready("q"));
  EXPECT_TRUE(answers(address));
  for (const int pid : processes) ::kill(pid, SIGUSR2);
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_EQ(fixture.log("p", "a"), "p");
}

// A command inside a container, such as a probe, is at the pod's localhost.
TEST_F(LocalPorts, CommandsInside) {
  start();
  for (const char* name : {"p-0", "p-1"}) {
    create({.name = name,
            .script = "serve('127.0.0.1')\nsignal.pause()\n",
            .probe = fmt::format("sys.exit(ask('localhost') != '{}')\n", name)});
  }
  EXPECT_TRUE(fixture.wait_ready("p-0"));
  EXPECT_TRUE(fixture.wait_ready("p-1"));
}

TEST_F(LocalPorts, OtherUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  start();
  const std::string user = R"("securityContext": {"runAsUser": 65534, "runAsGroup": 65534, "runAsNonRoot": true,
    "seccompProfile": {"type": "RuntimeDefault"}},)";
  for (const char* name : {"u-0", "u-1"}) {
    create({.name = name, .script = std::string(kServe), .probed = true, .extra = user});
  }
  ASSERT_TRUE(fixture.wait_ready("u-0"));
  ASSERT_TRUE(fixture.wait_ready("u-1"));
}

TEST_F(LocalPorts, HostNetworkIsTheMachines) {
  start();
  EXPECT_EQ(finish({.name = "host",
                    .script = "s = socket.create_server(('0.0.0.0', P))\nprint(s.getsockname()[0])\n",
                    .extra = R"("hostNetwork": true,)"}),
            "0.0.0.0");
}

TEST_F(LocalPorts, WithoutThemPodsShareTheMachines) {
  start(false);
  EXPECT_TRUE(told_shared());
  create({.name = "first", .script = std::string(kServe), .probed = true});
  ASSERT_TRUE(fixture.wait_ready("first"));
  EXPECT_NE(finish({.name = "second", .script = std::string(kServe)}).find("Address already in use"),
            std::string::npos);
  EXPECT_EQ(finish({.name = "client", .script = "print(ask('127.0.0.1'))\n"}), "first");
}

}  // namespace
}  // namespace basalt
