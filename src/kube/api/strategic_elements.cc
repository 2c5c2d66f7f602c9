#include "kube/api/strategic_elements.h"

#include <optional>
#include <utility>

namespace basalt::api {
namespace {

std::unexpected<ApiError> lists_of_lists() {
  return std::unexpected(
      ApiError{.code = 422, .reason = "Invalid", .message = "lists of lists are not supported", .subject = {}});
}

}  // namespace

std::unexpected<ApiError> unmergeable(std::string message) {
  return std::unexpected(ApiError{.code = 500, .reason = "", .message = std::move(message), .subject = {}});
}

MergeElementType merge_element_type(const text::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return MergeElementType::Null;
    case boost::json::kind::bool_:
      return MergeElementType::Bool;
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return MergeElementType::Int;
    case boost::json::kind::double_:
      return MergeElementType::Double;
    case boost::json::kind::string:
      return MergeElementType::Text;
    case boost::json::kind::array:
      return MergeElementType::List;
    case boost::json::kind::object:
      return MergeElementType::Struct;
  }
  return MergeElementType::Null;
}

ApiResult<MergeElementType> common_element_type(const text::Array& first, const text::Array& second) {
  std::optional<MergeElementType> all;
  for (const text::Array* list : {&first, &second}) {
    for (const text::Value& element : *list) {
      const MergeElementType sort = merge_element_type(element);
      if (sort == MergeElementType::List && !all) return lists_of_lists();
      if (sort == MergeElementType::Null || (all && *all != sort))
        return unmergeable("list element types are not identical");
      all = sort;
    }
  }
  if (!all) return unmergeable("no elements in any of the given slices");
  return *all;
}

}  // namespace basalt::api
