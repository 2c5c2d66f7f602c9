#include "control/node/local/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "control/node/local/passed_message.h"
#include "control/node/local/pod_root.h"
#include "control/node/local/process.h"

namespace basalt::node {
namespace {

std::unexpected<LaunchTrouble> trouble_of(int error) { return std::unexpected(LaunchTrouble{.error = error}); }

// A file in memory, to be read from its start.
Descriptor memory_file(const char* name, std::string_view content) {
  Descriptor file(::memfd_create(name, MFD_CLOEXEC));
  while (file.is_open() && !content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      file.reset();
      break;
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
  if (file.is_open()) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// A report, with the descriptor that came with it. False: the shepherd is gone.
bool receive_report(int leash, Report& report, Descriptor& extra) {
  int descriptor = -1;
  if (!receive_message(leash, &report, sizeof report, {&descriptor, 1})) return false;
  if (descriptor >= 0) extra.reset(descriptor);
  return true;
}

bool wait_readable(int descriptor, std::chrono::milliseconds longest) {
  const auto deadline = std::chrono::steady_clock::now() + longest;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd polled{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, static_cast<int>(left.count())) > 0) return true;
  }
}

}  // namespace

std::expected<Launched, LaunchTrouble> launch(Nursery& nursery, const StartOrder& order, const LaunchInputs& given,
                                              int join) {
  const std::vector<char> block = flatten(order);
  const Descriptor file = memory_file("basalt-order", std::string_view(block.data(), block.size()));
  Descriptor in;
  if (given.stdio[0] < 0) {
    in = given.input.empty() ? Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC))
                             : memory_file("basalt-input", given.input);
  } else {
    in.reset(::fcntl(given.stdio[0], F_DUPFD_CLOEXEC, 0));
  }
  if (!file.is_open() || !in.is_open()) return trouble_of(errno);
  Launched launched;
  Descriptor theirs, out, err;
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return trouble_of(errno);
  launched.leash.reset(pair[0]);
  theirs.reset(pair[1]);
  if (given.stdio[1] >= 0) {
    out.reset(::fcntl(given.stdio[1], F_DUPFD_CLOEXEC, 0));
    err.reset(::fcntl(given.stdio[2], F_DUPFD_CLOEXEC, 0));
    if (!out.is_open() || !err.is_open()) return trouble_of(errno);
  } else if (!make_pipe(launched.out, out) || !make_pipe(launched.err, err) || !unblock(launched.out) ||
             !unblock(launched.err)) {
    return trouble_of(errno);
  }
  std::array<int, kOrderFds> descriptors = {file.get(), theirs.get(), in.get(), out.get(), err.get(), join};
  size_t count = static_cast<size_t>(kJoinFd) + (join >= 0 ? 1 : 0);
  if (order.keeps) {
    descriptors[kListenFd] = given.listener;
    descriptors[kSpoolFd] = given.spool;
    descriptors[kOutEndFd] = launched.out.get();
    descriptors[kErrEndFd] = launched.err.get();
    count = kOrderFds;
  }
  const int made = order.joins ? 0 : order.namespaces;
  if (auto sent = nursery.order(made, std::span(descriptors).first(count)); !sent) {
    return std::unexpected(LaunchTrouble{.other = sent.error().message});
  }
  theirs.reset();  // so that the end of the shepherd is the end of the leash
  out.reset();
  err.reset();
  if (!wait_readable(launched.leash.get(), kMaxStartWait)) {
    return std::unexpected(LaunchTrouble{.other = "it did not start within " +
                                                  std::to_string(kMaxStartWait.count() / 1000) +
                                                  " s; look for a mount that hangs"});
  }
  Report report{};
  if (!receive_report(launched.leash.get(), report, launched.shepherd)) {
    return std::unexpected(LaunchTrouble{.other = "its shepherd process was killed"});
  }
  if (report.kind == ReportKind::Failed) {
    return std::unexpected(LaunchTrouble{.stage = report.stage, .step = report.step, .error = report.error});
  }
  return launched;
}

Error explain(const LaunchTrouble& trouble, const StartOrder& order, const std::filesystem::path& stage) {
  const std::string why = trouble.other.empty() ? std::strerror(trouble.error) : trouble.other;
  const auto io = [&](const std::string& what) { return Error{.code = ErrorCode::Io, .message = what + ": " + why}; };
  // Of the pod's own making: trying again would not help.
  const auto wrong = [&](const std::string& what) {
    return Error{.code = ErrorCode::Invalid, .message = what + ": " + why};
  };
  const std::string program = order.argv.empty() ? "" : order.argv.front();
  switch (trouble.stage) {
    case StartStage::Clone:
      return io(order.namespaces != 0 && !order.joins ? "cannot make a process in namespaces of its own"
                                                      : "cannot make a process");
    case StartStage::Order:
      return io("the shepherd process cannot read its order");
    case StartStage::UserMap:
      return io("cannot map our user into a user namespace");
    case StartStage::Join:
      return io("cannot enter the container");
    case StartStage::Hostname:
      return io("cannot set the host name \"" + order.hostname + "\"");
    case StartStage::Root:
      if (trouble.step >= order.steps.size()) return io("cannot lay out the file system");
      return wrong("cannot " + describe(order.steps[trouble.step], stage));
    case StartStage::Cgroup:
      return io("cannot enter the cgroup " + order.cgroup_procs);
    case StartStage::Fork:
      return io("cannot make the container's first process");
    case StartStage::Privileges:
      return wrong("cannot give up privileges");
    case StartStage::User:
      return wrong("cannot become user " + std::to_string(order.uid) + ", group " + std::to_string(order.gid));
    case StartStage::Directory:
      return wrong("cannot change to the working directory " + order.directory);
    case StartStage::Program:
      break;
  }
  if (trouble.error == ENOENT && program.find('/') == std::string::npos) {
    return {.code = ErrorCode::NotFound, .message = "exec: \"" + program + "\": executable file not found in $PATH"};
  }
  return {.code = trouble.error == ENOENT ? ErrorCode::NotFound : ErrorCode::Invalid,
          .message = "exec: \"" + program + "\": " + why};
}

}  // namespace basalt::node
