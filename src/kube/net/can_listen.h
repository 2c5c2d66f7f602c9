// Whether somebody could listen there now: asked before much is started that a taken port would stop again.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace basalt::net {

// An error says why not, with address and port. Port 0 is always free.
[[nodiscard]] Result<void> can_listen(const std::string& address, uint16_t port);

}  // namespace basalt::net
