// Any document as a label selector and a node selector: compiled without harm, and matching never crashes.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "control/scheduler/state/selectors.h"
#include "engine/model/labels.h"
#include "kube/api/selector.h"
#include "kube/api/typed_decode.h"
#include "kube/text/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace basalt;
  const auto document = text::parse_yaml({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  StringPool names;
  model::LabelSet labels = {{.key = names.intern("a"), .value = names.intern("b")},
                            {.key = names.intern("n"), .value = names.intern("7")}};
  model::normalize(labels);
  api::LabelSelector selector;
  if (api::read(document->root(), selector)) {
    if (const auto compiled = state::compile_selector(selector, names)) {
      (void)model::matches(*compiled, labels, names);
    }
  }
  api::NodeSelectorTerm term;
  if (api::read(document->root(), term)) {
    if (const auto compiled = state::compile_node_term(term, names)) {
      for (const model::Requirement& requirement : compiled->labels) {
        (void)model::matches(requirement, labels, names);
      }
    }
  }
  return 0;
}
