#include "programs/webhook/certificate_reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/api/object_fields.h"
#include "programs/webhook/answer_review.h"
#include "programs/webhook/webhook_configuration_plan.h"

namespace basalt::webhook {
namespace {

constexpr loop::KindId kMutating{0U}, kValidating{1U};
}  // namespace

CertificateReconciler::CertificateReconciler(client::ObjectClient& client, CertificateReconcilerOptions options,
                                             std::shared_ptr<const admission::VolcanoAdmissionOptions> rules)
    : options_(std::move(options)),
      rules_(std::move(rules)),
      loop_(client, *this, {.clock = options_.clock, .component = std::string(kManagerName), .prober = {}}) {
  loop_.follow(kMutating, configuration_resource(true));
  loop_.follow(kValidating, configuration_resource(false));
  requeue_all(kNever);
}

void CertificateReconciler::offer(KeyMaterial material) {
  {
    const std::lock_guard lock(mutex_);
    offered_ = std::move(material);
  }
  loop_.wake_now({.controller = kCertificate, .name = ""});
}

void CertificateReconciler::change_rules(std::shared_ptr<const admission::VolcanoAdmissionOptions> rules) {
  {
    const std::lock_guard lock(mutex_);
    rules_ = std::move(rules);
  }
  for (const admission::Webhook& webhook : admission::webhooks()) {
    loop_.wake_now({.controller = kConfiguration, .name = std::string(webhook.path)});
  }
}

void CertificateReconciler::learn(loop::KindId /*kind*/, const client::ObjectPtr& object, Instant now) {
  const std::string name(api::name_of(object->get_object()));
  if (!is_configuration_name(name)) return;
  configurations_[name] = object;
  requeue_all(now);
}

void CertificateReconciler::forget(loop::KindId /*kind*/, const std::string& key, Instant now) {
  others_since_.erase(key);
  if (configurations_.erase(key) > 0) requeue_all(now);
}

std::vector<std::string> CertificateReconciler::keys(loop::KindId kind) const {
  std::vector<std::string> names;
  for (const auto& [name, object] : configurations_) {
    if (name.ends_with("-mutate") == (kind == kMutating)) names.push_back(name);
  }
  return names;
}

void CertificateReconciler::requeue_all(Instant now) {
  for (const admission::Webhook& webhook : admission::webhooks()) {
    loop_.wake({.controller = kConfiguration, .name = std::string(webhook.path)}, now);
  }
  loop_.wake({.controller = kCertificate, .name = ""}, now);
}

loop::WritePlan CertificateReconciler::plan(const loop::Item& item, Instant now) {
  update_trust(now);
  if (item.controller == kCertificate) return options_.from_files ? plan_files(now) : plan_secret(now);
  const admission::Webhook* webhook = webhook_at(item.name);
  return webhook == nullptr ? loop::WritePlan() : plan_path(*webhook, now);
}

// Finds out what caBundles must have: while certificates change, both authorities.
void CertificateReconciler::change_own(Instant now) {
  Authorities all = authorities_in(in_use_.authorities);
  for (std::string& one : authorities_in(candidate_.authorities)) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  }
  if (std::exchange(own_, all) != all) trusted_since_ = kNever;
  update_trust(now);
}

void CertificateReconciler::update_trust(Instant now) {
  bool trusted = true;
  for (const std::string& path : options_.paths) {
    const auto found = configurations_.find(configuration_name(path));
    if (found != configurations_.end()) trusted = trusted && trust_in(found->second->get_object(), own_).all;
  }
  trusted_ = trusted;
  if (!trusted) {
    trusted_since_ = kNever;
  } else if (!trusted_since_.is_set()) {
    trusted_since_ = now;
  }
}

loop::WritePlan CertificateReconciler::plan_path(const admission::Webhook& webhook, Instant now) {
  loop::WritePlan plan;
  std::shared_ptr<const admission::VolcanoAdmissionOptions> rules;
  {
    const std::lock_guard lock(mutex_);
    rules = rules_;
  }
  const std::string name = configuration_name(webhook.path);
  const auto found = configurations_.find(name);
  bool keep_others = true;
  if (found != configurations_.end() && trust_in(found->second->get_object(), own_).others) {
    const Instant until = others_since_.try_emplace(name, now).first->second + options_.timing.overlap;
    keep_others = now < until;
    if (keep_others) plan.look_again(until);
  } else {
    others_since_.erase(name);
  }
  auto call = plan_configuration({.webhook = webhook,
                                  .present = found == configurations_.end() ? nullptr : found->second,
                                  .own = own_,
                                  .keep_others = keep_others,
                                  .enabled = options_.paths.contains(std::string(webhook.path)),
                                  .create = options_.create_configurations,
                                  .replace = replace_,
                                  .client_config = options_.client_config,
                                  .options = *rules});
  if (!call) return plan;
  // Two replicas with different flags, in the middle of an update, must not write against each other without end.
  WriteRate& pace = write_rates_[name];
  if (now >= pace.since + options_.look_every) pace = {.since = now, .writes = 0};
  if (pace.writes >= kMaxWritesInARow) return plan.look_again(pace.since + options_.look_every), plan;
  ++pace.writes;
  write_log(options_.log, Severity::Info, "writing the webhook configuration " + name);
  plan.write(std::move(*call));
  return plan;
}

void CertificateReconciler::refused(const loop::Item& item, const api::Call& call, const api::ApiError& error,
                                    std::vector<loop::EventNote>& /*notes*/) {
  if (error.code == 409) return;  // somebody was faster: the next plan sees it
  if (error.code == 403 && item.controller == kConfiguration) replace_ = call.verb == api::Verb::Patch;
  log_once(fmt::format("{} {} was refused: {}", call.resource.plural, call.name, error.message));
}

void CertificateReconciler::log_once(const std::string& line) {
  if (std::exchange(last_warning_, line) != line) write_log(options_.log, Severity::Error, line);
}

}  // namespace basalt::webhook
