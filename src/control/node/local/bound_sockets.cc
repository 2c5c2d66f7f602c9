#include "control/node/local/bound_sockets.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace basalt::node {
namespace {

struct DiagRequest {
  nlmsghdr head;
  inet_diag_req_v2 body;
};

// What is after it is not looked at.
struct DiagAnswer {
  nlmsghdr head;
  inet_diag_msg body;
};

DiagRequest diag_request(int protocol, uint32_t address, uint16_t port) {
  DiagRequest request{};
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.head.nlmsg_flags = NLM_F_REQUEST;
  request.body.sdiag_family = AF_INET;
  request.body.sdiag_protocol = static_cast<uint8_t>(protocol);
  request.body.idiag_states = ~0U;
  inet_diag_sockid& id = request.body.id;
  // The kernel takes the two ends of UDP the other way round.
  const bool udp = protocol == IPPROTO_UDP;
  (udp ? id.idiag_dport : id.idiag_sport) = htons(port);
  (udp ? id.idiag_dst : id.idiag_src)[0] = htonl(address);
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return request;
}

}  // namespace

bool is_bound(int protocol, uint32_t address, uint16_t port) {
  const int netlink = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) return false;
  const DiagRequest request = diag_request(protocol, address, port);
  DiagAnswer answer{};
  // The kernel has answered when send() returns.
  const bool told = ::send(netlink, &request, sizeof request, 0) == static_cast<ssize_t>(sizeof request) &&
                    ::recv(netlink, &answer, sizeof answer, MSG_DONTWAIT) == static_cast<ssize_t>(sizeof answer);
  ::close(netlink);
  if (!told || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY) return false;
  const uint32_t* const source = answer.body.id.idiag_src;
  const uint32_t number = htonl(address);
  if (answer.body.idiag_family == AF_INET) return source[0] == number;
  return answer.body.idiag_family == AF_INET6 && source[2] == htonl(0xFFFF) && source[3] == number;
}

}  // namespace basalt::node
