#include "kube/api/schema/type_lines.h"

#include <array>
#include <string>
#include <utility>

namespace basalt::api {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  Result<std::vector<TypeLine>> cut() {
    while (at_ < text_.size()) {
      auto line = cut_line();
      if (!line) return std::unexpected(line.error());
      if (!line->words.empty()) lines_.push_back(std::move(*line));
    }
    return std::move(lines_);
  }

 private:
  std::unexpected<Error> wrong(std::string_view what) const {
    return invalid("line " + std::to_string(number_) + ": " + std::string(what));
  }

  // Steps over one line end, if there is one here.
  void next_line() {
    if (at_ < text_.size()) ++at_;
    ++number_;
  }

  [[nodiscard]] bool at_line_end() const { return at_ == text_.size() || text_[at_] == '\n'; }

  Result<TypeLine> cut_line() {
    TypeLine line{.number = number_, .indented = blank(text_[at_]), .words = {}};
    while (true) {
      while (at_ < text_.size() && blank(text_[at_])) ++at_;
      if (at_ < text_.size() && text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      if (at_line_end()) {
        next_line();
        if (line.words.empty() || line.words.back() != "\\" || at_ == text_.size()) return line;
        line.words.pop_back();
        continue;
      }
      const size_t start = at_;
      if (auto word = skip_word(); !word) return std::unexpected(word.error());
      line.words.push_back(text_.substr(start, at_ - start));
    }
  }

  Result<void> skip_word() {
    std::array<char, kMaxWordDepth> open{};
    size_t depth = 0;
    for (; at_ < text_.size() && (depth > 0 || (!blank(text_[at_]) && text_[at_] != '\n')); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++number_;
      } else if (!blank(c) && (c < 0x20 || c > 0x7e)) {
        return wrong("only printable ASCII may stand here");
      } else if (c == '"') {
        if (auto quoted = skip_quoted(); !quoted) return quoted;
      } else if (c == '(' || c == '[' || c == '{') {
        if (depth == kMaxWordDepth) return wrong("too many brackets within brackets");
        open[depth++] = closing(c);
      } else if (c == ')' || c == ']' || c == '}') {
        if (depth == 0 || open[--depth] != c) return wrong("a closing bracket without its opening one");
      }
    }
    if (depth > 0) return wrong("a bracket is not closed");
    return {};
  }

  // From the opening quote to the closing one.
  Result<void> skip_quoted() {
    for (++at_; !at_line_end(); ++at_) {
      if (text_[at_] == '"') return {};
      if (text_[at_] < 0x20 || text_[at_] > 0x7e) return wrong("only printable ASCII may stand here");
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
    }
    return wrong("a quoted text is not closed with '\"'");
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t number_ = 1;
  std::vector<TypeLine> lines_;
};

}  // namespace

Result<std::vector<TypeLine>> type_lines(std::string_view text) {
  if (text.size() > kMaxTypeTextBytes) return invalid("the text is longer than " + std::to_string(kMaxTypeTextBytes));
  return Cutter(text).cut();
}

}  // namespace basalt::api
