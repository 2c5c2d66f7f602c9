#include "control/scheduler/state/amount_conversion.h"

#include <algorithm>
#include <string>

#include "control/scheduler/state/amount_words.h"
#include "engine/model/resource_units.h"
#include "kube/text/document_path.h"

namespace basalt::state {

namespace {

constexpr size_t kMaxNameBytes = 63;
constexpr size_t kMaxDomainBytes = 253;

bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool is_lower_alnum(char c) { return is_alnum(c) && !(c >= 'A' && c <= 'Z'); }

// The part behind the slash: letters, digits, '-', '_', '.', with a letter or digit at both ends.
bool is_name_part(std::string_view part) {
  if (part.empty() || part.size() > kMaxNameBytes || !is_alnum(part.front()) || !is_alnum(part.back())) return false;
  return std::all_of(part.begin(), part.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

// A DNS subdomain: labels of lower case letters, digits and '-', joined by dots.
bool is_domain_part(std::string_view part) {
  if (part.empty() || part.size() > kMaxDomainBytes) return false;
  while (!part.empty()) {
    const size_t dot = std::min(part.find('.'), part.size());
    const std::string_view label = part.substr(0, dot);
    if (label.empty() || !is_lower_alnum(label.front()) || !is_lower_alnum(label.back())) return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return is_lower_alnum(c) || c == '-'; })) return false;
    if (dot == part.size()) return true;
    part.remove_prefix(dot + 1);
  }
  return false;  // ended with a dot
}

bool is_extended(std::string_view name) {
  constexpr std::string_view kRequestsPrefix = "requests.";
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.starts_with(kRequestsPrefix)) return false;
  // Kubernetes must be able to write "requests.<name>" into a quota, so the domain has that much less room.
  if (slash + kRequestsPrefix.size() > kMaxDomainBytes) return false;
  return is_domain_part(name.substr(0, slash)) && is_name_part(name.substr(slash + 1));
}

Result<model::ResourceId> dimension(std::string_view name, const text::Quantity& quantity,
                                    model::ResourceSchema& schema) {
  if (quantity.is_negative()) {
    return invalid(std::string(name) + ": " + quantity.to_string() + " is negative; write 0 or more");
  }
  const model::ResourceId id = schema.intern(name);
  if (!id.valid()) {
    return invalid(std::string(name) + ": there are more than " + std::to_string(model::kMaxResources) +
                   " distinct resource names; remove some");
  }
  return id;
}

// The name under which a quota's line is compared with requests; "" if it cannot be.
std::string_view quota_name(std::string_view name) {
  constexpr std::string_view kRequestsPrefix = "requests.";
  if (name == "count/pods") return "pods";
  if (name.starts_with(kRequestsPrefix)) name.remove_prefix(kRequestsPrefix.size());
  return counts_as_resource(name) ? name : std::string_view();
}

}  // namespace

bool counts_as_resource(std::string_view name) {
  if (name == "cpu" || name == "memory" || name == "pods" || name == "ephemeral-storage") return true;
  if (name.starts_with("count/")) return false;
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  return name.find("kubernetes.io/") != std::string_view::npos || is_extended(name);
}

model::Amount amount_of(std::string_view name, const text::Quantity& quantity) {
  return std::clamp(model::is_whole(name) ? quantity.value() : quantity.milli_value(), -kMaxAmount, kMaxAmount);
}

std::string cut_amount(const api::ResourceList& list) {
  for (const auto& [name, quantity] : list) {
    if (!counts_as_resource(name) || amount_of(name, quantity) < kMaxAmount) continue;
    return name + ": " + quantity.to_string() + " counts as " + amount_words(name, kMaxNodeAmount);
  }
  return "";
}

Result<model::ResourceVec> to_vec(const api::ResourceList& list, model::ResourceSchema& schema) {
  model::ResourceVec vec;
  for (const auto& [name, quantity] : list) {
    if (!counts_as_resource(name)) continue;
    const auto id = dimension(name, quantity, schema);
    if (!id) return std::unexpected(id.error());
    vec.at(*id) = amount_of(name, quantity);
  }
  return vec;
}

Result<model::Demand> to_demand(const api::ResourceList& list, model::ResourceSchema& schema) {
  const auto vec = to_vec(list, schema);
  if (!vec) return std::unexpected(vec.error());
  return model::to_demand(*vec);
}

Result<model::Quota> to_quota(const api::ResourceList& list, model::ResourceSchema& schema) {
  model::Quota quota;
  for (const auto& [name, quantity] : list) {
    if (!counts_as_resource(name)) continue;
    const auto id = dimension(name, quantity, schema);
    if (!id) return std::unexpected(id.error());
    quota.set(*id, amount_of(name, quantity));
  }
  return quota;
}

Result<QuotaUse> to_quota_use(const api::ResourceList& hard, const api::ResourceList& used,
                              model::ResourceSchema& schema) {
  QuotaUse out;
  for (const auto& [written, quantity] : hard) {
    const std::string_view name = quota_name(written);
    if (name.empty()) continue;
    const auto id = dimension(name, quantity, schema);
    if (!id) return std::unexpected(id.error());
    const auto use = used.find(written);
    const model::Amount limit = amount_of(name, quantity);
    const model::Amount taken = use == used.end() ? 0 : amount_of(name, use->second);
    if (out.hard.has(*id) && out.hard[*id] - out.used[*id] <= limit - taken) continue;
    out.hard.set(*id, limit);
    out.used.set(*id, taken);
  }
  return out;
}

}  // namespace basalt::state
