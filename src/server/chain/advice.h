// Warnings to whoever makes an object that will not do what it says: those of server/admission/advice.h, and kinds that
// are stored and that nobody runs.
#pragma once

#include <string>
#include <vector>

#include "server/chain/admission.h"

namespace basalt::server::admission {

// About an object that was admitted. Cost: O(object), and a read for each name in it.
[[nodiscard]] std::vector<std::string> advise_on_create(const api::Resource& resource, const text::Object& object,
                                                        const Surroundings& around);

}  // namespace basalt::server::admission
