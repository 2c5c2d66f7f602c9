// What is to be written about the configuration of one path, given how it is. Pure.
//
// 1. Configurations that others made get our caBundle and nothing else; they are never made, changed or deleted.
// 2. Asked to (`create`), a configuration is made and kept as webhook_configurations.h has it; one that carries our
//    label is deleted when its path is not registered any more: it would send requests to nobody.
#pragma once

#include <optional>

#include "kube/api/call.h"
#include "kube/client/object_client.h"
#include "programs/webhook/pem_bundle.h"
#include "programs/webhook/webhook_configurations.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

struct ConfigurationInput {
  const admission::Webhook& webhook;
  client::ObjectPtr present;  // null: there is none
  const Authorities& own;     // empty: caBundles are left alone, and nothing is made
  bool keep_others = true;    // authorities of other replicas stay in caBundles
  bool enabled = true;        // the path is served
  bool create = false;
  bool replace = false;  // caBundles are written by update, not by patch: Volcano's roles allow only that
  const WebhookClientConfig& client_config;
  const admission::VolcanoAdmissionOptions& options;
};

[[nodiscard]] std::optional<api::Call> plan_configuration(const ConfigurationInput& question);

// How a configuration stands to our authorities.
struct BundleTrust {
  bool all = true;      // every caBundle has all of `own`
  bool others = false;  // some caBundle has other certificates as well
};
[[nodiscard]] BundleTrust trust_in(const text::Object& configuration, const Authorities& own);

}  // namespace basalt::webhook
