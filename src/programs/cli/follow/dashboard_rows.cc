#include "programs/cli/follow/dashboard_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/api/age_text.h"
#include "kube/api/pod_summary.h"
#include "kube/text/utf8.h"
#include "programs/cli/follow/job_dashboard.h"
#include "programs/cli/follow/text_wrap.h"

namespace basalt::cli::follow {
namespace {

constexpr size_t kMaxPodLines = 6;  // of one pod on a narrow screen

struct PodCells {
  std::string name, status, node;
};

PodCells cells_of(api::PodView pod) {
  const std::string_view node = pod.spec().node_name();
  return {.name = screen_text(pod.metadata().name()),
          .status = screen_text(api::summarize_pod(pod).status),
          .node = node.empty() ? "-" : screen_text(node)};
}

std::string padded(std::string text, size_t width) {
  text.append(width - std::min(width, text::character_count(text)), ' ');
  return text;
}

std::vector<std::string> narrow_row(const PodCells& cells, size_t width) {
  std::vector<std::string> lines = wrapped_lines("", cells.name, width, kMaxPodLines / 2);
  const auto below =
      wrapped_lines("  ", fmt::format("{}  {}", cells.status, cells.node), width, kMaxPodLines - kMaxPodLines / 2);
  lines.insert(lines.end(), below.begin(), below.end());
  return lines;
}

}  // namespace

std::string screen_text(std::string_view text) {
  std::string out = vcctl::printable(text);
  if (!text::is_utf8(out)) std::replace_if(out.begin(), out.end(), [](char c) { return (c & 0x80) != 0; }, '?');
  return out;
}

PodTable::PodTable(const JobObjects& objects, size_t width) {
  const PodCells header{.name = "POD", .status = "STATUS", .node = "NODE"};
  std::vector<PodCells> cells;
  size_t names = header.name.size(), states = header.status.size(), nodes = header.node.size();
  for (const text::Object* pod : objects.pods()) {
    ++pods_;
    if (pods_ > kMaxPodRows) continue;
    const PodCells& next = cells.emplace_back(cells_of(api::PodView(pod)));
    names = std::max(names, text::character_count(next.name));
    states = std::max(states, text::character_count(next.status));
    nodes = std::max(nodes, text::character_count(next.node));
  }
  const bool fits = names + states + nodes + 4 <= width;
  const auto row = [&](const PodCells& one) -> std::vector<std::string> {
    if (!fits) return narrow_row(one, width);
    return {fmt::format("{}  {}  {}", padded(one.name, names), padded(one.status, states), one.node)};
  };
  header_ = row(header);
  for (const PodCells& one : cells) rows_.push_back(row(one));
}

size_t PodTable::full_height() const {
  size_t lines = 0;
  for (const auto& row : rows_) lines += row.size();
  return lines;
}

std::vector<std::string> PodTable::lines(size_t most) const {
  std::vector<std::string> out = header_;
  size_t shown = 0;
  for (size_t used = 0; shown < rows_.size(); ++shown) {
    used += rows_[shown].size();
    if (shown > 0 && used > most) break;
    out.insert(out.end(), rows_[shown].begin(), rows_[shown].end());
  }
  if (shown < pods_) out.push_back(fmt::format("… {} more", pods_ - shown));
  return out;
}

std::vector<std::string> event_rows(const JobObjects& objects, const vcctl::Terminal& terminal, size_t most) {
  const auto events = objects.events();
  std::vector<std::string> rows;
  size_t shown = 0;
  for (auto event = events.rbegin(); event != events.rend() && shown < kMaxEventRows && most > 0; ++event, ++shown) {
    const std::string age = api::age_since(time_of_event(**event), terminal.now());
    std::vector<std::string> lines = wrapped_lines(fmt::format("{:<5} ", age), screen_text(event_line(**event)),
                                                   terminal.width, shown == 0 ? most : most + 1);
    if (rows.size() + lines.size() > most) break;
    rows.insert(rows.begin(), lines.begin(), lines.end());
  }
  return rows;
}

}  // namespace basalt::cli::follow
