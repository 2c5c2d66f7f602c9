// Amounts of queues (declared in queue_admission.h).
#include <fmt/format.h>

#include <limits>

#include "kube/api/rules/resource_checks.h"
#include "server/admission/queue_admission.h"

namespace basalt::admission {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

int64_t sum(int64_t left, int64_t right) {
  int64_t total = 0;
  return __builtin_add_overflow(left, right, &total) ? kMost : total;
}

bool is_scheduled_by(std::string_view resource) {
  if (resource.starts_with("count/")) return false;
  return resource == "ephemeral-storage" || api::rules::is_huge_pages(resource) ||
         api::rules::is_extended_resource(resource) || resource.find("kubernetes.io/") != std::string_view::npos ||
         resource.starts_with("attachable-volumes-");
}

}  // namespace

QueueAmounts::QueueAmounts(const text::Object& list) {
  for (const auto& member : list) {
    const std::string_view resource = member.key();
    const text::Quantity amount = api::rules::amount_of(member.value());
    if (resource == "cpu") {
      cpu_ = amount.milli_value();
    } else if (resource == "memory") {
      memory_ = amount.value();
    } else if (resource == "pods") {
      others_.emplace(resource, amount.value());
    } else if (is_scheduled_by(resource)) {
      others_.emplace(resource, amount.milli_value());
    }
  }
}

void QueueAmounts::add(const QueueAmounts& other) {
  cpu_ = sum(cpu_, other.cpu_);
  memory_ = sum(memory_, other.memory_);
  for (const auto& [resource, amount] : other.others_) {
    int64_t& own = others_[resource];
    own = sum(own, amount);
  }
}

int64_t QueueAmounts::of(std::string_view resource) const {
  if (resource == "cpu") return cpu_;
  if (resource == "memory") return memory_;
  const auto found = others_.find(resource);
  return found == others_.end() ? 0 : found->second;
}

std::vector<std::string_view> QueueAmounts::names() const {
  std::vector<std::string_view> names;
  if (cpu_ > 0) names.emplace_back("cpu");
  if (memory_ > 0) names.emplace_back("memory");
  for (const auto& [resource, amount] : others_) {
    if (amount > 0) names.emplace_back(resource);
  }
  return names;
}

bool QueueAmounts::exceeded_by(const QueueAmounts& other) const {
  if (other.cpu_ > cpu_ || other.memory_ > memory_) return true;
  for (const auto& [resource, amount] : other.others_) {
    if (amount > of(resource)) return true;
  }
  return false;
}

std::string QueueAmounts::text() const {
  std::string text = fmt::format("cpu {}.00, memory {}.00", cpu_, memory_);
  for (const auto& [resource, amount] : others_) text += fmt::format(", {} {}.00", resource, amount);
  return text;
}

std::string amount_text(std::string_view resource, int64_t amount) {
  if (resource == "cpu") return text::Quantity::from_milli(amount).to_string();
  if (resource == "memory") return text::Quantity::from_units(amount, text::QuantityFormat::BinarySI).to_string();
  return fmt::format("{}.00", amount);
}

QueueAmounts capability_of(const text::Object& queue) {
  return QueueAmounts(part_of(part_of(queue, "spec"), "capability"));
}
QueueAmounts deserved_of(const text::Object& queue) {
  return QueueAmounts(part_of(part_of(queue, "spec"), "deserved"));
}
QueueAmounts guarantee_of(const text::Object& queue) {
  return QueueAmounts(part_of(part_of(part_of(queue, "spec"), "guarantee"), "resource"));
}

}  // namespace basalt::admission
