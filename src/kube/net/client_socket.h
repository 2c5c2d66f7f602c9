// A TCP connection to a server, with blocking operations that have a time limit and may be interrupted. No operation
// blocks in the kernel: each waits in poll(), for the socket and the interrupt.
//
// A peer that is gone without a word is noticed: by TCP keep-alive probes, within about a minute, also on a connection
// that is quiet by nature (a watch); and when what was sent is not acknowledged for half a minute, where TCP by itself
// would go on for a quarter of an hour.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "kube/net/interrupt.h"

namespace basalt::net {

class ClientSocket {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  enum class Ready : uint8_t { Read, Write };

  // `host` is a name or an address; all addresses of a name are tried. `interrupt` may be null. Resolving a name is
  // neither limited nor interrupted.
  static Result<ClientSocket> connect(const std::string& host, uint16_t port, Deadline deadline,
                                      std::shared_ptr<const Interrupt> interrupt);
  ClientSocket(ClientSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), interrupt_(std::move(other.interrupt_)) {}
  ClientSocket& operator=(ClientSocket&&) = delete;
  ~ClientSocket();

  // Until the socket is ready, or the peer gone: the next operation on it tells. `what` begins the error.
  Result<void> wait(Ready ready, Deadline deadline, std::string_view what) const;

  Result<void> send(std::string_view data, Deadline deadline);
  // How many bytes are in `into`; 0: the peer has closed.
  Result<size_t> receive(std::span<char> into, Deadline deadline);
  // Whether bytes, or the end, have arrived that nobody has read.
  [[nodiscard]] bool has_input() const;

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  ClientSocket(int descriptor, std::shared_ptr<const Interrupt> interrupt)
      : descriptor_(descriptor), interrupt_(std::move(interrupt)) {}
  Result<void> finish_connecting(Deadline deadline) const;

  int descriptor_;
  std::shared_ptr<const Interrupt> interrupt_;
};

}  // namespace basalt::net
