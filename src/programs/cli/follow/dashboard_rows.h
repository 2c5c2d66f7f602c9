// The rows of pods and events on the board (job_dashboard.h). A row that is wider than the screen goes on in the next
// line, so that none of its columns is lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "programs/cli/follow/job_objects.h"
#include "programs/cli/vcctl/terminal.h"

namespace basalt::cli::follow {

inline constexpr size_t kMaxPodRows = 20;
inline constexpr size_t kMaxEventRows = 6;

// Text of a server, fit for the screen: no control characters, whole characters.
[[nodiscard]] std::string screen_text(std::string_view text);

// The pods of a job as a table; on a narrow screen each pod has its name on lines of its own, and status and node
// below.
class PodTable {
 public:
  PodTable(const JobObjects& objects, size_t width);

  // How many lines all pods that are shown take, without the header.
  [[nodiscard]] size_t full_height() const;
  // The header, and the pods that fit whole into `most` lines, with their number if there are more. At least one pod is
  // shown. Cost: O(pods).
  [[nodiscard]] std::vector<std::string> lines(size_t most) const;
  [[nodiscard]] size_t header_height() const { return header_.size(); }

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;  // the lines of each pod that may be shown
  size_t pods_ = 0;                             // how many there are
};

// The latest events that fit whole into `most` lines, the oldest first. Only where the latest alone is longer it ends
// in "…".
[[nodiscard]] std::vector<std::string> event_rows(const JobObjects& objects, const vcctl::Terminal& terminal,
                                                  size_t most);

}  // namespace basalt::cli::follow
