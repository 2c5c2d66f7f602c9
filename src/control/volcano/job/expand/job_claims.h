// The volume claims of a job (spec.volumes): which there are, the objects to make, and the names to write into the
// spec.
//
// A claim without a name gets one derived from the job's uid and the volume's place, never a random one: a controller
// that stops between making the claim and writing the name into the job finds the same name again. For the same reason
// a claim whose name in the spec is the derived one is still `ours` and is made when it is missing.
// The derivation is part of what is stored; it may not change (a test pins it).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "control/volcano/job/expand/job_view.h"

namespace basalt::volcano {

inline constexpr size_t kDerivedNameBytes = 12;  // of [0-9a-z]

struct JobClaim {
  std::string name;
  bool ours = false;                   // the name is derived: made by us when absent, if there is a spec
  const text::Object* spec = nullptr;  // volumeClaim; nullptr: none, the claim must come from elsewhere
  // A claim that has to exist but may not be made by us: without it the job stays Pending.
  [[nodiscard]] bool must_exist() const { return !ours; }
};

// One per entry of spec.volumes, in that order.
[[nodiscard]] std::vector<JobClaim> job_claims(const JobView& job);

// The PersistentVolumeClaim. Requires: claim.spec.
[[nodiscard]] text::Object make_claim(const JobView& job, const JobClaim& claim);

// Merge patch of the Job that writes derived names into spec.volumes; nothing when every entry has a name.
// The list is written as a whole: send it with the resourceVersion the job was read with.
[[nodiscard]] std::optional<text::Object> claim_names_change(const JobView& job);

// "volume-pvc-<claim>", the key in status.controlledResources whose value is the claim's name.
[[nodiscard]] std::string claim_resource_key(std::string_view claim);

// "<job>-<12 chars>": the name of a claim's volume in every pod of the job, cut so that it stays a DNS label.
[[nodiscard]] std::string pod_volume_name(const JobView& job, std::string_view claim);

// "pvc <name> is not found, the job will be in the Pending state until the PVC is created"
[[nodiscard]] std::string missing_claim_message(std::string_view claim);

}  // namespace basalt::volcano
