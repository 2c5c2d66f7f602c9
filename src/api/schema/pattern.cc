#include "api/schema/pattern.h"

#include <re2/re2.h>

#include <utility>

namespace basalt::api {

Pattern::Pattern(std::unique_ptr<re2::RE2> expression) : expression_(std::move(expression)) {}
Pattern::~Pattern() = default;

Result<std::shared_ptr<const Pattern>> Pattern::compile(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) return invalid("the pattern is longer than 64 KiB");
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxPatternMemory);
  auto expression = std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!expression->ok()) return invalid("error parsing regexp: " + expression->error());
  return std::shared_ptr<const Pattern>(new Pattern(std::move(expression)));
}

bool Pattern::matches(std::string_view subject) const {
  return re2::RE2::PartialMatch(re2::StringPiece(subject.data(), subject.size()), *expression_);
}

}  // namespace basalt::api
