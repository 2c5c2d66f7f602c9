#include "control/scheduler/state/amount_words.h"

#include <fmt/format.h>

#include <array>

#include "control/scheduler/state/amount_conversion.h"

namespace basalt::state {
namespace {

using model::Amount;

constexpr double kMilli = 1000;

std::string bytes_words(double bytes) {
  constexpr std::array<std::string_view, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  constexpr double kStep = 1024;
  size_t unit = 0;
  for (; bytes >= kStep && unit + 1 < kUnits.size(); ++unit) bytes /= kStep;
  return fmt::format("{:.4g}{}", bytes, kUnits[unit]);
}

}  // namespace

std::string amount_words(std::string_view resource, Amount amount) {
  if (resource == "pods") return fmt::format("{}", amount);
  const bool is_memory = resource == "memory";
  if (is_memory || resource == "ephemeral-storage" || resource.starts_with("hugepages-")) {
    const std::string words = bytes_words(static_cast<double>(amount) / (is_memory ? 1 : kMilli));
    return amount == kMaxAmount ? words + " or more" : words;
  }
  if (amount % static_cast<Amount>(kMilli) == 0) return fmt::format("{}", amount / static_cast<Amount>(kMilli));
  return fmt::format("{:.4g}", static_cast<double>(amount) / kMilli);
}

}  // namespace basalt::state
