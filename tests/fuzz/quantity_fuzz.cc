// Any text as a quantity: it parses or is refused, and what parses survives being printed and parsed again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/text/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using basalt::text::Quantity;
  const auto quantity = Quantity::parse({reinterpret_cast<const char*>(data), size});
  if (!quantity) return 0;
  const auto again = Quantity::parse(quantity->to_string());
  basalt::check(again.has_value(), "a printed quantity parses");
  basalt::check(*again == *quantity, "a printed quantity is the same amount");
  basalt::check(again->milli_value() == quantity->milli_value(), "and has the same thousandths");
  return 0;
}
