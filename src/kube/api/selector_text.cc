#include "kube/api/selector_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "kube/api/go_quote.h"
#include "kube/api/name_validation.h"
#include "kube/api/object_fields.h"

namespace basalt::api {
namespace {

std::string_view text_of(const text::Value& value) {
  if (!value.is_string()) return {};
  return {value.get_string().data(), value.get_string().size()};
}

enum class Token : uint8_t { End, Word, Comma, Open, Close, Not, Equals, DoubleEquals, NotEquals, Greater, Less };

struct Lexeme {
  Token token = Token::End;
  std::string_view text;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) { next(); }

  [[nodiscard]] const Lexeme& peek() const { return current_; }
  Lexeme take() {
    const Lexeme taken = current_;
    next();
    return taken;
  }

 private:
  static constexpr std::string_view kBlanks = " \t\r\n";
  static constexpr std::string_view kEndOfWord = " \t\r\n=!(),<>";

  void next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    if (rest_.empty()) {
      current_ = {};
      return;
    }
    const Token token = rest_.starts_with("==")   ? Token::DoubleEquals
                        : rest_.starts_with("!=") ? Token::NotEquals
                                                  : symbol(rest_[0]);
    const size_t word = std::min(rest_.find_first_of(kEndOfWord), rest_.size());
    const size_t size =
        token == Token::Word ? word : (token == Token::DoubleEquals || token == Token::NotEquals ? 2 : 1);
    current_ = {.token = token, .text = rest_.substr(0, size)};
    rest_.remove_prefix(size);
  }

  static Token symbol(char c) {
    switch (c) {
      case ',':
        return Token::Comma;
      case '(':
        return Token::Open;
      case ')':
        return Token::Close;
      case '!':
        return Token::Not;
      case '=':
        return Token::Equals;
      case '>':
        return Token::Greater;
      case '<':
        return Token::Less;
      default:
        return Token::Word;
    }
  }

  std::string_view rest_;
  Lexeme current_;
};

std::unexpected<Error> unexpected_text(const Lexeme& found, std::string_view expected) {
  return invalid("unable to parse requirement: found '" + std::string(found.text) +
                 "', expected: " + std::string(expected));
}

std::optional<LabelOperator> operator_of(const Lexeme& lexeme) {
  switch (lexeme.token) {
    case Token::Equals:
    case Token::DoubleEquals:
      return LabelOperator::Equals;
    case Token::NotEquals:
      return LabelOperator::NotEquals;
    case Token::Greater:
      return LabelOperator::GreaterThan;
    case Token::Less:
      return LabelOperator::LessThan;
    case Token::Word:
      if (lexeme.text == "in") return LabelOperator::In;
      if (lexeme.text == "notin") return LabelOperator::NotIn;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// "(a, b,)": an empty place between commas and parentheses is the empty value.
Result<std::vector<std::string>> parse_set(Lexer& lexer) {
  if (const Lexeme open = lexer.take(); open.token != Token::Open) return unexpected_text(open, "'('");
  std::vector<std::string> values;
  bool value_due = true;
  while (true) {
    const Lexeme lexeme = lexer.take();
    if (lexeme.token == Token::Word && value_due) {
      values.emplace_back(lexeme.text);
      value_due = false;
    } else if (lexeme.token == Token::Comma || lexeme.token == Token::Close) {
      if (value_due) values.emplace_back();
      value_due = true;
      if (lexeme.token == Token::Close) return values;
    } else {
      return unexpected_text(lexeme, "',' or ')'");
    }
  }
}

std::optional<int64_t> whole_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

Result<void> check_term(const LabelTerm& term) {
  if (const ValidationMessages wrong = qualified_name(term.key); !wrong.empty()) {
    return invalid("unable to parse requirement: key: Invalid value: " + go_quote(term.key) + ": " + wrong.front());
  }
  const bool ordered = term.op == LabelOperator::GreaterThan || term.op == LabelOperator::LessThan;
  for (const std::string& value : term.values) {
    if (ordered && !whole_number(value)) {
      return invalid("unable to parse requirement: values[0]: Invalid value: " + go_quote(value) +
                     ": for 'Gt', 'Lt' operators, the value must be an integer");
    }
    if (const ValidationMessages wrong = label_value(value); !wrong.empty()) {
      return invalid("unable to parse requirement: values[0][" + term.key + "]: Invalid value: " + go_quote(value) +
                     ": " + wrong.front());
    }
  }
  return {};
}

Result<LabelTerm> parse_term(Lexer& lexer) {
  LabelTerm term;
  const bool negated = lexer.peek().token == Token::Not;
  if (negated) (void)lexer.take();
  const Lexeme key = lexer.take();
  if (key.token != Token::Word) return unexpected_text(key, "identifier");
  term.key = key.text;
  const Token after = lexer.peek().token;
  if (negated || after == Token::End || after == Token::Comma) {
    term.op = negated ? LabelOperator::DoesNotExist : LabelOperator::Exists;
  } else {
    const Lexeme lexeme = lexer.take();
    const auto op = operator_of(lexeme);
    if (!op) return unexpected_text(lexeme, "in, notin, =, ==, !=, gt, lt");
    term.op = *op;
    if (term.op == LabelOperator::In || term.op == LabelOperator::NotIn) {
      auto values = parse_set(lexer);
      if (!values) return std::unexpected(values.error());
      term.values = std::move(*values);
      std::ranges::sort(term.values);
      term.values.erase(std::ranges::unique(term.values).begin(), term.values.end());
    } else if (lexer.peek().token == Token::End || lexer.peek().token == Token::Comma) {
      term.values.emplace_back();
    } else {
      const Lexeme value = lexer.take();
      if (value.token != Token::Word) return unexpected_text(value, "identifier");
      term.values.emplace_back(value.text);
    }
  }
  if (Result<void> fine = check_term(term); !fine) return std::unexpected(fine.error());
  return term;
}

bool has_value(const LabelTerm& term, std::string_view value) { return std::ranges::binary_search(term.values, value); }

bool holds(const LabelTerm& term, const std::optional<std::string_view>& found) {
  const std::string_view value = found.value_or(std::string_view{});
  switch (term.op) {
    case LabelOperator::Equals:
    case LabelOperator::In:
      return found && has_value(term, value);
    case LabelOperator::NotEquals:
    case LabelOperator::NotIn:
      return !found || !has_value(term, value);
    case LabelOperator::Exists:
      return found.has_value();
    case LabelOperator::DoesNotExist:
      return !found;
    case LabelOperator::GreaterThan:
    case LabelOperator::LessThan: {
      const auto have = found ? whole_number(value) : std::nullopt;
      const auto bound = whole_number(term.values.front());
      if (!have || !bound) return false;
      return term.op == LabelOperator::GreaterThan ? *have > *bound : *have < *bound;
    }
  }
  return false;
}

LabelTerm read_expression(const text::Value& expression, const std::string& path, Causes& causes) {
  LabelTerm term;
  if (!expression.is_object()) {
    causes.invalid(path, expression, "must be an object");
    return term;
  }
  const text::Object& object = expression.get_object();
  term.key = string_at(object, "key");
  if (const text::Array* values = array_at(object, {"values"})) {
    for (const text::Value& value : *values) term.values.emplace_back(text_of(value));
  }
  const std::string_view op = string_at(object, "operator");
  if (op == "In" || op == "NotIn") {
    term.op = op == "In" ? LabelOperator::In : LabelOperator::NotIn;
    if (term.values.empty()) causes.required(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    term.op = op == "Exists" ? LabelOperator::Exists : LabelOperator::DoesNotExist;
    if (!term.values.empty()) {
      causes.forbidden(path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    causes.invalid(path + ".operator", text::Value(op), "not a valid selector operator");
  }
  for (const std::string& why : qualified_name(term.key)) causes.invalid(path + ".key", text::Value(term.key), why);
  for (size_t i = 0; i < term.values.size(); ++i) {
    for (const std::string& why : label_value(term.values[i])) {
      causes.invalid(path + ".values[" + std::to_string(i) + "]", text::Value(term.values[i]), why);
    }
  }
  std::ranges::sort(term.values);
  term.values.erase(std::ranges::unique(term.values).begin(), term.values.end());
  return term;
}

}  // namespace

Result<LabelQuery> LabelQuery::parse(std::string_view text) {
  LabelQuery query;
  if (text.empty()) return query;
  if (text.size() > kMaxSelectorBytes) return invalid("the label selector is too long");
  Lexer lexer(text);
  while (lexer.peek().token != Token::End) {
    if (lexer.peek().token != Token::Word && lexer.peek().token != Token::Not) {
      return unexpected_text(lexer.peek(),
                             query.terms_.empty() ? "!, identifier, or 'end of string'" : "identifier after ','");
    }
    auto term = parse_term(lexer);
    if (!term) return std::unexpected(term.error());
    if (query.terms_.size() == kMaxSelectorTerms) return invalid("the label selector has too many terms");
    query.terms_.push_back(std::move(*term));
    const Lexeme after = lexer.take();
    if (after.token == Token::End) break;
    if (after.token != Token::Comma) return unexpected_text(after, "',' or 'end of string'");
    if (lexer.peek().token == Token::End) return unexpected_text(lexer.peek(), "identifier after ','");
  }
  std::ranges::sort(query.terms_, {}, &LabelTerm::key);
  return query;
}

LabelQuery LabelQuery::from_selector(const text::Value& selector, const std::string& path, Causes& causes) {
  LabelQuery query;
  if (!selector.is_object()) {
    causes.invalid(path, selector, "must be an object with matchLabels and matchExpressions");
    return nothing();
  }
  const size_t before = causes.list().size();
  const text::Object& object = selector.get_object();
  if (const text::Object* labels = object_at(object, {"matchLabels"})) {
    validate_labels(*labels, path + ".matchLabels", causes);
    for (const auto& label : *labels) {
      query.terms_.push_back({.key = std::string(std::string_view(label.key())),
                              .op = LabelOperator::Equals,
                              .values = {std::string(text_of(label.value()))}});
    }
  }
  if (const text::Array* expressions = array_at(object, {"matchExpressions"})) {
    for (size_t i = 0; i < expressions->size(); ++i) {
      const std::string place = path + ".matchExpressions[" + std::to_string(i) + "]";
      query.terms_.push_back(read_expression((*expressions)[i], place, causes));
    }
  }
  if (causes.list().size() != before) return nothing();
  std::ranges::sort(query.terms_, {}, &LabelTerm::key);
  return query;
}

LabelQuery LabelQuery::nothing() {
  LabelQuery query;
  query.nothing_ = true;
  return query;
}

bool LabelQuery::matches(const text::Value& object) const {
  const text::Value* metadata = text::find_member(object, "metadata");
  return matches_labels(metadata == nullptr ? nullptr : text::find_member(*metadata, "labels"));
}

bool LabelQuery::matches_labels(const text::Value* labels) const {
  if (nothing_) return false;
  const text::Object* map = labels != nullptr && labels->is_object() ? &labels->get_object() : nullptr;
  return std::ranges::all_of(terms_, [&](const LabelTerm& term) {
    const text::Value* found = map == nullptr ? nullptr : map->if_contains(term.key);
    return holds(term, found == nullptr ? std::nullopt : std::optional(text_of(*found)));
  });
}

bool LabelQuery::matches_found(const FindLabel& find) const {
  return !nothing_ && std::ranges::all_of(terms_, [&](const LabelTerm& term) { return holds(term, find(term.key)); });
}

}  // namespace basalt::api
