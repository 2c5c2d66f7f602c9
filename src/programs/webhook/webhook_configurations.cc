#include "programs/webhook/webhook_configurations.h"

#include <utility>

#include "programs/webhook/match_conditions.h"

namespace basalt::webhook {
namespace {

constexpr std::string_view kPrefix = "volcano-admission-service";
constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr int kTimeoutSeconds = 10;    // as in Volcano's chart
constexpr int kPodTimeoutSeconds = 3;  // what our silence can cost somebody else's pod

bool is_about_pods(const admission::Webhook& webhook) { return webhook.group.empty() && webhook.plural == "pods"; }

text::Object client_config(const admission::Webhook& webhook, const WebhookClientConfig& place) {
  if (!place.url.empty()) {
    std::string url = place.url;
    while (url.ends_with('/')) url.pop_back();
    return {{"url", url + std::string(webhook.path)}};
  }
  return {{"service",
           text::Object{
               {"name", place.service}, {"namespace", place.namespace_name}, {"path", webhook.path}, {"port", 443}}}};
}

text::Array operations_of(const admission::Webhook& webhook) {
  text::Array names;
  for (const auto& [operation, name] : {std::pair(admission::WebhookOperation::Create, "CREATE"),
                                        std::pair(admission::WebhookOperation::Update, "UPDATE"),
                                        std::pair(admission::WebhookOperation::Delete, "DELETE")}) {
    if ((webhook.operations & static_cast<unsigned>(operation)) != 0) names.emplace_back(name);
  }
  return names;
}

text::Object namespace_selector(const WebhookClientConfig& place) {
  text::Array spared;
  if (!place.namespace_name.empty() && place.namespace_name != "kube-system") spared.emplace_back(place.namespace_name);
  spared.emplace_back("kube-system");
  return {{"matchExpressions",
           text::Array{text::Object{
               {"key", "kubernetes.io/metadata.name"}, {"operator", "NotIn"}, {"values", std::move(spared)}}}}};
}

text::Object webhook_of(const admission::Webhook& webhook, const WebhookClientConfig& place,
                        const admission::VolcanoAdmissionOptions& options) {
  const bool pods = is_about_pods(webhook);
  text::Object rule{{"apiGroups", text::Array{webhook.group}},
                    {"apiVersions", text::Array{webhook.version}},
                    {"operations", operations_of(webhook)},
                    {"resources", text::Array{webhook.plural}},
                    {"scope", "*"}};
  text::Object one{{"name", webhook.name},
                   {"admissionReviewVersions", text::Array{"v1"}},
                   {"clientConfig", client_config(webhook, place)},
                   {"failurePolicy", pods ? "Ignore" : "Fail"},
                   {"matchPolicy", "Equivalent"},
                   {"namespaceSelector", namespace_selector(place)},
                   {"objectSelector", text::Object()},
                   {"rules", text::Array{std::move(rule)}},
                   {"sideEffects", "None"},
                   {"timeoutSeconds", pods ? kPodTimeoutSeconds : kTimeoutSeconds}};
  if (text::Array conditions = match_conditions(webhook, options); !conditions.empty()) {
    one["matchConditions"] = std::move(conditions);
  }
  if (webhook.mutate != nullptr) one["reinvocationPolicy"] = "Never";
  return one;
}

}  // namespace

std::string configuration_name(std::string_view path) {
  std::string name(kPrefix);
  for (const char c : path) name += c == '/' ? '-' : c;
  return name;
}

bool is_configuration_name(std::string_view name) { return name.starts_with(std::string(kPrefix) + "-"); }

api::GroupVersionResource configuration_resource(bool mutating) {
  return {.group = std::string(kGroup),
          .version = "v1",
          .plural = mutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations"};
}

bool is_registered(const admission::Webhook& webhook, const admission::VolcanoAdmissionOptions& options) {
  return webhook.path != "/pods/mutate" || !options.resource_groups.empty() || options.gate_queue_admission;
}

text::Object configuration_of(const admission::Webhook& webhook, const WebhookClientConfig& place,
                              const admission::VolcanoAdmissionOptions& options) {
  const bool mutating = webhook.mutate != nullptr;
  return {{"apiVersion", std::string(kGroup) + "/v1"},
          {"kind", mutating ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration"},
          {"metadata", text::Object{{"name", configuration_name(webhook.path)},
                                    {"labels", text::Object{{kManagedBy, kManagerName}}}}},
          {"webhooks", text::Array{webhook_of(webhook, place, options)}}};
}

bool contains(const text::Value& present, const text::Value& wanted) {
  if (wanted.is_object() && present.is_object()) {
    for (const auto& member : wanted.get_object()) {
      const text::Value* there = present.get_object().if_contains(member.key());
      if (there == nullptr || !contains(*there, member.value())) return false;
    }
    return true;
  }
  if (wanted.is_array() && present.is_array()) {
    const text::Array& list = wanted.get_array();
    if (list.size() != present.get_array().size()) return false;
    for (size_t i = 0; i < list.size(); ++i) {
      if (!contains(present.get_array()[i], list[i])) return false;
    }
    return true;
  }
  return present == wanted;
}

}  // namespace basalt::webhook
