// Any text as a label selector and a field selector of a request: it parses or is refused, and matching never crashes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/api/selector_text.h"
#include "kube/text/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace basalt;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  text::Object labels{{"a", "b"}, {"n", "7"}, {"odd", 5}};
  const text::Value object = text::Object{{"metadata", text::Object{{"name", "x"}, {"labels", labels}}}};
  if (const auto query = api::LabelQuery::parse(text)) {
    (void)query->matches(object);
    (void)query->matches(text::Value());
    for (const api::LabelTerm& term : query->terms()) basalt::check(!term.key.empty(), "a term has a key");
  }
  if (const auto query = api::FieldQuery::parse(text)) {
    (void)query->matches(object);
    (void)query->required_value("metadata.name");
  }
  if (const auto selector = text::parse_json(text)) {
    api::Causes causes;
    const auto query = api::LabelQuery::from_selector(*selector, "spec.selector", causes);
    basalt::check(causes.empty() || !query.matches(object), "a wrong selector matches nothing");
  }
  return 0;
}
