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

Sort sort_of(const text::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return Sort::Null;
    case boost::json::kind::bool_:
      return Sort::Bool;
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return Sort::Int;
    case boost::json::kind::double_:
      return Sort::Double;
    case boost::json::kind::string:
      return Sort::Text;
    case boost::json::kind::array:
      return Sort::List;
    case boost::json::kind::object:
      return Sort::Struct;
  }
  return Sort::Null;
}

ApiResult<Sort> element_sort(const text::Array& first, const text::Array& second) {
  std::optional<Sort> all;
  for (const text::Array* list : {&first, &second}) {
    for (const text::Value& element : *list) {
      const Sort sort = sort_of(element);
      if (sort == Sort::List && !all) return lists_of_lists();
      if (sort == Sort::Null || (all && *all != sort)) return unmergeable("list element types are not identical");
      all = sort;
    }
  }
  if (!all) return unmergeable("no elements in any of the given slices");
  return *all;
}

}  // namespace basalt::api
