#include "control/volcano/pod_group_parts.h"

#include <string>
#include <string_view>

#include "kube/api/quota_usage.h"
#include "kube/api/rules/resource_checks.h"

namespace basalt::volcano {
namespace {

constexpr std::string_view kRequestsPrefix = "requests.";

api::ResourceList usage_of_one(const text::Object& pod_spec) {
  api::ResourceList usage = api::usage_of_pod(api::PodSpecView(pod_spec));
  usage["count/pods"] = text::Quantity::from_units(1);
  api::ResourceList bare;
  for (const auto& [name, amount] : usage) {
    if (!name.starts_with(kRequestsPrefix) || api::rules::is_native_resource(name)) continue;
    bare[name.substr(kRequestsPrefix.size())] = amount;
  }
  bare.merge(usage);
  return bare;
}

}  // namespace

text::Quantity times(text::Quantity amount, int64_t count) {
  text::Quantity total = text::Quantity::from_units(0, amount.format());
  for (; count > 0; count /= 2) {  // by doubling
    if (count % 2 == 1) total += amount;
    amount += amount;
  }
  return total;
}

void add_pods(api::ResourceList& total, const text::Object& pod_spec, int64_t count) {
  if (count <= 0) return;
  for (const auto& [name, amount] : usage_of_one(pod_spec)) {
    const auto [entry, is_new] = total.try_emplace(name, times(amount, count));
    if (!is_new) entry->second += times(amount, count);
  }
}

bool same_amount(const text::Value& left, const text::Value& right) {
  return api::rules::amount_of(left) == api::rules::amount_of(right);
}

}  // namespace basalt::volcano
