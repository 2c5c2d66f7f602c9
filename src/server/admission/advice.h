// Warnings to whoever makes an object that is well-formed and yet will not do what it says: kinds that nobody runs,
// pods that nobody will place, names of objects that do not exist.
//
// Kubernetes and Volcano take these in without a word, and so must we: the thing named may come later. But the answer
// says it at once (the header Warning, which kubectl shows).
#pragma once

#include <string>
#include <vector>

#include "server/admission/admission.h"

namespace basalt::server::admission {

inline constexpr size_t kMaxAdvice = 8;  // warnings about one object

// About an object that was admitted. Cost: O(object), and a read for each name in it.
[[nodiscard]] std::vector<std::string> advise_on_create(const api::Resource& resource, const text::Object& object,
                                                        const Surroundings& around);

}  // namespace basalt::server::admission
