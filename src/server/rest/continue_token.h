// Where a paged list goes on: opaque text for clients, base64 of "<revision>/<last key>".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "server/store/record.h"

namespace basalt::server {

struct ContinueToken {
  store::Revision revision = 0;
  std::string after;

  [[nodiscard]] static Result<ContinueToken> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
};

}  // namespace basalt::server
