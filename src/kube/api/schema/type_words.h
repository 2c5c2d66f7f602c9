// The words of the type language that say more about a field or a type; see type_language.h for what they mean.
#pragma once

#include <string_view>
#include <utility>

#include "base/result.h"
#include "kube/api/schema/schema.h"

namespace basalt::api {

// "default=3" → {"default", "3"}; "omit" → {"omit", ""}.
[[nodiscard]] std::pair<std::string_view, std::string_view> split_word(std::string_view word);

// The text of a quoted word; an error when it is none.
[[nodiscard]] Result<std::string> quoted_text(std::string_view word);

// Applies one word to a field. False: it is a word about the type. Requires: not a quoted word.
[[nodiscard]] Result<bool> apply_field_word(std::string_view word, SchemaField& field);

// Applies one word to a type. Unknown words and words that do not fit the shape are errors.
[[nodiscard]] Result<void> apply_type_word(std::string_view word, Schema& type);

// What `target` takes from `source`, all but the name: a type of its own that starts as a copy.
void copy_type(const Schema& source, Schema& target);

}  // namespace basalt::api
