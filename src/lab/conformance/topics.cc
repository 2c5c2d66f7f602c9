#include "lab/conformance/topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

namespace basalt::lab {

std::string topic_of(std::string_view file) {
  const std::filesystem::path path(file);
  std::string name = path.stem().string();
  if (const size_t words = name.find("__"); words != std::string::npos) {
    name.resize(words);
  } else if (const size_t dash = name.rfind('-'); dash != std::string::npos && dash + 1 < name.size()) {
    const bool numbered = std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dash) + 1, name.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
    if (numbered) name.resize(dash);
  }
  const std::string folder = path.parent_path().filename().string();
  return folder.empty() ? name : folder + "/" + name;
}

Result<Floors> read_floors(std::string_view text) {
  Floors floors;
  std::istringstream lines{std::string(text)};
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string topic, more;
    if (!(words >> topic)) continue;
    Floor floor;
    const bool read = static_cast<bool>(words >> floor.passed >> floor.equal_facts) && !(words >> more);
    if (!read || floor.passed < 0 || floor.equal_facts < 0) {
      return invalid(fmt::format("line {}: expected a topic, a number of cases and a number of facts", number));
    }
    if (!floors.emplace(topic, floor).second) return invalid(fmt::format("line {}: {} stands twice", number, topic));
  }
  return floors;
}

FloorVerdict compare_with_floors(const Tallies& tallies, const Floors& floors) {
  FloorVerdict verdict;
  for (const auto& [topic, floor] : floors) {
    if (!tallies.contains(topic)) verdict.below.push_back(fmt::format("{}: no case of it was run", topic));
  }
  for (const auto& [topic, tally] : tallies) {
    const auto at = floors.find(topic);
    if (at == floors.end()) {
      verdict.below.push_back(
          fmt::format("{}: it has no floor; add \"{} {} {}\"", topic, topic, tally.passed, tally.equal_facts));
      continue;
    }
    const Floor& floor = at->second;
    if (tally.passed == floor.passed && tally.equal_facts == floor.equal_facts) continue;
    std::string line = fmt::format("{}: {} cases passed with {} equal facts, the floor is {} and {}", topic,
                                   tally.passed, tally.equal_facts, floor.passed, floor.equal_facts);
    const bool below = tally.passed < floor.passed || tally.equal_facts < floor.equal_facts;
    (below ? verdict.below : verdict.above).push_back(std::move(line));
  }
  return verdict;
}

std::string topics_text(const Tallies& tallies) {
  std::string text =
      fmt::format("{:36} {:>6} {:>6} {:>11} {:>13}\n", "topic", "passed", "failed", "not covered", "facts");
  std::string uncovered;
  int cases = 0, missing = 0;
  for (const auto& [topic, tally] : tallies) {
    text += fmt::format("{:36} {:6} {:6} {:11} {:>13}\n", topic, tally.passed, tally.failed, tally.not_covered,
                        fmt::format("{}/{}", tally.equal_facts, tally.facts));
    cases += tally.cases();
    missing += tally.not_covered;
    if (tally.not_covered == tally.cases()) uncovered += fmt::format(" {}", topic);
  }
  if (missing == 0) return text;
  text += fmt::format("*** NOT COVERED: {} of {} cases were not compared with Volcano.\n", missing, cases);
  if (!uncovered.empty()) text += fmt::format("*** Topics of which not one case was:{}\n", uncovered);
  return text;
}

}  // namespace basalt::lab
