// Where a walk stands, as a chain of steps on its stack: free as long as nobody asks for the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace basalt::api {

struct ValuePath {
  enum class Step : uint8_t {
    Root,     // `key` is a path that goes before everything; usually ""
    Member,   // .key
    Element,  // [index]
    Entry,    // of a map: .key, in brackets where Kubernetes writes it so (bracket_text)
  };

  const ValuePath* outer = nullptr;  // outlives this
  std::string_view key;
  size_t index = 0;
  Step step = Step::Root;

  [[nodiscard]] static ValuePath root(std::string_view path = {}) { return {.key = path}; }
  [[nodiscard]] ValuePath member(std::string_view name) const {
    return {.outer = this, .key = name, .step = Step::Member};
  }
  [[nodiscard]] ValuePath entry(std::string_view name) const {
    return {.outer = this, .key = name, .step = Step::Entry};
  }
  [[nodiscard]] ValuePath element(size_t at) const { return {.outer = this, .index = at, .step = Step::Element}; }

  // "spec.ports[0].name", "metadata.labels.a" / "metadata.labels[a]". Very long keys are cut. Cost: O(steps).
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string bracket_text() const;
  // The path of the root; "<nil>", as Kubernetes writes it, when that is empty.
  [[nodiscard]] std::string root_text() const;
};

}  // namespace basalt::api
