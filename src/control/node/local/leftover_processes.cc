#include "control/node/local/leftover_processes.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "control/node/local/process.h"
#include "kube/text/read_file.h"

namespace basalt::node {
namespace {

// 0: gone. The name in /proc/<pid>/stat may hold blanks and brackets: the parent follows the last bracket.
int parent_of(int pid) {
  const std::string stat = text::read_file("/proc/" + std::to_string(pid) + "/stat", 4096).value_or("");
  const size_t bracket = stat.rfind(") ");
  int parent = 0;
  if (bracket == std::string::npos || bracket + 4 >= stat.size()) return 0;
  std::from_chars(stat.data() + bracket + 4, stat.data() + stat.size(), parent);
  return parent;
}

std::vector<int> ourselves_and_above() {
  constexpr size_t kMaxAncestors = 1000;
  std::vector<int> pids;
  for (int pid = ::getpid(); pid > 0 && pids.size() < kMaxAncestors; pid = parent_of(pid)) pids.push_back(pid);
  return pids;
}

}  // namespace

std::vector<int> find_marked(std::string_view prefix, const std::set<std::string, std::less<>>& kept) {
  check(!prefix.empty(), "an empty marker would find the processes of every node");
  const std::string wanted = std::string(kMarkerVariable) + "=" + std::string(prefix);
  const std::vector<int> spared = ourselves_and_above();
  std::vector<int> found;
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc", error);
  while (!error && entries != std::filesystem::directory_iterator()) {
    const std::string name = entries->path().filename().string();
    int pid = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong == std::errc() && end == name.data() + name.size() && std::ranges::find(spared, pid) == spared.end()) {
      const std::string environment =
          '\0' + text::read_file((entries->path() / "environ").string(), kMaxSearchedEnvironment).value_or("");
      const size_t at = environment.find('\0' + wanted);
      if (at != std::string::npos) {
        const size_t begin = at + 1 + kMarkerVariable.size() + 1;
        const size_t stop = std::min(environment.find('\0', begin), environment.size());
        if (!kept.contains(std::string_view(environment).substr(begin, stop - begin))) found.push_back(pid);
      }
    }
    entries.increment(error);
  }
  return found;
}

size_t kill_leftover_processes(std::string_view prefix, const std::set<std::string, std::less<>>& spared) {
  std::vector<int> known;
  for (int pass = 0; pass < kMaxLeftoverPasses; ++pass) {
    const std::vector<int> marked = find_marked(prefix, spared);
    if (marked.empty()) break;
    for (const int pid : marked) {
      ::kill(pid, SIGKILL);
      if (std::ranges::find(known, pid) == known.end()) known.push_back(pid);
    }
    // A killed process stays in /proc until its parent has waited for it, without an environment: the next pass sees it
    // no more, unless it has not died yet.
    std::this_thread::yield();
  }
  return known.size();
}

}  // namespace basalt::node
