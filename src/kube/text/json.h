// JSON values, read within limits and printed the same way every time.
//
// Value is Boost.JSON's value: null, bool, int64, uint64 (only above int64's range), double, string, array, object.
// Whole numbers and numbers with a fraction stay apart (5 is an int64, 5.0 a double), as configurations need it.
// Objects keep the order in which their keys were read. A key given twice keeps the last value, as Kubernetes does.
//
// Reading accepts strict JSON in valid UTF-8. Printing is a pure function of the value: keys in their order, the
// shortest text for a double that reads back as the same double, null for a double that is not finite.
// This header and its source are the only includers of the JSON library; everyone else says text::Value.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace basalt::text {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;
using ObjectPtr = std::shared_ptr<const Value>;  // an object that several hold and nobody changes

inline constexpr size_t kMaxJsonBytes = size_t{256} * 1024 * 1024;
inline constexpr size_t kMaxJsonDepth = 200;

// One JSON value and nothing after it. An error names line and column. Cost: O(text).
[[nodiscard]] Result<Value> parse_json(std::string_view text);

// One line without blanks / two blanks of indentation per level. No line end after the value.
[[nodiscard]] std::string to_json(const Value& value);
[[nodiscard]] std::string to_pretty_json(const Value& value);
// to_json at the end of `out`; a string as a JSON string.
void append_json(std::string& out, const Value& value);
void append_json_string(std::string& out, std::string_view text);

// What stands here, for a message: `string "x"`, `number 5`, `boolean true`, `a list`, `an object`, `null`.
[[nodiscard]] std::string describe(const Value& value);

// The shortest text that reads back as `number`; always with a '.' or an exponent, so that it stays a double.
[[nodiscard]] std::string double_text(double number);

// The member called `key`, or nullptr when `value` is no object or has no such member.
[[nodiscard]] const Value* find_member(const Value& value, std::string_view key);

}  // namespace basalt::text
