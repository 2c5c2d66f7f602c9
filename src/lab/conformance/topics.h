// The results of a run by topic, and the floors below which it fails.
//
// Without a floor a run that compares less and less (cases that turn unsupported, facts that are no longer looked at)
// would pass all the same. A floor file has one line per topic, "TOPIC PASSED FACTS": so many cases pass at least, with
// so many equal facts; # begins a comment.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::lab {

// "differential/gang" of ".../differential/gang-003.json"; "scheduler/plugins-capacity" of
// ".../scheduler/plugins-capacity__Test_x.json": the folder, and the name as far as cases have it in common.
[[nodiscard]] std::string topic_of(std::string_view file);

struct Tally {
  int passed = 0, failed = 0;
  int not_covered = 0;  // cases that need what we do not have
  int facts = 0;        // compared in the cases that were replayed
  int equal_facts = 0;

  [[nodiscard]] int cases() const { return passed + failed + not_covered; }
};
using Tallies = std::map<std::string, Tally>;  // by topic

struct Floor {
  int passed = 0, equal_facts = 0;
};
using Floors = std::map<std::string, Floor>;  // by topic

[[nodiscard]] Result<Floors> read_floors(std::string_view text);

struct FloorVerdict {
  std::vector<std::string> below;  // a line each: the run fails
  std::vector<std::string> above;  // a line each: the floor can be raised
};

// A topic without a floor, and a floor whose topic was not run, are below.
[[nodiscard]] FloorVerdict compare_with_floors(const Tallies& tallies, const Floors& floors);

// One line per topic; then, loudly, what was not covered.
[[nodiscard]] std::string topics_text(const Tallies& tallies);

}  // namespace basalt::lab
