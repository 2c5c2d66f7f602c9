// Field selectors: the second half of selector_text.h.
#include <algorithm>
#include <optional>

#include "kube/api/selector_text.h"

namespace basalt::api {
namespace {

// The terms between commas that no backslash protects.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t start = 0;
  bool escaped = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (escaped) {
      escaped = false;
    } else if (text[i] == '\\') {
      escaped = true;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

Result<std::string> unescaped(std::string_view value) {
  std::string plain;
  bool escaped = false;
  for (const char c : value) {
    const bool special = c == '\\' || c == ',' || c == '=';
    if (escaped) {
      if (!special) return invalid(std::string("invalid field selector: invalid escape sequence: \\") + c);
      plain += c;
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else if (special) {
      return invalid(std::string("invalid field selector: unescaped character in value: ") + c);
    } else {
      plain += c;
    }
  }
  if (escaped) return invalid("invalid field selector: invalid escape sequence: \\");
  return plain;
}

// The value of `field` as text; `scratch` holds it when it is a number or boolean.
std::string_view field_text(const text::Value& object, std::string_view field, std::string& scratch) {
  const text::Value* value = &object;
  while (!field.empty() && value != nullptr) {
    const size_t dot = std::min(field.find('.'), field.size());
    value = text::find_member(*value, field.substr(0, dot));
    field.remove_prefix(std::min(dot + 1, field.size()));
  }
  if (value == nullptr || value->is_null() || value->is_structured()) return {};
  if (value->is_string()) return {value->get_string().data(), value->get_string().size()};
  scratch = text::to_json(*value);
  return scratch;
}

}  // namespace

Result<FieldQuery> FieldQuery::parse(std::string_view text) {
  FieldQuery query;
  if (text.size() > kMaxSelectorBytes) return invalid("the field selector is too long");
  for (const std::string_view part : split_terms(text)) {
    if (part.empty()) continue;
    const size_t at = std::min(part.find('='), part.find("!="));
    if (at == std::string_view::npos) {
      return invalid("invalid selector: '" + std::string(text) + "'; can't understand '" + std::string(part) + "'");
    }
    const bool equal = part[at] == '=';
    const size_t size = !equal || part.substr(at).starts_with("==") ? 2 : 1;
    auto value = unescaped(part.substr(at + size));
    if (!value) return std::unexpected(value.error());
    if (query.terms_.size() == kMaxSelectorTerms) return invalid("the field selector has too many terms");
    const std::string field(part.substr(0, at));
    query.terms_.push_back({.field = field, .equal = equal, .value = std::move(*value), .path = field});
  }
  return query;
}

bool FieldQuery::matches(const text::Value& object) const {
  std::string scratch;
  return std::ranges::all_of(terms_, [&](const FieldTerm& term) {
    std::string_view found = field_text(object, term.path, scratch);
    if (found.empty() && !term.other_path.empty()) found = field_text(object, term.other_path, scratch);
    return ((found.empty() ? term.zero : found) == term.value) == term.equal;
  });
}

void FieldQuery::read_as(std::string_view field, std::string_view path, std::string_view other_path,
                         std::string_view zero) {
  for (FieldTerm& term : terms_) {
    if (term.field != field) continue;
    term.path = path;
    term.other_path = other_path;
    term.zero = zero;
  }
}

const std::string* FieldQuery::required_value(std::string_view field) const {
  const auto term = std::ranges::find_if(terms_, [&](const FieldTerm& t) { return t.equal && t.field == field; });
  return term == terms_.end() ? nullptr : &term->value;
}

}  // namespace basalt::api
