// The small checks that rules are made of. Each looks at one value and adds to `causes` what is wrong with it.
//
// `at` is the place of the object that holds the member, unless the name says otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kube/api/api_error.h"
#include "kube/api/name_validation.h"
#include "kube/api/rules/field_path.h"
#include "kube/api/rules/member_access.h"
#include "kube/text/json.h"

namespace basalt::api::rules {

inline constexpr std::string_view kImmutable = "field is immutable";

// One cause for each complaint about `value`.
void refuse(const ValidationMessages& complaints, std::string_view value, const FieldPath& where, Causes& causes);

template <size_t N>
[[nodiscard]] bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

[[nodiscard]] inline text::Value text_value(std::string_view text) { return text::Value(text); }
// The member for a message; null when it is not there.
[[nodiscard]] text::Value shown_member(const text::Object& object, std::string_view name);

void check_not_negative(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes);
void check_range(const text::Object& object, std::string_view name, int64_t low, int64_t high, const FieldPath& at,
                 Causes& causes);

enum class Need : uint8_t { Optional, Required };
// A string member that must be one of a few words.
void check_word(const text::Object& object, std::string_view name, std::initializer_list<std::string_view> allowed,
                Need need, const FieldPath& at, Causes& causes);
// A string member that must be given.
void check_given(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes);
// A string member that, when given, must be a good name.
void check_name(const text::Object& object, std::string_view name, ValidationMessages (*rule)(std::string_view),
                Need need, const FieldPath& at, Causes& causes);

// A metav1.LabelSelector at `where`.
void check_label_selector(const text::Object& selector, const FieldPath& where, Causes& causes);
// Does a LabelSelector (valid) choose `labels` (null: none)? An empty one chooses everything.
[[nodiscard]] bool selector_matches(const text::Object& selector, const text::Object* labels);

[[nodiscard]] bool is_ipv4(std::string_view text);
[[nodiscard]] bool is_ipv6(std::string_view text);
void check_ip(std::string_view text, const FieldPath& where, Causes& causes);
// "10.9.8.0/24" or "2001:db8::/64".
void check_network(std::string_view text, const FieldPath& where, Causes& causes);
// A number 1-65535, or the name of a port.
void check_port_or_name(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes);
// A number or "25%"; neither negative.
void check_count_or_percent(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes);

// The member may not differ from what it was.
void check_immutable(const text::Object& next, const text::Object& old, std::string_view name, const FieldPath& at,
                     Causes& causes);

}  // namespace basalt::api::rules
