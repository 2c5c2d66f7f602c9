// Where in a text each path of a document stands, so that an error in a configuration can name the line.
//
// Filled by the YAML reader. Lines count from 1; 0 means "not known". At most kMaxLineEntries paths are kept: a
// configuration is far below that, and a huge manifest then only loses the line in its messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "text/path.h"

namespace basalt::text {

class LineMap {
 public:
  static constexpr size_t kMaxLineEntries = 100'000;

  void add(std::string path, uint32_t line) {
    if (lines_.size() < kMaxLineEntries) lines_.emplace(std::move(path), line);
  }
  // The line of `path`, or of its nearest ancestor with a known line (for a field that is absent). 0: none is known.
  [[nodiscard]] uint32_t line_of(std::string_view path) const {
    while (true) {
      const auto found = lines_.find(std::string(path));
      if (found != lines_.end()) return found->second;
      if (path.empty()) return 0;
      path = parent_path(path);
    }
  }
  [[nodiscard]] size_t size() const { return lines_.size(); }

 private:
  std::unordered_map<std::string, uint32_t> lines_;  // never iterated
};

}  // namespace basalt::text
