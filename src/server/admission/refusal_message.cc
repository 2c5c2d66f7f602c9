#include "server/admission/refusal_message.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "kube/text/utf8.h"

namespace basalt::admission {
namespace {

// Cut at a whole character of UTF-8.
void bound(std::string& text) {
  if (text.size() <= kMaxRefusalBytes) return;
  size_t end = kMaxRefusalBytes;
  while (end > 0 && !text::begins_character(text[end])) --end;
  text.resize(end);
  text += "…";
}

}  // namespace

void RefusalMessage::say(std::string_view words) {
  if (!full()) words_ += words;
}

void RefusalMessage::remedy(std::string text) {
  if (remedies_.size() < kMaxRemedies) remedies_.push_back(std::move(text));
}

WebhookResult RefusalMessage::verdict() const {
  if (words_.empty()) return {};
  std::string message(trimmed(words_));
  if (!remedies_.empty()) message += fmt::format(" ({})", fmt::join(remedies_, "; "));
  bound(message);
  return std::unexpected(std::move(message));
}

std::unexpected<std::string> deny(std::string_view words, std::string_view remedy) {
  std::string message(trimmed(words));
  if (!remedy.empty()) message.append(" (").append(remedy).append(")");
  bound(message);
  return std::unexpected(std::move(message));
}

std::string aggregate_text(const api::Causes& causes) {
  std::vector<std::string> texts;
  size_t bytes = 0;
  for (const api::Cause& cause : causes.list()) {
    if (bytes > kMaxRefusalBytes) break;
    std::string text = cause.field + ": " + cause.message;
    if (std::ranges::find(texts, text) != texts.end()) continue;
    bytes += text.size();
    texts.push_back(std::move(text));
  }
  return texts.size() == 1 ? texts[0] : fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string go_list(const std::vector<std::string>& words) { return fmt::format("[{}]", fmt::join(words, " ")); }

}  // namespace basalt::admission
