// Which part of 127.0.0.0/8 a cluster of this machine uses for its pods and services: two clusters must not meet there.
//
//   pods      127.(64 + number).0.0/16
//   services  127.(96 + number).0.0/16
//   and what pods take for their loopback, 127.(128 + number).0.0/16 and 127.(160 + number).0.0/16
//
// A claim is a name in the kernel (an abstract socket): it holds for all processes that share these addresses, and goes
// with the process, however that ends.
#pragma once

#include <string>

#include "base/result.h"

namespace basalt::net {

class LoopbackBlock {
 public:
  static constexpr unsigned kBlocks = 32;

  // `preferred` when it is free, else the next free one. An error: all are taken.
  static Result<LoopbackBlock> claim(unsigned preferred);
  LoopbackBlock(LoopbackBlock&& other) noexcept;
  LoopbackBlock& operator=(LoopbackBlock&&) = delete;
  ~LoopbackBlock();

  [[nodiscard]] unsigned number() const { return number_; }
  [[nodiscard]] std::string pods() const;
  [[nodiscard]] std::string services() const;

 private:
  LoopbackBlock(int descriptor, unsigned number) : descriptor_(descriptor), number_(number) {}
  int descriptor_;
  unsigned number_;
};

}  // namespace basalt::net
