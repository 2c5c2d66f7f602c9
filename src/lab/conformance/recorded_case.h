// One recorded case: a conf, a cluster, and what Volcano did with them.
//
// Two kinds exist. `Unit` comes from a Volcano unit test: one cycle, expect.checked says what the test asserted,
// observedTiebreakName what happened when ties were broken by name. `Generated` runs several cycles;
// expectTiebreakName.cycles[i] has every fact of cycle i in that mode, expect.cycles[i] those that were the same in
// every random run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/policy/policy_spec.h"
#include "kube/api/any_object.h"
#include "kube/text/json.h"
#include "lab/conformance/case_events.h"

namespace basalt::lab {

enum class CaseKind : uint8_t { Unit, Generated };

struct RecordedCase {
  std::string file;  // its path as given
  std::string name;  // the file's name without .json
  CaseKind kind = CaseKind::Unit;
  bool custom = false;  // its set-up or assertion lives in code: decisions cannot be compared
  int cycles = 1;
  std::string default_queue = "default";
  std::vector<std::string> missing;  // what Basalt would need and does not have; empty: it can be replayed
  policy::PolicySpec policy;         // meaningful only when nothing is missing
  std::vector<api::AnyObject> objects;
  std::vector<CaseEvent> events;
  text::Value root;  // the whole document, for what is expected
};

// Cost: O(file). A file that is no case (index.json) is an error.
[[nodiscard]] Result<RecordedCase> read_case(const std::string& path);

// Where we chose another default than Volcano, the policy is told to do as Volcano does, so that the outcomes can be
// compared: the victim rule, refusals shared by a role, ancestor shares that wait for the next cycle. See
// docs/compat.md.
void use_volcano_defaults(policy::PolicySpec& policy, std::string_view victim_rule);

}  // namespace basalt::lab
