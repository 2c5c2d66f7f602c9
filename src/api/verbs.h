// What kinds of verbs there are.
#pragma once

#include "api/call.h"

namespace basalt::api {

// Whether it changes anything on the server.
[[nodiscard]] constexpr bool is_write(Verb verb) {
  return verb != Verb::Get && verb != Verb::List && verb != Verb::Watch;
}

}  // namespace basalt::api
