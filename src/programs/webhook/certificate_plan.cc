#include "programs/webhook/certificate_plan.h"

#include <algorithm>
#include <utility>

#include "kube/net/certificates.h"

namespace basalt::webhook {
namespace {

constexpr std::string_view kAuthorityName = "volcano-admission-ca";

// What is known about a Secret's content once it was looked at.
struct Inspected {
  Authorities authorities;           // those that have not expired
  size_t signer = kNone;             // among them: the one whose key there is
  bool authorities_changed = false;  // some of ca.crt are left out
  net::Validity leaf, signer_life;
  bool signed_by_signer = false, signed_by_any = false, has_names = false;
  static constexpr size_t kNone = SIZE_MAX;
};

bool yes(const Result<bool>& answer) { return answer.has_value() && *answer; }

// Nothing: the certificate and its key are of no use.
std::optional<Inspected> inspect(const KeyMaterial& seen, const std::vector<std::string>& names, Instant now) {
  Inspected found;
  const auto leaf = net::validity(seen.certificate);
  if (!leaf || !yes(net::key_matches(seen.certificate, seen.key))) return std::nullopt;
  found.leaf = *leaf;
  const Authorities all = authorities_in(seen.authorities);
  for (const std::string& one : all) {
    const auto life = net::validity(one);
    if (!life || life->until <= now) continue;
    const bool signs = !seen.authority_key.empty() && yes(net::key_matches(one, seen.authority_key));
    const bool signed_leaf = yes(net::signed_by(seen.certificate, one));
    found.signed_by_any = found.signed_by_any || signed_leaf;
    if (signs) {
      found.signer = found.authorities.size();
      found.signer_life = *life;
      found.signed_by_signer = signed_leaf;
    }
    found.authorities.push_back(one);
  }
  found.authorities_changed = found.authorities.size() != all.size();
  found.has_names = std::ranges::all_of(
      names, [&](const std::string& name) { return yes(net::certificate_covers_name(seen.certificate, name)); });
  return found;
}

Result<void> sign_leaf(KeyMaterial& material, const std::string& authority, const std::vector<std::string>& names,
                       Instant now) {
  auto leaf = net::sign_server({.certificate_pem = authority, .key_pem = material.authority_key},
                               {.common_name = names.front(), .names = names}, now);
  if (!leaf) return std::unexpected(leaf.error());
  material.certificate = std::move(leaf->certificate_pem);
  material.key = std::move(leaf->key_pem);
  return {};
}

// Puts a new authority before those that are there.
Result<std::string> add_authority(KeyMaterial& material, const Authorities& others, Instant now) {
  auto made = net::make_authority(kAuthorityName, now);
  if (!made) return std::unexpected(made.error());
  material.authority_key = std::move(made->key_pem);
  material.authorities = made->certificate_pem + bundle_of(others);
  return std::move(made->certificate_pem);
}

Result<CertificatePlan> all_new(const CertificateInput& question, std::string why) {
  CertificatePlan plan{.write = KeyMaterial(), .usable = false, .why = std::move(why), .again = kNever};
  const auto authority = add_authority(*plan.write, {}, question.now);
  if (!authority) return std::unexpected(authority.error());
  const auto signed_leaf = sign_leaf(*plan.write, *authority, question.names, question.now);
  if (!signed_leaf) return std::unexpected(signed_leaf.error());
  return plan;
}

// Those that neither sign nor have signed are dropped once every replica has the present certificate.
Authorities without_retired(const Inspected& found, const KeyMaterial& seen) {
  Authorities kept;
  for (size_t i = 0; i < found.authorities.size(); ++i) {
    if (i == found.signer || yes(net::signed_by(seen.certificate, found.authorities[i]))) {
      kept.push_back(found.authorities[i]);
    }
  }
  return kept;
}

}  // namespace

Result<CertificatePlan> plan_certificate(const CertificateInput& question) {
  const Instant now = question.now;
  if (question.seen == nullptr) return all_new(question, "there is no Secret yet");
  const KeyMaterial& seen = *question.seen;
  const std::optional<Inspected> found = inspect(seen, question.names, now);
  if (!found || !found->signed_by_any) return all_new(question, "the Secret holds nothing that can be used");

  const bool valid = found->leaf.from <= now && now < found->leaf.until;
  CertificatePlan plan{.write = {}, .usable = valid && found->has_names, .why = {}, .again = kNever};
  const bool has_signer = found->signer != Inspected::kNone;
  if (!has_signer || net::wants_renewal(found->signer_life, now)) {
    // Without a key of the authority a certificate stays as long as it is good; then comes one that can be renewed.
    const bool leaf_is_good = !net::wants_renewal(found->leaf, now) && found->has_names;
    if (!has_signer && leaf_is_good) return plan.again = net::renewal_of(found->leaf), plan;
    plan.write = seen;
    plan.why = has_signer ? "the authority grows old" : "the certificate grows old, and nobody has its authority's key";
    if (auto added = add_authority(*plan.write, found->authorities, now); !added) {
      return std::unexpected(added.error());
    }
    return plan;
  }

  const bool leaf_is_good = !net::wants_renewal(found->leaf, now) && found->has_names && found->signed_by_signer;
  const Instant settled = question.trusted_since + question.timing.settle;
  const bool trusted = question.trusted_since.is_set() && settled <= now;
  if (!leaf_is_good && (found->signed_by_signer || trusted || !plan.usable)) {
    plan.write = seen;
    plan.why = found->signed_by_signer ? "the certificate is renewed" : "the new authority is trusted";
    const auto done = sign_leaf(*plan.write, found->authorities[found->signer], question.names, now);
    if (!done) return std::unexpected(done.error());
    return plan;
  }
  if (!leaf_is_good) return plan.again = question.trusted_since.is_set() ? settled : kNever, plan;

  const Instant moved = found->leaf.from + question.timing.overlap;
  const Authorities kept = without_retired(*found, seen);
  if (found->authorities_changed || (kept.size() < found->authorities.size() && moved <= now)) {
    plan.write = seen;
    plan.write->authorities = bundle_of(moved <= now ? kept : found->authorities);
    plan.why = "an authority is not needed any more";
    return plan;
  }
  plan.again = std::min(net::renewal_of(found->leaf), net::renewal_of(found->signer_life));
  if (kept.size() < found->authorities.size()) plan.again = std::min(plan.again, moved);
  return plan;
}

std::vector<std::string> server_names(std::string_view service, std::string_view ns, std::string_view url) {
  const std::string name(service);
  const std::string in_space = name + "." + std::string(ns);
  std::vector<std::string> names{in_space + ".svc", in_space, name};
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return names;
  std::string_view host = url.substr(scheme + 3);
  host = host.substr(0, host.find('/'));
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  if (!host.empty()) names.emplace_back(host);
  return names;
}

}  // namespace basalt::webhook
