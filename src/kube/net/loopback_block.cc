#include "kube/net/loopback_block.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace basalt::net {
namespace {

// False: somebody has it.
bool take_name(int socket, unsigned number) {
  const std::string name = std::string(1, '\0') + "basalt/loopback/" + std::to_string(number);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, static_cast<char*>(address.sun_path));
  const size_t size = offsetof(sockaddr_un, sun_path) + name.size();
  return bind(socket, reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size)) == 0;
}

}  // namespace

Result<LoopbackBlock> LoopbackBlock::claim(unsigned preferred) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return failure(ErrorCode::Io, std::string("cannot make a socket: ") + std::strerror(errno));
  for (unsigned i = 0; i < kBlocks; ++i) {
    const unsigned number = (preferred + i) % kBlocks;
    if (take_name(descriptor, number)) return LoopbackBlock(descriptor, number);
  }
  close(descriptor);
  return failure(ErrorCode::Unsupported, "all " + std::to_string(kBlocks) +
                                             " parts of 127.0.0.0/8 are in use by clusters on this machine; stop one, "
                                             "or run without a local node (--no-local-node)");
}

LoopbackBlock::LoopbackBlock(LoopbackBlock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), number_(other.number_) {}

LoopbackBlock::~LoopbackBlock() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string LoopbackBlock::pods() const { return "127." + std::to_string(64 + number_) + ".0.0"; }
std::string LoopbackBlock::services() const { return "127." + std::to_string(96 + number_) + ".0.0"; }

}  // namespace basalt::net
