#include "programs/webhook/caretaker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/api/object_fields.h"
#include "programs/webhook/answer_review.h"
#include "programs/webhook/configuration_plan.h"

namespace basalt::webhook {
namespace {

constexpr loop::KindId kMutating{0U}, kValidating{1U};
}  // namespace

Caretaker::Caretaker(client::ObjectClient& client, CaretakerOptions options,
                     std::shared_ptr<const admission::Options> rules)
    : options_(std::move(options)),
      rules_(std::move(rules)),
      loop_(client, *this, {.clock = options_.clock, .component = std::string(kOurName), .prober = {}}) {
  loop_.follow(kMutating, configuration_resource(true));
  loop_.follow(kValidating, configuration_resource(false));
  look_at_everything(kNever);
}

void Caretaker::offer(KeyMaterial material) {
  {
    const std::lock_guard lock(mutex_);
    offered_ = std::move(material);
  }
  loop_.poke({.controller = kCertificate, .name = ""});
}

void Caretaker::change_rules(std::shared_ptr<const admission::Options> rules) {
  {
    const std::lock_guard lock(mutex_);
    rules_ = std::move(rules);
  }
  for (const admission::Webhook& webhook : admission::webhooks()) {
    loop_.poke({.controller = kConfiguration, .name = std::string(webhook.path)});
  }
}

void Caretaker::learn(loop::KindId /*kind*/, const client::ObjectPtr& object, Instant now) {
  const std::string name(api::name_of(object->get_object()));
  if (!is_configuration_name(name)) return;
  configurations_[name] = object;
  look_at_everything(now);
}

void Caretaker::forget(loop::KindId /*kind*/, const std::string& key, Instant now) {
  others_since_.erase(key);
  if (configurations_.erase(key) > 0) look_at_everything(now);
}

std::vector<std::string> Caretaker::keys(loop::KindId kind) const {
  std::vector<std::string> names;
  for (const auto& [name, object] : configurations_) {
    if (name.ends_with("-mutate") == (kind == kMutating)) names.push_back(name);
  }
  return names;
}

void Caretaker::look_at_everything(Instant now) {
  for (const admission::Webhook& webhook : admission::webhooks()) {
    loop_.wake({.controller = kConfiguration, .name = std::string(webhook.path)}, now);
  }
  loop_.wake({.controller = kCertificate, .name = ""}, now);
}

loop::Plan Caretaker::plan(const loop::Item& item, Instant now) {
  look_at_trust(now);
  if (item.controller == kCertificate) return options_.from_files ? plan_files(now) : plan_secret(now);
  const admission::Webhook* webhook = webhook_at(item.name);
  return webhook == nullptr ? loop::Plan() : plan_path(*webhook, now);
}

// Finds out what caBundles must have: while certificates change, both authorities.
void Caretaker::change_own(Instant now) {
  Authorities all = authorities_in(in_use_.authorities);
  for (std::string& one : authorities_in(candidate_.authorities)) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  }
  if (std::exchange(own_, all) != all) trusted_since_ = kNever;
  look_at_trust(now);
}

void Caretaker::look_at_trust(Instant now) {
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

loop::Plan Caretaker::plan_path(const admission::Webhook& webhook, Instant now) {
  loop::Plan plan;
  std::shared_ptr<const admission::Options> rules;
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
                                  .place = options_.place,
                                  .options = *rules});
  if (!call) return plan;
  // Two replicas with different flags, in the middle of an update, must not write against each other without end.
  Pace& pace = paces_[name];
  if (now >= pace.since + options_.look_every) pace = {.since = now, .writes = 0};
  if (pace.writes >= kMaxWritesInARow) return plan.look_again(pace.since + options_.look_every), plan;
  ++pace.writes;
  tell(options_.log, Severity::Info, "writing the webhook configuration " + name);
  plan.write(std::move(*call));
  return plan;
}

void Caretaker::refused(const loop::Item& item, const api::Call& call, const api::ApiError& error,
                        std::vector<loop::Note>& /*notes*/) {
  if (error.code == 409) return;  // somebody was faster: the next plan sees it
  if (error.code == 403 && item.controller == kConfiguration) replace_ = call.verb == api::Verb::Patch;
  complain(fmt::format("{} {} was refused: {}", call.resource.plural, call.name, error.message));
}

void Caretaker::complain(const std::string& line) {
  if (std::exchange(complaint_, line) != line) tell(options_.log, Severity::Error, line);
}

}  // namespace basalt::webhook
