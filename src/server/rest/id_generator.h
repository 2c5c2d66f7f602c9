// Fresh uids and name suffixes. Seeded, so that a simulation names its objects the same way every time.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/rng.h"

namespace basalt::server {

class IdGenerator {
 public:
  explicit IdGenerator(uint64_t seed) : rng_(seed) {}

  [[nodiscard]] std::string uid();  // a version 4 UUID
  // `prefix` shortened so that the whole stays a valid name, plus five characters.
  [[nodiscard]] std::string name_from(std::string_view prefix);

 private:
  std::mutex mutex_;
  Rng rng_;
};

}  // namespace basalt::server
