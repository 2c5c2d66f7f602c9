#include "control/node/local/socket_rules_trial.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "control/node/local/container_launch.h"
#include "control/node/local/system_call_filter.h"

namespace basalt::node {
namespace {

constexpr int64_t kTrialUser = 65'534;
// No pod's (loopback_block.h).
constexpr PodAddresses kTrialAddresses{.pod = 0x7FC0'0001, .loopback = 0x7FC0'0002, .loopback6 = 0x7FC0'0003};

sockaddr_in trial_name(uint32_t address, uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(address);
  name.sin_port = htons(port);
  return name;
}

int trial_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

bool bind_trial(int socket, uint16_t port) {
  const sockaddr_in name = trial_name(INADDR_ANY, port);
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
}

sockaddr_in local_name(int socket) {
  sockaddr_in name{};
  socklen_t size = sizeof name;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size);
  return name;
}

// One that is free now; another may take it before we do.
uint16_t free_port() {
  const int socket = trial_socket();
  const uint16_t port = bind_trial(socket, 0) ? ntohs(local_name(socket).sin_port) : 0;
  ::close(socket);
  return port;
}

int try_port(uint16_t port, const PodAddresses& addresses) {
  const int server = trial_socket(), client = trial_socket();
  if (!bind_trial(server, port) || ::listen(server, 1) != 0) return errno;
  if (local_name(server).sin_addr.s_addr != htonl(addresses.pod)) return EADDRNOTAVAIL;
  const sockaddr_in peer = trial_name(INADDR_LOOPBACK, port);
  return ::connect(client, reinterpret_cast<const sockaddr*>(&peer), sizeof peer) == 0 ? 0 : errno;
}

}  // namespace

int make_trial_calls(const PodAddresses& addresses) {
  constexpr int kMaxPorts = 8;
  int error = EADDRINUSE;
  for (int i = 0; i < kMaxPorts && error == EADDRINUSE; ++i) error = try_port(free_port(), addresses);
  return error;
}

std::optional<Error> try_socket_rules(ForkServer& fork_server, const std::filesystem::path& stage,
                                      const NamespaceSupport& namespace_support, bool other_users,
                                      bool no_new_privileges) {
  auto request = trial_request(stage, namespace_support, std::nullopt);
  if (!request) return request.error();
  request->socket_filter = socket_call_filter();
  if (request->socket_filter.empty()) {
    return Error{.code = ErrorCode::Unsupported, .message = "no filter is known for this architecture"};
  }
  request->addresses = kTrialAddresses;
  request->no_new_privileges = no_new_privileges;
  if (other_users) request->uid = kTrialUser;
  const auto tried = launch(fork_server, *request, {}, -1);
  if (tried) return std::nullopt;
  return explain(tried.error(), *request, stage);
}

}  // namespace basalt::node
