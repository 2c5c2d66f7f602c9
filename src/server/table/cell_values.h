// What the columns of all kinds are made of: reads that never fail, ages, selectors and lists as words.
//
// Objects come from the store, so they are well formed; still every read here answers its empty value when something is
// absent or has another shape, because a table must never be the reason why a list fails.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "kube/api/age_text.h"
#include "kube/text/json.h"

namespace basalt::server {

using FieldPath = std::initializer_list<std::string_view>;

// The value below `object`, or nullptr when absent or null.
[[nodiscard]] const text::Value* at(const text::Value& object, FieldPath path);
[[nodiscard]] std::string_view text_at(const text::Value& object, FieldPath path);  // "" when there is no string
// The text, or `otherwise` when it is absent or empty.
[[nodiscard]] std::string text_or(const text::Value& object, FieldPath path, std::string_view otherwise);
[[nodiscard]] int64_t int_at(const text::Value& object, FieldPath path);  // 0 when there is no whole number
[[nodiscard]] bool bool_at(const text::Value& object, FieldPath path, bool otherwise = false);
[[nodiscard]] const text::Array& list_at(const text::Value& object, FieldPath path);     // empty when there is no list
[[nodiscard]] const text::Object& object_at(const text::Value& object, FieldPath path);  // likewise
[[nodiscard]] Instant time_at(const text::Value& object, FieldPath path);                // kNever when there is no time

// A quantity in its canonical text; "0" when absent.
[[nodiscard]] std::string quantity_at(const text::Value& object, FieldPath path);

using api::age_since;
using api::age_text;
[[nodiscard]] std::string age_of(const text::Value& object, Instant now);  // by metadata.creationTimestamp

[[nodiscard]] std::string name_of(const text::Value& object);
[[nodiscard]] bool is_terminating(const text::Value& object);
// Whether the (first) condition of this type has status True.
[[nodiscard]] bool condition_true(const text::Value& object, std::string_view type);

[[nodiscard]] std::string join(const std::vector<std::string>& words, std::string_view between);
// {"a":"1","b":"2"} as "a=1,b=2", sorted; "" when empty.
[[nodiscard]] std::string labels_text(const text::Object& labels);
// A LabelSelector as "a=1,b in (x,y),!c", sorted by key; "" when it is absent or selects all.
[[nodiscard]] std::string selector_text(const text::Value* selector);
// `text`, or "<none>" when it is empty.
[[nodiscard]] std::string or_none(std::string text);
// One field of every element of a list, joined by commas: names or images of containers.
[[nodiscard]] std::string each_text(const text::Array& list, std::string_view field);

}  // namespace basalt::server
