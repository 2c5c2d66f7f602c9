// HyperNodes: members, and the patterns that choose them.
#include <fmt/format.h>

#include <array>

#include "kube/api/schema/pattern.h"
#include "kube/api/views/hyper_node_view.h"
#include "server/admission/refusal_message.h"
#include "server/admission/webhook_handlers.h"

namespace basalt::admission {
namespace {

// The matcher's words for a fault, and Go's, which users know.
struct Wording {
  std::string_view ours, go;
};
constexpr std::array<Wording, 8> kWordings = {{
    {"missing )", "missing closing )"},
    {"missing ]", "missing closing ]"},
    {"no argument for repetition operator", "missing argument to repetition operator"},
    {"invalid repetition size", "invalid repeat count"},
    {"bad repetition operator", "invalid nested repetition operator"},
    {"trailing \\", "trailing backslash at end of expression"},
    {"invalid named capture group", "invalid named capture"},
    {"invalid perl operator", "invalid or unsupported Perl syntax"},
}};

// "missing ): a(b" → "error parsing regexp: missing closing ): `a(b`"
std::string in_go_words(std::string_view message) {
  constexpr std::string_view kPrefix = "error parsing regexp: ";
  if (message.starts_with(kPrefix)) message.remove_prefix(kPrefix.size());
  std::string_view fault = message;
  std::string_view rest;
  for (const Wording& wording : kWordings) {
    if (!message.starts_with(wording.ours)) continue;
    fault = wording.go;
    rest = message.substr(wording.ours.size());
    break;
  }
  if (rest.starts_with(": ")) return fmt::format("{}{}: `{}`", kPrefix, fault, rest.substr(2));
  return fmt::format("{}{}{}", kPrefix, fault, rest);
}

}  // namespace

WebhookResult validate_hyper_node(const AdmissionRequest& request) {
  if (request.object == nullptr) return {};
  const api::HyperNodeSpecView spec = api::HyperNodeView(*request.object).spec();
  api::Causes causes;
  if (spec.members().empty()) {
    causes.invalid("[].spec.members", text::Value(), "member must have at least one member");
  }
  for (const api::MemberView member : spec.members()) {
    const std::string_view pattern = member.selector().regex_match().pattern();
    if (pattern.empty()) continue;
    if (const auto compiled = api::Pattern::compile(pattern); !compiled) {
      causes.invalid("[].spec.members.selector.regexMatch.pattern", text::Value(pattern),
                     "member regexMatch pattern is invalid: " + in_go_words(compiled.error().message));
    }
  }
  if (causes.empty()) return {};
  return deny(aggregate_text(causes));
}

}  // namespace basalt::admission
