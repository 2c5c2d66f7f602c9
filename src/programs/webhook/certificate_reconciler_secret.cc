// Where the certificate comes from, and when it is put to use.
#include <fmt/format.h>

#include <utility>

#include "kube/api/views/secret_view.h"
#include "kube/net/certificates.h"
#include "kube/text/base64.h"
#include "kube/text/rfc3339.h"
#include "programs/webhook/certificate_reconciler.h"

namespace basalt::webhook {
namespace {

const api::GroupVersionResource kSecrets{.group = "", .version = "v1", .plural = "secrets"};

// After a write of the Secret, to see what became of it.
constexpr Duration kSoon = Duration::millis(200), kSoonAgain = Duration::seconds(1);

std::string decoded(const text::Object& secret, std::string_view key) {
  const auto bytes = text::decode_base64(api::SecretView(secret).data()[key]);
  return bytes ? *bytes : "";
}

text::Object encoded(const KeyMaterial& material) {
  return {{"ca.crt", text::encode_base64(material.authorities)},
          {"ca.key", text::encode_base64(material.authority_key)},
          {"tls.crt", text::encode_base64(material.certificate)},
          {"tls.key", text::encode_base64(material.key)}};
}

}  // namespace

loop::WritePlan CertificateReconciler::plan_secret(Instant now) {
  loop::WritePlan plan;
  plan.look_again(now + options_.look_every);
  if (!secret_) {
    plan.asks.emplace_back(api::Call{.verb = api::Verb::Get,
                                     .resource = kSecrets,
                                     .namespace_name = options_.client_config.namespace_name,
                                     .name = options_.secret});
    return plan;
  }
  const Secret seen = *std::exchange(secret_, std::nullopt);  // the next plan reads it again
  const auto step =
      plan_certificate({.seen = seen.exists ? &seen.material : nullptr,
                        .names = server_names(options_.client_config.service, options_.client_config.namespace_name,
                                              options_.client_config.url),
                        .trusted_since = seen.material == candidate_ ? trusted_since_ : kNever,
                        .now = now,
                        .timing = options_.timing});
  if (!step) return log_once("cannot make a certificate: " + step.error().message), plan;
  if (step->usable) {
    take(seen.material, now);
    put_to_use(plan, now);
  }
  if (step->write) {
    write_log(options_.log, Severity::Info,
              fmt::format("writing the certificates in {}: {}", secret_name(), step->why));
    plan.write(secret_write(seen, *step->write));
    const bool in_vain = std::exchange(created_, !seen.exists) && created_;
    if (in_vain) {
      log_once(fmt::format("{} cannot be made: is there a namespace {}?", secret_name(),
                           options_.client_config.namespace_name));
    }
    plan.look_again(now + (in_vain ? kSoonAgain : kSoon));
  }
  plan.look_again(step->again);
  return plan;
}

std::string CertificateReconciler::secret_name() const {
  return fmt::format("Secret {}/{}", options_.client_config.namespace_name, options_.secret);
}

api::Call CertificateReconciler::secret_write(const Secret& seen, const KeyMaterial& material) const {
  if (seen.exists) return loop::patch(seen.target, {{"data", encoded(material)}});
  return loop::create(kSecrets, {{"apiVersion", "v1"},
                                 {"kind", "Secret"},
                                 {"metadata", text::Object{{"name", options_.secret},
                                                           {"namespace", options_.client_config.namespace_name},
                                                           {"labels", text::Object{{kManagedBy, kManagerName}}}}},
                                 {"type", "Opaque"},
                                 {"data", encoded(material)}});
}

loop::NextStep CertificateReconciler::answered(const loop::Item& /*item*/, const loop::Ask& /*ask*/,
                                               const loop::CallResult& answer, Instant /*now*/) {
  const client::ReplyOrError& outcome = answer.outcome;
  Secret secret;
  if (outcome && outcome->object != nullptr && outcome->object->is_object()) {
    const text::Object& object = outcome->object->get_object();
    secret = {.exists = true,
              .target = loop::target_of(kSecrets, object),
              .material = {.authorities = decoded(object, "ca.crt"),
                           .authority_key = decoded(object, "ca.key"),
                           .certificate = decoded(object, "tls.crt"),
                           .key = decoded(object, "tls.key")}};
  } else if (outcome || outcome.error().code != 404) {
    log_once(fmt::format("cannot read {}: {}", secret_name(),
                         outcome ? "the answer is no object" : outcome.error().message));
    return loop::NextStep::Retry;
  }
  secret_ = std::move(secret);
  return loop::NextStep::PlanAgain;
}

loop::WritePlan CertificateReconciler::plan_files(Instant now) {
  loop::WritePlan plan;
  std::optional<KeyMaterial> offered;
  {
    const std::lock_guard lock(mutex_);
    offered = offered_;
  }
  if (!offered) return plan;
  take(*offered, now);
  put_to_use(plan, now);
  return plan;
}

// The material that should be served with, if it is not yet.
void CertificateReconciler::take(const KeyMaterial& material, Instant now) {
  if (material == candidate_) return;
  candidate_ = material;
  candidate_since_ = now;
  change_own(now);
  requeue_all(now);
}

// Whether API servers take the candidate's certificate now, as far as can be known.
bool CertificateReconciler::may_be_used(Instant now) const {
  if (!has_certificate_ || candidate_.certificate == in_use_.certificate) return true;
  for (const std::string& authority : authorities_in(in_use_.authorities)) {
    const auto vouches = net::signed_by(candidate_.certificate, authority);
    if (vouches && *vouches) return true;  // they trust that one already
  }
  if (trusted_since_.is_set() && trusted_since_ + options_.timing.settle <= now) return true;
  return valid_until() <= now || candidate_since_ + kMaxTrustWait <= now;
}

void CertificateReconciler::put_to_use(loop::WritePlan& plan, Instant now) {
  if (candidate_ == in_use_) return;
  if (!may_be_used(now)) {
    plan.look_again(candidate_since_ + kMaxTrustWait);
    if (trusted_since_.is_set()) plan.look_again(trusted_since_ + options_.timing.settle);
    return;
  }
  if (candidate_.certificate != in_use_.certificate || candidate_.key != in_use_.key) {
    if (auto used = options_.use(candidate_); !used) {
      plan.look_again(now + options_.look_every);
      return log_once("cannot serve: " + used.error().message);
    }
    const auto until = net::valid_until(candidate_.certificate);
    valid_until_ = until ? until->nanos : 0;
    write_log(options_.log, Severity::Info,
              "serving with a certificate that is valid until " + text::format_time(until ? *until : kNever));
  }
  in_use_ = candidate_;
  has_certificate_ = true;
  change_own(now);
  requeue_all(now);
}

}  // namespace basalt::webhook
