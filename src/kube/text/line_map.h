// Where in a text each path of a document stands, so that an error in a configuration can name the line.
//
// Filled by the YAML reader. Lines count from 1; 0 means "not known". At most kMaxLineEntries paths of kMaxLineBytes in
// all are kept: a configuration is far below that, and a huge manifest then only loses the line in its messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kube/text/document_path.h"

namespace basalt::text {

class LineMap {
 public:
  static constexpr size_t kMaxLineEntries = 100'000;
  // Paths repeat what is above them: deep nesting below long keys makes far more of them than the text has bytes.
  static constexpr size_t kMaxLineBytes = size_t{4} * 1024 * 1024;

  // The first line of a path counts. Beyond the bounds nothing is added, nor copied.
  void add(std::string_view path, uint32_t line) {
    if (lines_.size() >= kMaxLineEntries || path.size() > kMaxLineBytes - bytes_) return;
    if (lines_.emplace(path, line).second) bytes_ += path.size();
  }
  // The line of `path`, or of its nearest ancestor with a known line (for a field that is absent). 0: none is known.
  [[nodiscard]] uint32_t line_of(std::string_view path) const {
    while (true) {
      const auto found = lines_.find(path);
      if (found != lines_.end()) return found->second;
      if (path.empty()) return 0;
      path = parent_path(path);
    }
  }
  [[nodiscard]] size_t size() const { return lines_.size(); }
  [[nodiscard]] size_t bytes() const { return bytes_; }  // of all paths

 private:
  // Ordered, not hashed: who writes the document must not choose how long a search takes.
  std::map<std::string, uint32_t, std::less<>> lines_;
  size_t bytes_ = 0;
};

}  // namespace basalt::text
