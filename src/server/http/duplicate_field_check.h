// Keys that a body gives twice: fieldValidation says whether that is refused, warned about or ignored.
//
// Reading has kept the last value of each. (A YAML document with such a key is refused by its parser, whatever the
// client asked for.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/api/call.h"

namespace basalt::server {

// The warnings for the answer, or the refusal: 400 for an object, 422 for a patch. `call` has been read from `body`, of
// this content type. Cost: one pass over the body; nothing where fields are not validated.
[[nodiscard]] api::ApiResult<std::vector<std::string>> check_duplicates(std::string_view body,
                                                                        std::string_view content_type,
                                                                        const api::Call& call);

}  // namespace basalt::server
