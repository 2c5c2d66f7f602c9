#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace basalt {

void check_failed(std::string_view why, const std::source_location& where) {
  std::fprintf(stderr, "basalt: invariant broken: %.*s\n  at %s:%u in %s\n", static_cast<int>(why.size()), why.data(),
               where.file_name(), where.line(), where.function_name());
  std::abort();
}

}  // namespace basalt
