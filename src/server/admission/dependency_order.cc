#include "server/admission/dependency_order.h"

#include <unordered_map>

namespace basalt::admission {
namespace {

// From a name that never got its turn, along names that did not either: it must come back to one it has seen.
std::string cycle_text(const std::vector<std::vector<size_t>>& needs, const std::vector<size_t>& waiting,
                       std::span<const Dependent> dependents, size_t start) {
  std::vector<size_t> seen_at(needs.size(), 0);
  std::vector<size_t> path;
  size_t at = start;
  while (seen_at[at] == 0) {
    path.push_back(at);
    seen_at[at] = path.size();
    for (const size_t need : needs[at]) {
      if (waiting[need] > 0) {
        at = need;
        break;
      }
    }
  }
  const size_t first = seen_at[at] - 1;
  std::string text;
  for (size_t i = first; i < path.size() && i < first + kMaxShownCycle; ++i) {
    text.append(dependents[path[i]].name).append(" -> ");
  }
  if (path.size() - first > kMaxShownCycle) text += "... -> ";
  return text.append(dependents[at].name);
}

}  // namespace

std::optional<DependencyError> find_dependency_error(std::span<const Dependent> dependents) {
  std::unordered_map<std::string_view, size_t> index;
  for (size_t i = 0; i < dependents.size(); ++i) index[dependents[i].name] = i;
  std::vector<std::vector<size_t>> needs(dependents.size());
  std::vector<std::vector<size_t>> needed_by(dependents.size());
  std::vector<size_t> waiting(dependents.size(), 0);  // for how many
  for (size_t i = 0; i < dependents.size(); ++i) {
    if (index[dependents[i].name] != i) continue;
    for (const std::string_view name : dependents[i].on) {
      const auto found = index.find(name);
      if (found == index.end()) return DependencyError{.name = dependents[i].name, .missing = name, .cycle = {}};
      needs[i].push_back(found->second);
      needed_by[found->second].push_back(i);
      ++waiting[i];
    }
  }
  std::vector<size_t> ready;
  for (size_t i = 0; i < dependents.size(); ++i) {
    if (waiting[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const size_t done = ready.back();
    ready.pop_back();
    for (const size_t next : needed_by[done]) {
      if (--waiting[next] == 0) ready.push_back(next);
    }
  }
  for (size_t i = 0; i < dependents.size(); ++i) {
    if (waiting[i] > 0)
      return DependencyError{.name = {}, .missing = {}, .cycle = cycle_text(needs, waiting, dependents, i)};
  }
  return std::nullopt;
}

}  // namespace basalt::admission
