#include "control/node/local/descriptor_passing.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace basalt::node {
namespace {

constexpr size_t kControlBytes = CMSG_SPACE(kMaxPassed * sizeof(int));

}  // namespace

bool receive_message(int socket, void* data, size_t size, std::span<int> descriptors) {
  for (int& descriptor : descriptors) descriptor = -1;
  iovec piece{.iov_base = data, .iov_len = size};
  alignas(cmsghdr) char control[kControlBytes] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(size)) return false;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return true;
  std::memcpy(descriptors.data(), CMSG_DATA(header),
              std::min<size_t>(header->cmsg_len - CMSG_LEN(0), descriptors.size_bytes()));
  return true;
}

bool send_message(int socket, const void* data, size_t size, std::span<const int> descriptors) {
  iovec piece{.iov_base = const_cast<void*>(data), .iov_len = size};
  alignas(cmsghdr) char control[kControlBytes] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(size);
}

}  // namespace basalt::node
