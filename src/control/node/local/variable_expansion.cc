#include "control/node/local/variable_expansion.h"

namespace basalt::node {

Result<std::string> expand(std::string_view text, const FindVariable& find) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t dollar = text.find('$', at);
    out += text.substr(at, dollar - at);
    if (dollar == std::string_view::npos) break;
    const char next = dollar + 1 < text.size() ? text[dollar + 1] : '\0';
    const size_t close = next == '(' ? text.find(')', dollar) : std::string_view::npos;
    if (close != std::string_view::npos) {
      const std::string* value = find(text.substr(dollar + 2, close - dollar - 2));
      out += value != nullptr ? std::string_view(*value) : text.substr(dollar, close + 1 - dollar);
      at = close + 1;
    } else {
      out += '$';
      at = dollar + (next == '$' ? 2 : 1);
    }
    if (out.size() > kMaxExpandedBytes) break;
  }
  if (out.size() > kMaxExpandedBytes) {
    return invalid("the text is longer than " + std::to_string(kMaxExpandedBytes) +
                   " bytes with its $(VARIABLES) put in; Linux passes no longer one to a program");
  }
  return out;
}

Result<std::string> expand(std::string_view text, const Variables& variables) {
  return expand(text, [&variables](std::string_view name) -> const std::string* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : &found->second;
  });
}

}  // namespace basalt::node
