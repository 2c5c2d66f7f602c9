// Containers with ports of their own: what their programs bind and connect to, also after their node has ended.
#include <fmt/format.h>
#include <netinet/in.h>

#include <csignal>

#include "control/node/local/process_fixture.h"

namespace basalt::node {
namespace {

using testing::HasSubstr;

// Addresses that no cluster of this machine uses at the same time: of the last block, by our own number.
std::string own_address(int index = 0) { return fmt::format("127.95.{}.{}", 100 + index, ::getpid() % 250 + 1); }
std::string own_loopback() { return fmt::format("127.159.100.{}", ::getpid() % 250 + 1); }
std::string own_loopback6() { return fmt::format("127.191.100.{}", ::getpid() % 250 + 1); }

constexpr std::string_view kWords = R"(
import errno, os, socket, sys, threading
P = int(os.environ["PORT"])
V4, V6, TCP, UDP = socket.AF_INET, socket.AF_INET6, socket.SOCK_STREAM, socket.SOCK_DGRAM
def server(address, port=P, family=V4, kind=TCP, only6=False):
  s = socket.socket(family, kind)
  if kind == TCP: s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
  if family == V6: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, only6)
  s.bind((address, port))
  if kind == TCP: s.listen(8)
  return s
def name(s): return s.getsockname()[0]
def peer(address, port=P, family=V4, kind=TCP):
  s = socket.socket(family, kind)
  s.connect((address, port))
  return s.getpeername()[0]
def error_of(what):
  try: what()
  except OSError as e: return errno.errorcode[e.errno]
  return "none"
)";

class ProcessPortsTest : public ProcessTest {
 protected:
  void SetUp() override {
    ProcessTest::SetUp();
    if (!processes_->capabilities().own_ports) GTEST_SKIP() << processes_->capabilities().why_no_own_ports;
  }
  static ProcessSpec python(std::string_view script, const std::string& address = own_address()) {
    ProcessSpec spec{.argv = {"python3", "-c", std::string(kWords) + std::string(script)},
                     .environment = {"PATH=/usr/bin:/bin", fmt::format("PORT={}", port())}};
    spec.address = address;
    return spec;
  }
  // The same, with these ports of its own; others are the machine's.
  static ProcessSpec python_with(std::vector<DeclaredPort> ports, std::string_view script) {
    ProcessSpec spec = python(script);
    spec.own_ports = std::move(ports);
    return spec;
  }
  static DeclaredPort declared(int offset, int protocol = IPPROTO_TCP) {
    return {.number = static_cast<uint16_t>(port() + offset), .protocol = static_cast<uint16_t>(protocol)};
  }
  static int port() { return 20'000 + ::getpid() % 10'000; }
  std::string said(const ProcessSpec& spec) { return run(spec).output; }
};

INSTANTIATE_TEST_SUITE_P(Machines, ProcessPortsTest, testing::Bool(),
                         [](const auto& which) { return which.param ? "Namespaces" : "Plain"; });

TEST_P(ProcessPortsTest, AllAddressesAndLoopbacksAreItsOwn) {
  EXPECT_EQ(said(python("a, b, c = server('0.0.0.0'), server('127.0.0.1'), server('::1', family=V6)\n"
                        "print(name(a), name(b), name(c))\n"
                        "print(peer('127.0.0.1'), peer('::1', family=V6), peer(name(a)), peer('localhost'))\n"
                        "a.close(), b.close()\n"
                        "print(error_of(lambda: peer('127.0.0.1')), peer('::1', family=V6))\n")),
            fmt::format("{0} {1} ::ffff:{2}\n{1} ::ffff:{2} {0} {1}\nECONNREFUSED ::ffff:{2}\n", own_address(),
                        own_loopback(), own_loopback6()));
}

TEST_P(ProcessPortsTest, TheIpv6WildcardWithAndWithoutIpv4) {
  EXPECT_EQ(said(python("a, b = server('::', family=V6), server('::', P + 1, V6, only6=True)\n"
                        "c = server('0.0.0.0', P + 1)\n"
                        "print(name(a), name(b), name(c))\n"
                        "print(peer('127.0.0.1'), peer('::1', family=V6), peer('::', family=V6), peer('0.0.0.0'))\n"
                        "print(peer('127.0.0.1', P + 1), peer('::1', P + 1, V6))\n")),
            fmt::format("::ffff:{0} ::ffff:{1} {0}\n{0} ::ffff:{0} ::ffff:{0} {0}\n{0} ::ffff:{1}\n", own_address(),
                        own_loopback6()));
}

TEST_P(ProcessPortsTest, WhatIsNotNamedStays) {
  EXPECT_EQ(
      said(python("a, b = server('0.0.0.0', 0), server('127.0.0.3')\n"
                  "u = server('0.0.0.0', 0, kind=UDP)\n"
                  "print(name(a), name(b), name(u), peer('127.0.0.1', a.getsockname()[1]), peer('127.0.0.3'))\n"
                  "x, y = socket.socketpair()\n"
                  "x.send(b'unix')\n"
                  "print(y.recv(9).decode(), error_of(lambda: socket.socket(socket.AF_UNIX).connect('/no/such')))\n"
                  "print(error_of(lambda: socket.socket(fileno=99).bind(('', P))))\n")),
      "0.0.0.0 127.0.0.3 0.0.0.0 127.0.0.1 127.0.0.3\nunix ENOENT\nEBADF\n");
}

TEST_P(ProcessPortsTest, OnlyDeclaredPortsAreItsOwn) {
  EXPECT_EQ(
      said(python_with({declared(0), declared(1, IPPROTO_UDP)},
                       "a, b = server('0.0.0.0'), server('::1', family=V6)\n"
                       "c, d = server('0.0.0.0', P + 1), server('::', P + 2, V6)\n"
                       "u, v = server('127.0.0.1', P + 1, kind=UDP), server('0.0.0.0', kind=UDP)\n"
                       "print(name(a), name(b), name(c), name(d), name(u), name(v))\n"
                       "print(peer('127.0.0.1'), peer('127.0.0.1', P + 1), peer('127.0.0.1', P + 1, kind=UDP))\n")),
      fmt::format("{0} ::ffff:{2} 0.0.0.0 :: {1} 0.0.0.0\n{0} 127.0.0.1 {1}\n", own_address(), own_loopback(),
                  own_loopback6()));
}

// No call of theirs is stopped.
TEST_P(ProcessPortsTest, WithoutDeclaredPortsThereIsNoFilter) {
  constexpr std::string_view kFilters =
      "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('Seccomp_filters')], "
      "name(server('0.0.0.0')))\n";
  const std::string without = said(python(kFilters, ""));
  EXPECT_THAT(without, HasSubstr(" 0.0.0.0\n"));
  EXPECT_EQ(said(python_with({}, kFilters)), without);
  EXPECT_NE(said(python_with({declared(1)}, kFilters)), without);
}

TEST_P(ProcessPortsTest, ErrorsAreTheKernels) {
  EXPECT_EQ(said(python(
                "a = server('0.0.0.0')\n"
                "print(error_of(lambda: server('0.0.0.0')), error_of(lambda: a.bind(('0.0.0.0', P + 1))))\n"
                "print(error_of(lambda: server('::', family=V6)), error_of(lambda: peer('127.0.0.1', P + 1)))\n"
                "s = socket.socket(V6, TCP)\n"
                "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
                "s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)\n"
                "b = server('::1', family=V6)\n"
                "print(error_of(lambda: s.bind(('::', P))), s.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY))\n")),
            "EADDRINUSE EINVAL\nEADDRINUSE ECONNREFUSED\nEADDRINUSE 1\n");
}

TEST_P(ProcessPortsTest, Udp) {
  EXPECT_EQ(
      said(
          python("a, b = server('0.0.0.0', kind=UDP), server('127.0.0.1', P + 1, kind=UDP)\n"
                 "c = socket.socket(V4, UDP)\n"
                 "print(name(a), name(b), c.sendto(b'to all', ('127.0.0.1', P)), c.sendto(b'', ('127.0.0.1', P + 1)),\n"
                 "      peer('127.0.0.1', kind=UDP))\n"
                 "print(a.recv(99), b.recv(99))\n"
                 "d = socket.socket(V6, UDP)\n"
                 "d.sendto(b'x' * 65000, ('::1', P))\n"
                 "more, client = a.recvfrom(99999)\n"
                 "a.sendto(b'back', client)\n"
                 "print(len(more), client[0], d.recv(99))\n"
                 "e = server('0.0.0.0', 0, kind=UDP)\n"
                 "c.sendto(b'any', ('127.0.0.1', e.getsockname()[1]))\n"
                 "print(e.recv(99))\n")),
      fmt::format("{0} {1} 6 0 {0}\nb'to all' b''\n65000 127.0.0.1 b'back'\nb'any'\n", own_address(), own_loopback()));
}

// The calls are made by another process, but no thread waits in it for another's.
TEST_P(ProcessPortsTest, AConnectThatWaitsHoldsUpNobody) {
  EXPECT_EQ(said(python("s = server('127.0.0.1')\n"
                        "s.listen(0)\n"
                        "first = socket.create_connection(('127.0.0.1', P))\n"
                        "names = []\n"
                        "def wait(): names.append(peer('127.0.0.1'))\n"
                        "waiting = [threading.Thread(target=wait) for i in range(3)]\n"
                        "for t in waiting: t.start()\n"
                        "other = server('0.0.0.0', P + 1)\n"
                        "for i in range(4): s.accept()\n"
                        "for t in waiting: t.join()\n"
                        "n = socket.socket()\n"
                        "n.setblocking(False)\n"
                        "print(name(other), set(names), n.connect_ex(('127.0.0.1', P)) in (0, errno.EINPROGRESS),\n"
                        "      first.getblocking(), n.getblocking())\n")),
            fmt::format("{} {{'{}'}} True True False\n", own_address(), own_loopback()));
}

TEST_P(ProcessPortsTest, TwoWithOnePort) {
  const fs::path up = named_pipe("up"), on = named_pipe("on");
  ProcessSpec first =
      python("a = server('0.0.0.0')\nopen(os.environ['UP'], 'w').write('up\\n')\nopen(os.environ['ON']).read()\n");
  first.environment.push_back("UP=" + up.string());
  first.environment.push_back("ON=" + on.string());
  Ended ended;
  ASSERT_TRUE(processes_->start(first, ended.notice()));
  EXPECT_EQ(read_line(up), "up");
  EXPECT_EQ(said(python("a = server('0.0.0.0')\nprint(name(a), peer('127.0.0.1'), peer('" + own_address() + "'))\n",
                        own_address(1))),
            fmt::format("{0} {0} {1}\n", own_address(1), own_address()));
  EXPECT_THAT(said(python("a = server('0.0.0.0')\n", "")), HasSubstr("Address already in use")) << "it has no rules";
  std::ofstream(on) << "go\n";
  EXPECT_EQ(ended.wait().code, 0);
}

TEST_P(ProcessPortsTest, OtherUsersAndFilters) {
  if (!processes_->capabilities().other_users) GTEST_SKIP() << "needs root";
  ProcessSpec spec = python(
      "t = threading.Thread(target=lambda: print(name(server('0.0.0.0', 1000 - os.getpid() % 7))))\n"
      "t.start()\nt.join()\nprint(os.getuid())\n");
  spec.uid = spec.gid = 65'534;
  spec.security.filtered = spec.security.no_new_privileges = true;
  spec.security.capabilities = 0;
  EXPECT_EQ(said(spec), own_address() + "\n65534\n") << "ports below 1024 are free for all, on its own address";
}

TEST_P(ProcessPortsTest, NotInAnotherNetwork) {
  if (!processes_->capabilities().other_users) GTEST_SKIP() << "needs root";
  ProcessSpec spec = python(
      "import ctypes\n"
      "assert ctypes.CDLL(None).unshare(0x40000000) == 0\n"
      "print(name(server('0.0.0.0')))\n");
  spec.security.capabilities = kAllCapabilities;
  EXPECT_EQ(said(spec), "0.0.0.0\n");
}

TEST_P(ProcessPortsTest, GoesOnWhenItsNodeHasEnded) {
  const fs::path up = named_pipe("up"), on = named_pipe("on"), done = named_pipe("done");
  ProcessSpec spec = python(
      "open(os.environ['UP'], 'w').write('up\\n')\nopen(os.environ['ON']).read()\n"
      "a = server('0.0.0.0')\n"
      "open(os.environ['DONE'], 'w').write(name(a) + ' ' + peer('127.0.0.1') + '\\n')\n"
      "open(os.environ['ON']).read()\nprint(name(server('127.0.0.1')))\n");
  for (const auto& [key, pipe] : {std::pair("UP=", up), std::pair("ON=", on), std::pair("DONE=", done)}) {
    spec.environment.push_back(key + pipe.string());
  }
  spec.log = directory_ / "logs" / "a.log";
  spec.marker = "m/1/a";
  spec.outlives = true;
  ASSERT_TRUE(processes_->start(spec, [](const ProcessExit&) {}));
  EXPECT_EQ(read_line(up), "up");
  processes_->let_go();
  processes_.reset();
  std::ofstream(on) << "go\n";
  EXPECT_EQ(read_line(done), own_address() + " " + own_address());
  auto next = Processes::make({.directory = directory_ / "state", .use_namespaces = GetParam()});
  ASSERT_TRUE(next);
  processes_ = std::move(*next);
  Ended ended;
  ASSERT_TRUE(processes_->adopt("m/1/a", ended.notice()));
  std::ofstream(on) << "go\n";
  EXPECT_EQ(ended.wait().code, 0);
  EXPECT_THAT(content(spec.log), HasSubstr(own_loopback() + "\n"));
}

// A command inside has the same rules, and what it leaves behind keeps them.
TEST_P(ProcessPortsTest, CommandsInside) {
  const fs::path on = named_pipe("on"), done = named_pipe("done"), up = named_pipe("up");
  ProcessSpec spec = python(
      "a = server('127.0.0.1')\nopen(os.environ['UP'], 'w').write('up\\n')\nopen('/dev/stdin').read()\n"
      "import signal\nsignal.pause()\n");
  spec.environment.push_back("UP=" + up.string());
  Ended ended;
  const auto container = processes_->start(spec, ended.notice());
  ASSERT_TRUE(container);
  EXPECT_EQ(read_line(up), "up");
  ProcessSpec inside = python("print(peer('127.0.0.1'))\n");
  inside.inside = *container;
  EXPECT_EQ(said(inside), own_loopback() + "\n");
  if (processes_->capabilities().process_namespace) {  // elsewhere it ends with its command
    inside = python(
        "r, w = os.pipe()\n"
        "if os.fork() == 0:\n"
        "  os.setsid()\n"
        "  os.close(w)\n"
        "  for i in range(3): os.close(i)\n"
        "  open(os.environ['ON']).read()\n"
        "  open(os.environ['DONE'], 'w').write(name(server('0.0.0.0')) + '\\n')\n"
        "else:\n"
        "  os.close(w)\n"
        "  os.read(r, 1)\n");
    inside.inside = *container;
    inside.environment.push_back("ON=" + on.string());
    inside.environment.push_back("DONE=" + done.string());
    EXPECT_EQ(run(inside).code, 0);
    std::ofstream(on) << "go\n";
    EXPECT_EQ(read_line(done), own_address());
  }
  processes_->signal(*container, SIGKILL);
  EXPECT_EQ(ended.wait().signal, SIGKILL);
}

TEST(ProcessPortsFallback, WithoutThemAddressesAreTheMachines) {
  std::string pattern = (fs::temp_directory_path() / "basalt-process-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  auto made = Processes::make({.directory = pattern, .own_ports = false});
  ASSERT_TRUE(made);
  EXPECT_FALSE((*made)->capabilities().own_ports);
  EXPECT_NE((*made)->capabilities().why_no_own_ports, "");
  ProcessSpec spec{.argv = {"python3", "-c", std::string(kWords) + "print(name(server('0.0.0.0')))"},
                   .environment = {"PATH=/usr/bin:/bin", fmt::format("PORT={}", 30'000 + ::getpid() % 2'000)}};
  spec.address = own_address();
  Ended ended;
  ASSERT_TRUE((*made)->start(spec, ended.notice()));
  EXPECT_EQ(ended.wait().output, "0.0.0.0\n");
  made->reset();
  fs::remove_all(pattern);
}

}  // namespace
}  // namespace basalt::node
