#include "kube/text/json_path.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "kube/text/document_path.h"
#include "kube/text/scalar.h"

namespace basalt::text {

// Reads a path from left to right; every function leaves the cursor behind what it read.
class JsonPathReader {
 public:
  explicit JsonPathReader(std::string_view text) : text_(text) {}

  Result<JsonPath> read() {
    if (text_.size() > kMaxJsonPathBytes) return invalid("the path is too long");
    if (rest_starts("{") && text_.ends_with('}')) {
      text_.remove_suffix(1);
      ++at_;
    }
    accept('$');
    start_ = at_;
    JsonPath path;
    while (at_ < text_.size()) {
      if (path.steps_.size() == kMaxJsonPathSteps) return error("too many steps");
      auto step = read_step();
      if (!step) return std::unexpected(step.error());
      // ".": the root itself, alone or before a bracket.
      if (*step) path.steps_.push_back(std::move(**step));
    }
    return path;
  }

 private:
  using Step = JsonPath::Step;

  [[nodiscard]] std::unexpected<Error> error(std::string_view what) const {
    return invalid("JSONPath " + in_quotes(text_) + ": " + std::string(what) + " at byte " + std::to_string(at_));
  }
  [[nodiscard]] bool rest_starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  bool accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  Result<std::optional<Step>> read_step() {
    if (accept('[')) return read_bracket();
    if (!accept('.') && !(at_ == start_ && name_starts())) return error("expected '.' or '['");
    if (accept('.')) return error("'..' is not supported");
    if (at_ == text_.size() || text_[at_] == '[') return std::optional<Step>();
    if (accept('*')) return std::optional<Step>(JsonPath::Each{});
    std::string name = read_name();
    if (name.empty()) return error("expected a name");
    return std::optional<Step>(JsonPath::Member{std::move(name)});
  }

  [[nodiscard]] bool name_starts() const {
    return at_ < text_.size() && std::string_view("[]().{}?@'\"$*, ").find(text_[at_]) == std::string_view::npos;
  }

  // A backslash takes the next character as it is: ".metadata.labels.app\.kubernetes\.io/name".
  std::string read_name() {
    std::string name;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        name += text_[at_ + 1];
        at_ += 2;
      } else if (std::string_view("[]().{}?@'\"$*,=!<>& ").find(text_[at_]) == std::string_view::npos) {
        name += text_[at_++];
      } else {
        break;
      }
    }
    return name;
  }

  Result<std::string> read_quoted() {
    const char quote = text_[at_++];
    std::string out;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out += text_[at_++];
    }
    if (!accept(quote)) return error("the quotes are not closed");
    return out;
  }

  [[nodiscard]] bool at_quote() const { return rest_starts("'") || rest_starts("\""); }

  Result<std::optional<Step>> read_bracket() {
    std::optional<Step> step;
    skip_blanks();
    if (accept('*')) {
      step = JsonPath::Each{};
    } else if (at_quote()) {
      auto name = read_quoted();
      if (!name) return std::unexpected(name.error());
      step = JsonPath::Member{std::move(*name)};
    } else if (accept('?')) {
      auto filter = read_filter();
      if (!filter) return std::unexpected(filter.error());
      step = std::move(*filter);
    } else {
      auto place = read_place();
      if (!place) return std::unexpected(place.error());
      step = std::move(*place);
    }
    skip_blanks();
    if (!accept(']')) return error("expected ']'");
    return step;
  }

  // "2", "-1", "1:3", "-1:", "::2"
  Result<Step> read_place() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ']' && text_[at_] != ' ') ++at_;
    std::string_view rest = text_.substr(begin, at_ - begin);
    if (rest.find(':') == std::string_view::npos) {
      const auto index = parse_int(rest);
      if (!index) return error("expected an index, a slice, '*', a quoted name or a filter");
      return JsonPath::Index{*index};
    }
    std::array<std::optional<int64_t>, 3> numbers;
    for (size_t i = 0;; ++i) {
      const size_t colon = std::min(rest.find(':'), rest.size());
      const auto number = parse_int(rest.substr(0, colon));
      if (i == numbers.size() || (!number && colon > 0)) return error("expected a slice such as [1:3] or [-1:]");
      if (number) numbers[i] = *number;
      if (colon == rest.size()) break;
      rest.remove_prefix(colon + 1);
    }
    if (numbers[2].value_or(1) <= 0) return error("the step of a slice must be above 0");
    return JsonPath::Slice{.first = numbers[0], .end = numbers[1], .step = numbers[2].value_or(1)};
  }

  Result<JsonPath::Filter> read_filter() {
    if (!accept('(')) return error("expected '('");
    skip_blanks();
    if (!accept('@')) return error("expected '@'");
    JsonPath::Filter filter;
    for (;;) {
      if (filter.names.size() == kMaxJsonPathSteps) return error("too many steps");
      if (accept('.')) {
        filter.names.push_back(read_name());
      } else if (rest_starts("['") || rest_starts("[\"")) {
        ++at_;
        auto name = read_quoted();
        if (!name) return std::unexpected(name.error());
        if (!accept(']')) return error("expected ']'");
        filter.names.push_back(std::move(*name));
      } else {
        break;
      }
      if (filter.names.back().empty()) return error("expected a name");
    }
    skip_blanks();
    if (rest_starts("==") || rest_starts("!=")) {
      filter.test = rest_starts("==") ? JsonPath::Test::Equal : JsonPath::Test::Unequal;
      at_ += 2;
      skip_blanks();
      auto operand = read_operand();
      if (!operand) return std::unexpected(operand.error());
      filter.operand = std::move(*operand);
      skip_blanks();
    }
    if (!accept(')')) return error("expected ')'");
    return filter;
  }

  Result<Value> read_operand() {
    if (at_quote()) {
      auto text = read_quoted();
      if (!text) return std::unexpected(text.error());
      return Value(*text);
    }
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ')' && text_[at_] != ' ') ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "false") return Value(word == "true");
    if (const auto whole = parse_int(word)) return Value(*whole);
    if (const auto number = parse_double(word)) return Value(*number);
    return error("expected quoted text, a number, true or false");
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t start_ = 0;  // behind '{' and '$', where a name needs no dot
};

Result<JsonPath> JsonPath::parse(std::string_view text) { return JsonPathReader(text).read(); }

bool JsonPath::passes(const Filter& filter, const Value& element) {
  const Value* value = &element;
  for (const std::string& name : filter.names) {
    value = find_member(*value, name);
    if (value == nullptr) return false;
  }
  if (filter.test == Test::Exists) return true;
  const bool numbers = value->is_number() && filter.operand.is_number();
  const bool equal =
      numbers ? value->to_number<double>() == filter.operand.to_number<double>() : *value == filter.operand;
  return equal == (filter.test == Test::Equal);
}

std::pair<int64_t, int64_t> JsonPath::bounds_of(const Slice& slice, int64_t size) {
  const auto from_end = [size](int64_t at) { return at < 0 ? at + size : at; };
  const int64_t first = from_end(slice.first.value_or(0)), end = from_end(slice.end.value_or(size));
  if (first < 0 || first >= size || end < first || end > size) return {0, 0};
  return {first, end};
}

void JsonPath::advance(const Step& step, const Value& from, std::vector<const Value*>& out) {
  const auto add = [&out](const Value& value) {
    if (out.size() < kMaxJsonPathMatches) out.push_back(&value);
  };
  if (const auto* member = std::get_if<Member>(&step)) {
    if (const Value* value = find_member(from, member->name)) add(*value);
    return;
  }
  if (const auto* object = from.if_object(); object != nullptr && std::holds_alternative<Each>(step)) {
    for (const auto& entry : *object) add(entry.value());
    return;
  }
  const Array* list = from.if_array();
  if (list == nullptr) return;
  if (const auto* index = std::get_if<Index>(&step)) {
    const auto size = static_cast<int64_t>(list->size());
    const int64_t position = index->at < 0 ? size + index->at : index->at;
    if (position >= 0 && position < size) add((*list)[static_cast<size_t>(position)]);
    return;
  }
  if (const auto* slice = std::get_if<Slice>(&step)) {
    const auto [first, end] = bounds_of(*slice, static_cast<int64_t>(list->size()));
    for (int64_t at = first; at < end; at += std::min(slice->step, end)) add((*list)[static_cast<size_t>(at)]);
    return;
  }
  const auto* filter = std::get_if<Filter>(&step);
  for (const Value& element : *list) {
    if (filter == nullptr || passes(*filter, element)) add(element);
  }
}

std::vector<const Value*> JsonPath::find(const Value& root) const {
  std::vector<const Value*> found{&root}, next;
  for (const Step& step : steps_) {
    next.clear();
    for (const Value* value : found) advance(step, *value, next);
    found.swap(next);
  }
  return found;
}

const Value* JsonPath::first(const Value& root) const {
  if (!plain()) {
    const std::vector<const Value*> found = find(root);
    return found.empty() ? nullptr : found.front();
  }
  const Value* value = &root;
  for (const Step& step : steps_) {
    value = find_member(*value, std::get<Member>(step).name);
    if (value == nullptr) return nullptr;
  }
  return value;
}

bool JsonPath::plain() const {
  for (const Step& step : steps_) {
    if (!std::holds_alternative<Member>(step)) return false;
  }
  return true;
}

std::vector<std::string> JsonPath::names() const {
  check(plain(), "only a plain path has names alone");
  std::vector<std::string> out;
  out.reserve(steps_.size());
  for (const Step& step : steps_) out.push_back(std::get<Member>(step).name);
  return out;
}

}  // namespace basalt::text
