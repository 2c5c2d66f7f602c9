// Warnings to whoever makes an object that will not do what it says: those of server/admission/create_warnings.h, and
// kinds that are stored and that nobody runs.
#pragma once

#include <string>
#include <vector>

#include "server/chain/admission_chain.h"

namespace basalt::server::chain {

// About an object that was admitted. Cost: O(object), and a read for each name in it.
[[nodiscard]] std::vector<std::string> warnings_on_create(const api::ApiResource& resource, const text::Object& object,
                                                          const AdmissionContext& admission_context);

}  // namespace basalt::server::chain
