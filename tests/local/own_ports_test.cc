// Pods with ports of their own, all or those that they declare: replicas that listen on one port of all addresses,
// beside services and each other.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

#include "kube/text/json.h"
#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

using node::OwnPorts;

// The machine has but one of each for what is not a pod's: tests that run at the same time keep apart by theirs.
int machine_port() { return 30'000 + getpid() % 2'000; }

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
  std::string ports = "", sidecar_ports = "";  // that the containers declare, in JSON
};

std::string command_of(const std::string& script) {
  return R"("command": ["python3", "-c", )" + text::to_json(text::Value(std::string(kWords) + script)) + "]";
}

std::string probe_of(const PortPod& pod) {
  if (pod.probed) return fmt::format(R"("tcpSocket": {{"port": {}}})", machine_port());
  return R"("exec": {)" + command_of(pod.probe) + "}";
}

std::string ports_of(const std::string& declared) { return declared.empty() ? "" : R"(, "ports": [)" + declared + "]"; }

// PORT + offset, with further fields.
std::string declared(int offset, const std::string& more = "") {
  return fmt::format(R"({{"containerPort": {}{}}})", machine_port() + offset, more);
}

class LocalPorts : public testing::Test {
 protected:
  void start(OwnPorts own_ports = OwnPorts::All) {
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
                       name, command_of(script), mounts, machine_port(), fixture.mark(), more);
  }
  void create(const PortPod& pod) {
    const bool probed = pod.probed || !pod.probe.empty();
    std::string containers = container(
        "a", pod.script, pod.mounts,
        ports_of(pod.ports) +
            (probed
                 ? fmt::format(R"(, "readinessProbe": {{{}, "periodSeconds": 1, "timeoutSeconds": 20}})", probe_of(pod))
                 : ""));
    if (!pod.sidecar.empty()) containers += ", " + container("b", pod.sidecar, "", ports_of(pod.sidecar_ports));
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
  // What a command inside the pod's container says.
  std::string said_inside(std::string_view pod, const std::string& script) {
    std::string out;
    std::promise<void> ended;
    fixture.node().exec({.namespace_name = "default",
                         .pod = std::string(pod),
                         .uid = fixture.at(pod, "metadata.uid"),
                         .node = std::string(LocalNodeFixture::kNode),
                         .container = "a",
                         .argv = {"python3", "-c", std::string(kWords) + script}},
                        {.output =
                             [&](api::ExecStream, std::string_view bytes) {
                               out += bytes;
                               return true;
                             },
                         .room = [] {},
                         .ended =
                             [&](const api::ExecResult& end) {
                               out += end.problem;
                               ended.set_value();
                             }});
    ended.get_future().wait();
    return out;
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

// Connects until somebody is there, from the machine. Answers what it says.
std::string answer_of(const std::string& address, int port = machine_port()) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<uint16_t>(port));
  if (::inet_pton(AF_INET, address.c_str(), &name.sin_addr) != 1) return "no address";
  const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
  while (std::chrono::steady_clock::now() < deadline) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char text[64] = {};
    const bool there = ::connect(socket, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 &&
                       ::recv(socket, text, sizeof text - 1, 0) > 0;
    ::close(socket);
    if (there) return text;
    std::this_thread::yield();
  }
  return "nobody";
}

constexpr std::string_view kServe = "serve('0.0.0.0')\nsignal.pause()\n";

TEST_F(LocalPorts, ReplicasListenOnOnePortOfAllAddresses) {
  start();
  EXPECT_FALSE(told_shared());
  create_service("web", machine_port() + 1, machine_port());
  create_service("same", machine_port(), machine_port());
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
  create_service("web", machine_port(), machine_port() + 1);
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
  EXPECT_EQ(answer_of(address), "p") << "bound while no node was there";
  fixture.start_node();
  create({.name = "q", .script = std::string(kServe), .probed = true});
  ASSERT_TRUE(fixture.wait_ready("q"));
  EXPECT_EQ(answer_of(address), "p");
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
  start(OwnPorts::None);
  EXPECT_TRUE(told_shared());
  create({.name = "first", .script = std::string(kServe), .probed = true});
  ASSERT_TRUE(fixture.wait_ready("first"));
  EXPECT_NE(finish({.name = "second", .script = std::string(kServe)}).find("Address already in use"),
            std::string::npos);
  EXPECT_EQ(finish({.name = "client", .script = "print(ask('127.0.0.1'))\n"}), "first");
}

constexpr std::string_view kNames = R"(
def name_of(address, port, kind=socket.SOCK_STREAM):
  s = socket.socket(socket.AF_INET, kind)
  if kind == socket.SOCK_STREAM: s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
  s.bind((address, port))
  return s.getsockname()[0]
own = socket.gethostbyname(os.environ["HOSTNAME"])
def says(name): return 'own' if name == own else name
)";

// Through a service of the same port, too.
TEST_F(LocalPorts, DeclaredReplicasListenOnOnePortOfAllAddresses) {
  start(OwnPorts::Declared);
  EXPECT_FALSE(told_shared());
  create_service("web", machine_port(), machine_port());
  for (const char* name : {"web-0", "web-1"}) {
    create({.name = name, .script = std::string(kServe), .app = "web", .probed = true, .ports = declared(0)});
  }
  ASSERT_TRUE(fixture.wait_ready("web-0"));
  ASSERT_TRUE(fixture.wait_ready("web-1"));
  EXPECT_EQ(answer_of(fixture.at("web-0", "status.podIP")), "web-0");
  EXPECT_EQ(answer_of(fixture.at("web-1", "status.podIP")), "web-1");
  EXPECT_EQ(finish({.name = "client",
                    .script = "heard = set()\n"
                              "while len(heard) < 2:\n"
                              "  try: heard.add(ask('web'))\n"
                              "  except OSError: pass\n"
                              "print(*sorted(heard))\n"}),
            "web-0 web-1");
}

// There programs find each other that tell the addresses of the machine's interfaces. 2000 below: apart from ports of
// pods of tests that run at the same time.
TEST_F(LocalPorts, OtherThanDeclaredPortsAreTheMachines) {
  start(OwnPorts::Declared);
  create({.name = "p",
          .script = "serve('0.0.0.0', P - 2000)\nserve('127.0.0.1', P)\nsignal.pause()\n",
          .sidecar = "signal.pause()\n",
          .ports = declared(0) + ", " + declared(2),
          .sidecar_ports = declared(3, R"(, "protocol": "UDP")")});
  ASSERT_TRUE(fixture.wait_ready("p"));
  EXPECT_EQ(answer_of("127.0.0.1", machine_port() - 2000), "p");
  EXPECT_EQ(finish({.name = "other", .script = "print(ask('127.0.0.1', P - 2000))\n"}), "p");
  EXPECT_EQ(
      said_inside("p", std::string(kNames) +
                           "print(says(name_of('0.0.0.0', P + 2)), says(name_of('0.0.0.0', 0)),\n"
                           "  says(name_of('0.0.0.0', P + 2, socket.SOCK_DGRAM)),\n"
                           "  says(name_of('0.0.0.0', P + 3, socket.SOCK_DGRAM)), name_of('127.0.0.1', P - 2001),\n"
                           "  ask('localhost', P), ask('localhost', P - 2000))\n"),
      "own 0.0.0.0 0.0.0.0 own 127.0.0.1 p p\n");
}

TEST_F(LocalPorts, DeclaredPortsSurviveARestartOfTheNode) {
  fixture.options.keep_pods = true;
  start(OwnPorts::Declared);
  create({.name = "p", .script = std::string(kServe), .probed = true, .ports = declared(0) + ", " + declared(1)});
  ASSERT_TRUE(fixture.wait_ready("p"));
  fixture.stop_node();
  EXPECT_EQ(answer_of(fixture.at("p", "status.podIP")), "p");
  fixture.start_node();
  create({.name = "q", .script = std::string(kServe), .probed = true, .ports = declared(0)});
  ASSERT_TRUE(fixture.wait_ready("q"));
  EXPECT_EQ(
      said_inside("p", std::string(kNames) +
                           "print(says(name_of('0.0.0.0', P + 1)), name_of('0.0.0.0', P - 2001), ask('localhost'))\n"),
      "own 0.0.0.0 p\n");
}

TEST_F(LocalPorts, PodsThatDeclareNoneHaveNoFilter) {
  start(OwnPorts::Declared);
  const std::string filters =
      "print(*[line.split()[1] for line in open('/proc/self/status') if line.startswith('Seccomp_filters')])\n";
  const std::string without = finish({.name = "none", .script = filters});
  EXPECT_EQ(finish({.name = "host", .script = filters, .extra = R"("hostNetwork": true,)", .ports = declared(0)}),
            without);
  EXPECT_NE(finish({.name = "one", .script = filters, .ports = declared(0)}), without);
}

class LocalHostPorts : public LocalPorts, public testing::WithParamInterface<OwnPorts> {};
INSTANTIATE_TEST_SUITE_P(Ports, LocalHostPorts, testing::Values(OwnPorts::Declared, OwnPorts::All),
                         [](const auto& which) { return which.param == OwnPorts::All ? "All" : "Declared"; });

TEST_P(LocalHostPorts, AreAtTheMachinesLoopback) {
  start(GetParam());
  for (const int offset : {0, 1}) {
    create({.name = fmt::format("p-{}", offset),
            .script = std::string(kServe),
            .probed = true,
            .ports = declared(0, fmt::format(R"(, "hostPort": {})", machine_port() + offset))});
  }
  ASSERT_TRUE(fixture.wait_ready("p-0"));
  ASSERT_TRUE(fixture.wait_ready("p-1"));
  EXPECT_EQ(answer_of("127.0.0.1"), "p-0");
  EXPECT_EQ(answer_of("127.0.0.1", machine_port() + 1), "p-1");
}

}  // namespace
}  // namespace basalt
