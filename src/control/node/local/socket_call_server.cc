#include "control/node/local/socket_call_server.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "control/node/local/bound_sockets.h"

namespace basalt::node {
namespace {

// Kernels may have longer ones than the headers that we are built with.
constexpr size_t kNotificationBytes = 512;
union Notification {
  seccomp_notif notice;
  char room[kNotificationBytes];
};
union NotificationAnswer {
  seccomp_notif_resp answer;
  char room[kNotificationBytes];
};

struct CallOutcome {
  bool goes_on = true;  // the kernel makes the call as it is
  int64_t value = 0;
  int error = 0;
};

CallOutcome outcome_of(int64_t result) {
  return result < 0 ? CallOutcome{.goes_on = false, .error = errno} : CallOutcome{.goes_on = false, .value = result};
}

// One call, with what is known of its socket.
struct SocketCall {
  const seccomp_notif& notice;
  pid_t caller;
  sockaddr_storage name{};
  socklen_t name_size = 0;
  NamedSocket named;
  int socket = -1;  // the caller's, shared with it
  int protocol = 0;
  bool ipv6_only = false;

  [[nodiscard]] const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&name); }
};

bool read_memory(pid_t process, uint64_t from, void* into, size_t size) {
  const iovec ours{.iov_base = into, .iov_len = size};
  const iovec theirs{.iov_base = reinterpret_cast<void*>(from), .iov_len = size};
  return ::process_vm_readv(process, &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(size);
}

int socket_option(int socket, int level, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(socket, level, option, &value, &size) == 0 ? value : -1;
}

bool set_ipv6_only(int socket, int value) {
  return ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &value, sizeof value) == 0;
}

// The process that a thread is of, for kernels before 6.9. -1: it is gone.
pid_t process_of_thread(int proc, pid_t thread) {
  constexpr std::string_view kFile = "/status", kLabel = "\nTgid:\t";
  char path[32] = {};
  char* const end = std::to_chars(path, path + 16, thread).ptr;
  std::memcpy(end, kFile.data(), kFile.size());
  const int status = ::openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (status < 0) return -1;
  char text[1024];
  const ssize_t size = ::read(status, text, sizeof text);
  ::close(status);
  const std::string_view all(text, size < 0 ? 0 : static_cast<size_t>(size));
  const size_t at = all.find(kLabel);
  pid_t process = -1;
  if (at != std::string_view::npos) std::from_chars(text + at + kLabel.size(), text + all.size(), process);
  return process;
}

// A copy of the caller's descriptor; -1: it has none, or we may not have it.
int take_descriptor(const SocketCallServer& server, pid_t caller, int number) {
  constexpr unsigned kOfThread = O_EXCL;  // PIDFD_THREAD, Linux 6.9
  int process = static_cast<int>(::syscall(SYS_pidfd_open, caller, kOfThread));
  if (process < 0 && errno == EINVAL) {
    process = static_cast<int>(::syscall(SYS_pidfd_open, process_of_thread(server.proc, caller), 0U));
  }
  if (process < 0) return -1;
  const int taken = static_cast<int>(::syscall(SYS_pidfd_getfd, process, number, 0U));
  ::close(process);
  return taken;
}

// Whether it is a socket that the rules are for: TCP or UDP, of our own network.
bool is_ours(const SocketCallServer& server, SocketCall& call) {
  call.protocol = socket_option(call.socket, SOL_SOCKET, SO_PROTOCOL);
  if (call.protocol == IPPROTO_MPTCP) call.protocol = IPPROTO_TCP;
  if (call.protocol != IPPROTO_TCP && call.protocol != IPPROTO_UDP) return false;
  if (socket_option(call.socket, SOL_SOCKET, SO_DOMAIN) != call.name.ss_family) return false;
  if (server.network != 0 && network_of(call.socket) != server.network) return false;
  call.ipv6_only = call.name.ss_family == AF_INET6 && socket_option(call.socket, IPPROTO_IPV6, IPV6_V6ONLY) == 1;
  return true;
}

// It was bound by us, and interrupted before it heard of it: it asks again.
bool has_name(const SocketCall& call) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (::getsockname(call.socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return false;
  const auto port_and_address = [](const sockaddr_storage& of) {
    return std::string_view(reinterpret_cast<const char*>(&of), of.ss_family == AF_INET
                                                                    ? offsetof(sockaddr_in, sin_zero)
                                                                    : offsetof(sockaddr_in6, sin6_scope_id));
  };
  return name.ss_family == call.name.ss_family && port_and_address(name) == port_and_address(call.name);
}

CallOutcome bind_for(const SocketCallServer& server, SocketCall& call) {
  if (!is_own(server.ports, call.named.port, call.protocol)) return {};
  const uint32_t address = bind_address(call.named, call.ipv6_only, server.addresses);
  if (address == 0) return {};
  if (call.ipv6_only && !set_ipv6_only(call.socket, 0)) return {};  // bound already: the kernel says what is wrong
  set_address(call.name, address);
  CallOutcome outcome = outcome_of(::bind(call.socket, call.address(), call.name_size));
  if (outcome.error == EINVAL && has_name(call)) return {.goes_on = false};
  if (outcome.error != 0 && call.ipv6_only) set_ipv6_only(call.socket, 1);
  return outcome;
}

// Puts the address of the pod's own socket into the call's name. False: it has none.
bool find_peer(const SocketCallServer& server, SocketCall& call) {
  for (const uint32_t address : peer_addresses(call.named, server.addresses)) {
    if (address == 0 || !is_bound(call.protocol, address, call.named.port)) continue;
    set_address(call.name, address);
    return true;
  }
  return false;
}

CallOutcome connect_for(const SocketCallServer& server, SocketCall& call) {
  if (!find_peer(server, call)) return {};
  if (call.ipv6_only && !set_ipv6_only(call.socket, 0)) return {};
  const int flags = ::fcntl(call.socket, F_GETFL);
  const bool blocks = flags >= 0 && (flags & O_NONBLOCK) == 0;
  if (blocks) ::fcntl(call.socket, F_SETFL, flags | O_NONBLOCK);
  CallOutcome outcome = outcome_of(::connect(call.socket, call.address(), call.name_size));
  if (blocks) ::fcntl(call.socket, F_SETFL, flags);
  // Under way: the caller's own call now waits for it, whatever address it names.
  if (blocks && (outcome.error == EINPROGRESS || outcome.error == EALREADY)) return {};
  return outcome;
}

CallOutcome send_for(const SocketCallServer& server, SocketCall& call) {
  const uint64_t size = call.notice.data.args[2];
  if (call.protocol != IPPROTO_UDP || call.ipv6_only || size > kMaxDatagram || !find_peer(server, call)) return {};
  char bytes[kMaxDatagram];
  if (!read_memory(call.caller, call.notice.data.args[1], bytes, size)) return {};
  const int flags = static_cast<int>(call.notice.data.args[3]) | MSG_DONTWAIT | MSG_NOSIGNAL;
  return outcome_of(::sendto(call.socket, bytes, size, flags, call.address(), call.name_size));
}

CallOutcome make_call(const SocketCallServer& server, const seccomp_notif& notice) {
  const bool sends = notice.data.nr == SYS_sendto, binds = notice.data.nr == SYS_bind;
  const uint64_t name = notice.data.args[sends ? 4 : 1], size = notice.data.args[sends ? 5 : 2];
  SocketCall call{.notice = notice, .caller = static_cast<pid_t>(notice.pid), .named = {}};
  if (size > sizeof call.name || !read_memory(call.caller, name, &call.name, size)) return {};
  call.name_size = static_cast<socklen_t>(size);
  call.named = named_socket(call.name, call.name_size, server.addresses);
  const bool concerns = binds ? call.named.host != NamedHost::Other && call.named.port != 0
                              : peer_addresses(call.named, server.addresses)[0] != 0;
  if (!concerns) return {};
  call.socket = take_descriptor(server, call.caller, static_cast<int>(notice.data.args[0]));
  if (call.socket < 0) return {};
  CallOutcome outcome;
  // It still waits, so its number was its own all the time.
  const bool waits = ::ioctl(server.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &notice.id) == 0;
  if (waits && is_ours(server, call)) {
    outcome = binds ? bind_for(server, call) : sends ? send_for(server, call) : connect_for(server, call);
  }
  ::close(call.socket);
  return outcome;
}

void answer_call(const SocketCallServer& server) {
  Notification call;
  std::memset(&call, 0, sizeof call);
  if (::ioctl(server.listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;  // its caller is gone
  const CallOutcome outcome = make_call(server, call.notice);
  NotificationAnswer answer;
  std::memset(&answer, 0, sizeof answer);
  answer.answer.id = call.notice.id;
  answer.answer.val = outcome.value;
  answer.answer.error = -outcome.error;
  answer.answer.flags = outcome.goes_on ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
  ::ioctl(server.listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);  // fails when its caller is gone
}

}  // namespace

uint64_t network_of(int socket) {
  uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  return ::getsockopt(socket, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

void serve_socket_calls(SocketCallServer& server, short events) {
  if ((events & POLLIN) != 0) return answer_call(server);
  if (events == 0) return;
  ::close(server.listener);
  server.listener = -1;
}

void serve_socket_calls_to_the_end(SocketCallServer& server) {
  while (server.listener >= 0) {
    pollfd polled{.fd = server.listener, .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, -1) > 0) serve_socket_calls(server, polled.revents);
  }
}

}  // namespace basalt::node
