// $(NAME) in environment values, commands and arguments.
//
// "$(NAME)" becomes the variable's value, or stays as it is when there is no such variable; "$$" becomes "$", so
// "$$(NAME)" is the text "$(NAME)". Any other '$' stays. Values that were put in are not looked at again.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace basalt::node {

using Variables = std::map<std::string, std::string, std::less<>>;

// Linux takes no longer string in a program's environment or arguments. The bound also ends expansions that double
// their length with every variable.
inline constexpr size_t kMaxExpandedBytes = size_t{128} * 1024 - 1;

// The value of a variable; nullptr: there is none.
using FindVariable = std::function<const std::string*(std::string_view name)>;

// An error: the result would be longer than kMaxExpandedBytes. Cost: O(text + result).
[[nodiscard]] Result<std::string> expand(std::string_view text, const FindVariable& find);
[[nodiscard]] Result<std::string> expand(std::string_view text, const Variables& variables);

}  // namespace basalt::node
