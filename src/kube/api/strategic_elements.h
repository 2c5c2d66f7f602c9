// What the elements of lists are, as a strategic merge patch asks: lists merge only when all elements are of one sort.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "kube/api/api_error.h"
#include "kube/text/json.h"

namespace basalt::api {

enum class MergeElementType : uint8_t { Null, Bool, Int, Double, Text, List, Struct };

[[nodiscard]] MergeElementType merge_element_type(const text::Value& value);

// All elements of both lists must be of one sort, and no lists. An error too when there are none.
[[nodiscard]] ApiResult<MergeElementType> common_element_type(const text::Array& first, const text::Array& second);

// Kubernetes gives these errors no code of their own: its answer is 500, without a reason.
[[nodiscard]] std::unexpected<ApiError> unmergeable(std::string message);

}  // namespace basalt::api
