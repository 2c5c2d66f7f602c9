#include "kube/api/schema/pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

namespace basalt::api {
namespace {

std::unique_ptr<re2::RE2> compiled(std::string_view pattern, int64_t memory) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
}

}  // namespace

Pattern::Pattern(std::string text, int64_t memory) : text_(std::move(text)), memory_(memory) {}
Pattern::~Pattern() = default;

Result<std::shared_ptr<const Pattern>> Pattern::compile(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) return invalid("the pattern is longer than 64 KiB");
  const std::shared_ptr<Pattern> made(new Pattern(std::string(pattern), kMaxPatternMemory));
  made->expression_ = compiled(pattern, kMaxPatternMemory);
  if (made->expression_->ok()) return made;
  const bool too_large = made->expression_->error_code() == re2::RE2::ErrorPatternTooLarge;
  return failure(too_large ? ErrorCode::Unsupported : ErrorCode::Invalid,
                 "error parsing regexp: " + made->expression_->error());
}

std::shared_ptr<const Pattern> Pattern::compile_later(std::string_view pattern, int64_t memory) {
  memory = std::clamp(memory, kMinPatternMemory, kMaxPatternMemory);
  return std::shared_ptr<const Pattern>(new Pattern(std::string(pattern), memory));
}

const re2::RE2& Pattern::expression() const {
  const std::lock_guard lock(mutex_);
  if (expression_ == nullptr) {
    expression_ = compiled(text_, memory_);
    if (!expression_->ok()) expression_ = compiled(text_, kMaxPatternMemory);
  }
  return *expression_;
}

bool Pattern::matches(std::string_view subject) const {
  const re2::RE2& pattern = expression();
  return !pattern.ok() || re2::RE2::PartialMatch(re2::StringPiece(subject.data(), subject.size()), pattern);
}

size_t Pattern::size() const { return static_cast<size_t>(std::max(expression().ProgramSize(), 1)); }

bool Pattern::is_compiled() const {
  const std::lock_guard lock(mutex_);
  return expression_ != nullptr;
}

}  // namespace basalt::api
