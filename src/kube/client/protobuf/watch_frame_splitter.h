// Frames out of pieces of bytes as they come: four bytes of length, the largest first, and so many of a message. So
// arrives a watch in Kubernetes' binary form.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace basalt::client {

class WatchFrameSplitter {
 public:
  explicit WatchFrameSplitter(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Calls take(message) -> Result<bool> for each frame that is whole now. False and an error stop, and the rest of the
  // piece is lost. Memory grows with what has come, not with what a length promises. Cost: O(piece).
  template <std::invocable<std::string_view> Take>
  Result<void> feed(std::string_view piece, Take&& take) {
    while (!piece.empty()) {
      const size_t missing = std::min(piece.size(), kLengthBytes - head_.size());
      head_.append(piece.substr(0, missing));
      piece.remove_prefix(missing);
      if (head_.size() < kLengthBytes) return {};
      const size_t length = length_in(head_);
      if (length > max_bytes_) {
        return failure(ErrorCode::Io,
                       "watch event: longer than " + std::to_string(max_bytes_) + " bytes; the watch is given up");
      }
      if (partial_.size() + piece.size() < length) {
        partial_.append(piece);
        return {};
      }
      std::string_view message = piece.substr(0, length - partial_.size());
      piece.remove_prefix(message.size());
      std::string whole;
      if (!partial_.empty()) {
        whole = std::exchange(partial_, {});
        whole.append(message);
        message = whole;
      }
      head_.clear();
      const Result<bool> go_on = take(message);
      if (!go_on) return std::unexpected(go_on.error());
      if (!*go_on) return {};
    }
    return {};
  }

 private:
  static constexpr size_t kLengthBytes = 4;

  static size_t length_in(std::string_view head) {
    size_t length = 0;
    for (const char byte : head) length = length << 8U | static_cast<uint8_t>(byte);
    return length;
  }

  size_t max_bytes_;
  std::string head_;     // of the length, what has come of it
  std::string partial_;  // of the message
};

}  // namespace basalt::client
