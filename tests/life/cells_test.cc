// Every cell of the table of phases and actions has a scenario: a file below tests/scenarios/life that says
// "# covers Phase/Action" and has the action in a line that is played.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "kube/text/read_file.h"

namespace basalt::lab {
namespace {

constexpr std::array kTablePhases = {"Pending",    "Running",   "Restarting",  "Aborting",   "Aborted",
                                     "Completing", "Completed", "Terminating", "Terminated", "Failed"};
constexpr std::array kTableActions = {"RestartJob", "RestartTask", "RestartPod",   "RestartPartition",
                                      "AbortJob",   "CompleteJob", "TerminateJob", "ResumeJob"};
constexpr size_t kMaxScenarioBytes = size_t{1024} * 1024;

// The cells that the file claims to cover; a claim without the action in a played line is a failure.
std::set<std::string> cells_of(const std::string& path) {
  const std::string content = text::read_file(path, kMaxScenarioBytes).value_or("");
  std::set<std::string> cells;
  std::string played;
  std::istringstream lines(content);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("# covers ")) {
      if (!line.starts_with('#')) played += line + "\n";
      continue;
    }
    std::istringstream words(line.substr(std::string("# covers ").size()));
    for (std::string cell; words >> cell;) cells.insert(cell);
  }
  for (const std::string& cell : cells) {
    const std::string action = cell.substr(std::min(cell.find('/'), cell.size() - 1) + 1);
    EXPECT_NE(played.find(action), std::string::npos) << path << " covers " << cell << " without playing it";
  }
  return cells;
}

TEST(LifeScenarios, CoverEveryPhaseAndAction) {
  std::set<std::string> covered;
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/scenarios/life")) {
    if (entry.path().extension() != ".scn") continue;
    ++files;
    covered.merge(cells_of(entry.path().string()));
  }
  EXPECT_GE(files, 80U);
  for (const char* phase : kTablePhases) {
    for (const char* action : kTableActions) {
      EXPECT_TRUE(covered.contains(std::string(phase) + "/" + action))
          << "no scenario covers " << phase << "/" << action;
    }
  }
}

}  // namespace
}  // namespace basalt::lab
