#include "control/node/local/container_launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "control/node/local/container_root.h"
#include "control/node/local/descriptor_passing.h"
#include "control/node/local/process.h"

namespace basalt::node {
namespace {

std::unexpected<LaunchFailure> trouble_of(int error) { return std::unexpected(LaunchFailure{.error = error}); }

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

// A report, with the descriptor that came with it. False: the supervisor is gone.
bool receive_report(int control_socket, SupervisorReport& report, Descriptor& extra) {
  int descriptor = -1;
  if (!receive_message(control_socket, &report, sizeof report, {&descriptor, 1})) return false;
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

std::expected<LaunchedContainer, LaunchFailure> launch(ForkServer& fork_server, const StartRequest& request,
                                                       const LaunchInputs& given, int join) {
  const std::vector<char> block = flatten(request);
  const Descriptor file = memory_file("basalt-request", std::string_view(block.data(), block.size()));
  Descriptor in;
  if (given.stdio[0] < 0) {
    in = given.input.empty() ? Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC))
                             : memory_file("basalt-input", given.input);
  } else {
    in.reset(::fcntl(given.stdio[0], F_DUPFD_CLOEXEC, 0));
  }
  if (!file.is_open() || !in.is_open()) return trouble_of(errno);
  LaunchedContainer launched;
  Descriptor theirs, out, err;
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return trouble_of(errno);
  launched.control_socket.reset(pair[0]);
  theirs.reset(pair[1]);
  if (given.stdio[1] >= 0) {
    out.reset(::fcntl(given.stdio[1], F_DUPFD_CLOEXEC, 0));
    err.reset(::fcntl(given.stdio[2], F_DUPFD_CLOEXEC, 0));
    if (!out.is_open() || !err.is_open()) return trouble_of(errno);
  } else if (!make_pipe(launched.out, out) || !make_pipe(launched.err, err) || !unblock(launched.out) ||
             !unblock(launched.err)) {
    return trouble_of(errno);
  }
  std::array<int, kRequestFdCount> descriptors = {file.get(), theirs.get(), in.get(), out.get(), err.get(), join};
  size_t count = static_cast<size_t>(kJoinFd) + (join >= 0 ? 1 : 0);
  if (request.keeps) {
    descriptors[kListenFd] = given.listener;
    descriptors[kSpoolFd] = given.spool;
    descriptors[kOutEndFd] = launched.out.get();
    descriptors[kErrEndFd] = launched.err.get();
    count = kRequestFdCount;
  }
  const int made = request.joins ? 0 : request.namespaces;
  if (auto sent = fork_server.request(made, std::span(descriptors).first(count)); !sent) {
    return std::unexpected(LaunchFailure{.other = sent.error().message});
  }
  theirs.reset();  // so that the end of the supervisor is the end of the control_socket
  out.reset();
  err.reset();
  if (!wait_readable(launched.control_socket.get(), kMaxStartWait)) {
    return std::unexpected(LaunchFailure{.other = "it did not start within " +
                                                  std::to_string(kMaxStartWait.count() / 1000) +
                                                  " s; look for a mount that hangs"});
  }
  SupervisorReport report{};
  if (!receive_report(launched.control_socket.get(), report, launched.supervisor)) {
    return std::unexpected(LaunchFailure{.other = "its supervisor process was killed"});
  }
  if (report.kind == SupervisorReportKind::Failed) {
    return std::unexpected(LaunchFailure{.stage = report.stage, .step = report.step, .error = report.error});
  }
  return launched;
}

Error explain(const LaunchFailure& trouble, const StartRequest& request, const std::filesystem::path& stage) {
  const std::string why = trouble.other.empty() ? std::strerror(trouble.error) : trouble.other;
  const auto io = [&](const std::string& what) { return Error{.code = ErrorCode::Io, .message = what + ": " + why}; };
  // Of the pod's own making: trying again would not help.
  const auto wrong = [&](const std::string& what) {
    return Error{.code = ErrorCode::Invalid, .message = what + ": " + why};
  };
  const std::string program = request.argv.empty() ? "" : request.argv.front();
  switch (trouble.stage) {
    case StartStage::Clone:
      return io(request.namespaces != 0 && !request.joins ? "cannot make a process in namespaces of its own"
                                                          : "cannot make a process");
    case StartStage::MappedRequest:
      return io("the supervisor process cannot read its request");
    case StartStage::UserMap:
      return io("cannot map our user into a user namespace");
    case StartStage::Join:
      return io("cannot enter the container");
    case StartStage::Hostname:
      return io("cannot set the host name \"" + request.hostname + "\"");
    case StartStage::Root:
      if (trouble.step >= request.steps.size()) return io("cannot lay out the file system");
      return wrong("cannot " + describe(request.steps[trouble.step], stage));
    case StartStage::Cgroup:
      return io("cannot enter the cgroup " + request.cgroup_procs);
    case StartStage::Fork:
      return io("cannot make the container's first process");
    case StartStage::Privileges:
      return wrong("cannot give up privileges");
    case StartStage::SocketCalls:
      return io("cannot give it ports of its own");
    case StartStage::User:
      return wrong("cannot become user " + std::to_string(request.uid) + ", group " + std::to_string(request.gid));
    case StartStage::Directory:
      return wrong("cannot change to the working directory " + request.directory);
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
