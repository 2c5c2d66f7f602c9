#include "control/scheduler/state/amount_words.h"

#include <fmt/format.h>

#include <array>

#include "control/scheduler/state/amount_conversion.h"
#include "engine/model/resource_units.h"

namespace basalt::state {
namespace {

using model::Amount;

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
  const std::string_view more = amount == kMaxAmount ? " or more" : "";
  if (model::is_in_bytes(resource)) return bytes_words(static_cast<double>(amount)).append(more);
  if (amount % model::kMilliPerUnit == 0 || amount >= kMaxNodeAmount) {
    return fmt::format("{}{}", amount / model::kMilliPerUnit, more);
  }
  return fmt::format("{:.4g}", static_cast<double>(amount) / static_cast<double>(model::kMilliPerUnit));
}

}  // namespace basalt::state
