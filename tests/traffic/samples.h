// The objects of samples.yaml: for every served kind one that the server accepts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "kube/api/api_resource.h"
#include "kube/text/json.h"

namespace basalt::tests {

class Samples {
 public:
  Samples();  // reads tests/traffic/samples.yaml

  [[nodiscard]] bool has(const api::ApiResource& resource) const;
  // The sample under this name, for this version of its kind. Of a kind without one (a CRD's that came with the
  // traffic): an object with a name and an empty spec.
  [[nodiscard]] text::Value make(const api::ApiResource& resource, std::string_view ns, std::string_view name) const;

 private:
  [[nodiscard]] const text::Value* find(const api::ApiResource& resource) const;

  std::map<std::pair<std::string, std::string>, text::Value> by_kind_;  // group and kind
};

// The name under which the sample called `name` is stored: that of a CRD has its group in it.
[[nodiscard]] std::string stored_name(const api::ApiResource& resource, std::string_view name);

// Whether all that `part` says is in `whole`: members of objects may be more there, lists are as long.
[[nodiscard]] bool contains(const text::Value& whole, const text::Value& part);

}  // namespace basalt::tests
