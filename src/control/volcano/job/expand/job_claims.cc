#include "control/volcano/job/expand/job_claims.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/fingerprint.h"
#include "kube/api/name_validation.h"
#include "kube/api/views/volcano_job_view.h"

namespace basalt::volcano {
namespace {

// Not for identity in general: two claims meet only if they belong to jobs of one name in one namespace, and then the
// chance is 1 in 2^62.
std::string derived(uint64_t fingerprint) {
  constexpr std::string_view kAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string out(kDerivedNameBytes, '0');
  for (char& c : out) {
    c = kAlphabet[fingerprint % kAlphabet.size()];
    fingerprint /= kAlphabet.size();
  }
  return out;
}

std::string derived_claim(const JobView& job, size_t place) {
  return fmt::format("{}-pvc-{}", job.name, derived(Fingerprint().add(job.uid).add(uint64_t{place}).value()));
}

}  // namespace

std::vector<JobClaim> job_claims(const JobView& job) {
  std::vector<JobClaim> claims;
  for (size_t i = 0; i < job.volumes.size(); ++i) {
    const VolumeView& volume = job.volumes[i];
    std::string ours = derived_claim(job, i);
    const bool is_ours = volume.claim_name.empty() || volume.claim_name == ours;
    claims.push_back(
        {.name = is_ours ? std::move(ours) : std::string(volume.claim_name), .ours = is_ours, .spec = volume.claim});
  }
  return claims;
}

text::Object make_claim(const JobView& job, const JobClaim& claim) {
  check(claim.spec != nullptr, "a claim is made from spec.volumes[].volumeClaim");
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"metadata", owned_metadata(job, claim.name)},
          {"spec", *claim.spec}};
}

std::optional<text::Object> claim_names_change(const JobView& job) {
  const text::Array* written = api::VolcanoJobView(*job.object).spec().volumes().json();
  if (written == nullptr) return std::nullopt;
  text::Array volumes = *written;
  bool changed = false;
  size_t place = 0;  // job.volumes passes by what is no object
  for (text::Value& entry : volumes) {
    text::Object* volume = entry.if_object();
    if (volume == nullptr) continue;
    if (job.volumes[place].claim_name.empty()) {
      (*volume)["volumeClaimName"] = derived_claim(job, place);
      changed = true;
    }
    ++place;
  }
  if (!changed) return std::nullopt;
  return text::Object{{"spec", text::Object{{"volumes", std::move(volumes)}}}};
}

std::string claim_resource_key(std::string_view claim) { return fmt::format("volume-pvc-{}", claim); }

std::string pod_volume_name(const JobView& job, std::string_view claim) {
  const std::string_view base = job.name.substr(0, api::kMaxLabelBytes - 1 - kDerivedNameBytes);
  return fmt::format("{}-{}", base, derived(Fingerprint().add(job.uid).add(claim).value()));
}

std::string missing_claim_message(std::string_view claim) {
  return fmt::format("pvc {} is not found, the job will be in the Pending state until the PVC is created", claim);
}

}  // namespace basalt::volcano
