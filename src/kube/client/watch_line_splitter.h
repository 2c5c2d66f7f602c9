// Lines out of pieces of text as they come, each within a limit.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "base/result.h"

namespace basalt::client {

class WatchLineSplitter {
 public:
  explicit WatchLineSplitter(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Calls take(line) -> Result<bool> for each line that is whole now, without its end; empty ones are left out. False
  // and an error stop, and the rest of the piece is lost. Cost: O(piece).
  template <std::invocable<std::string_view> Take>
  Result<void> feed(std::string_view piece, Take&& take) {
    while (!piece.empty()) {
      const size_t end = piece.find('\n');
      const std::string_view part = piece.substr(0, end);
      if (partial_.size() + part.size() > max_bytes_) {
        return failure(ErrorCode::Io,
                       "watch event: longer than " + std::to_string(max_bytes_) + " bytes; the watch is given up");
      }
      if (end == std::string_view::npos) {
        partial_.append(part);
        return {};
      }
      piece.remove_prefix(end + 1);
      std::string whole;
      std::string_view line = part;
      if (!partial_.empty()) {
        whole = std::exchange(partial_, {});
        whole.append(part);
        line = whole;
      }
      if (line.find_first_not_of(" \r\t") == std::string_view::npos) continue;
      const Result<bool> go_on = take(line);
      if (!go_on) return std::unexpected(go_on.error());
      if (!*go_on) return {};
    }
    return {};
  }

 private:
  size_t max_bytes_;
  std::string partial_;
};

}  // namespace basalt::client
