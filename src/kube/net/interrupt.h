// A way to end blocking network operations from another thread: whoever waits on a socket with an Interrupt stops
// waiting, with an error, once it is raised. Raised is for good.
#pragma once

#include <memory>

#include "base/result.h"

namespace basalt::net {

class Interrupt {
 public:
  // Takes a file descriptor; the only thing that can fail.
  static Result<std::shared_ptr<Interrupt>> make();
  // `descriptor`: an eventfd, which the Interrupt then owns.
  explicit Interrupt(int descriptor) : descriptor_(descriptor) {}
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void raise();  // from any thread
  [[nodiscard]] bool raised() const;
  [[nodiscard]] int descriptor() const { return descriptor_; }  // readable once raised

 private:
  int descriptor_;
};

}  // namespace basalt::net
