#include "programs/webhook/webhook_configuration_plan.h"

#include <utility>

#include "control/loop/api_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/webhook_view.h"
#include "kube/text/base64.h"

namespace basalt::webhook {
namespace {

// Webhooks that may change requests and those that may only refuse them have this in common.
api::ListView<api::MutatingWebhookView> webhooks_in(const text::Object& configuration) {
  return api::MutatingWebhookConfigurationView(configuration).webhooks();
}

std::string bundle_in(api::MutatingWebhookView webhook) {
  const auto decoded = text::decode_base64(webhook.client_config().ca_bundle());
  return decoded ? *decoded : "";
}

// The configuration's webhooks with right caBundles; nothing: they are right.
std::optional<text::Array> with_bundles(const text::Object& configuration, const Authorities& own, bool keep_others) {
  const text::Array* webhooks = webhooks_in(configuration).json();
  if (webhooks == nullptr) return std::nullopt;
  text::Array changed = *webhooks;
  bool differs = false;
  for (text::Value& one : changed) {
    if (!one.is_object()) continue;
    const auto bundle = next_bundle(bundle_in(api::MutatingWebhookView(one)), own, keep_others);
    if (!bundle) continue;
    api::object_in(one.get_object(), "clientConfig")["caBundle"] = text::encode_base64(*bundle);
    differs = true;
  }
  return differs ? std::optional(std::move(changed)) : std::nullopt;
}

api::Call apply_call(const ConfigurationInput& question, text::Object wanted) {
  std::string present;
  if (question.present != nullptr) {
    const api::ListView<api::MutatingWebhookView> webhooks = webhooks_in(question.present->get_object());
    if (!webhooks.empty()) present = bundle_in(webhooks[0]);
  }
  const std::string bundle = next_bundle(present, question.own, question.keep_others).value_or(present);
  text::Object& webhook = api::array_in(wanted, "webhooks").front().get_object();
  api::object_in(webhook, "clientConfig")["caBundle"] = text::encode_base64(bundle);
  return loop::apply(configuration_resource(question.webhook.mutate != nullptr), std::move(wanted), kManagerName);
}

// The whole object, as it was seen, with other webhooks; its resourceVersion guards it.
api::Call update_call(const ConfigurationInput& question, const text::Object& present, text::Array webhooks) {
  const text::Object wanted = configuration_of(question.webhook, question.client_config, question.options);
  text::Object body = present;
  body["apiVersion"] = wanted.at("apiVersion");
  body["kind"] = wanted.at("kind");
  body["webhooks"] = std::move(webhooks);
  return {.verb = api::Verb::Update,
          .resource = configuration_resource(question.webhook.mutate != nullptr),
          .name = std::string(api::name_of(present)),
          .body = std::move(body)};
}

// Lists leave apiVersion and kind out of their items.
bool is_as_wanted(const client::ObjectPtr& present, text::Object wanted) {
  wanted.erase("apiVersion");
  wanted.erase("kind");
  return present != nullptr && contains(*present, wanted);
}

}  // namespace

std::optional<api::Call> plan_configuration(const ConfigurationInput& question) {
  const bool registered = question.enabled && is_registered(question.webhook, question.options);
  const api::GroupVersionResource resource = configuration_resource(question.webhook.mutate != nullptr);
  if (question.own.empty()) return std::nullopt;
  if (question.create && registered) {
    text::Object wanted = configuration_of(question.webhook, question.client_config, question.options);
    if (!is_as_wanted(question.present, wanted)) return apply_call(question, std::move(wanted));
  }
  if (question.present == nullptr) return std::nullopt;
  const text::Object& present = question.present->get_object();
  const loop::WriteTarget target = loop::target_of(resource, present);
  if (question.create && !registered && api::ObjectView(present).metadata().labels()[kManagedBy] == kManagerName) {
    return loop::remove(target);
  }
  if (!question.enabled) return std::nullopt;
  auto webhooks = with_bundles(present, question.own, question.keep_others);
  if (!webhooks) return std::nullopt;
  if (question.replace) return update_call(question, present, std::move(*webhooks));
  return loop::patch(target, {{"webhooks", std::move(*webhooks)}});
}

BundleTrust trust_in(const text::Object& configuration, const Authorities& own) {
  BundleTrust trust;
  for (const api::MutatingWebhookView one : webhooks_in(configuration)) {
    const Authorities there = pem_blocks_in(bundle_in(one));
    trust.all = trust.all && has_all(there, own);
    trust.others = trust.others || !has_all(own, there);
  }
  return trust;
}

}  // namespace basalt::webhook
