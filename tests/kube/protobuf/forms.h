// What the two programs of this folder share: clients of one server that differ only in the form that they ask for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/api/call.h"
#include "kube/client/https_object_client.h"

namespace basalt::tests {

// Ends the program when the kubeconfig cannot be used.
[[nodiscard]] std::unique_ptr<client::HttpsObjectClient> client_of(const std::string& kubeconfig, bool lean,
                                                                   size_t connections = 4);

// The resource of an object of one of the kinds that a lean client reads in the binary form.
[[nodiscard]] std::optional<api::GroupVersionResource> resource_of(const text::Object& object);

// A call about one object.
[[nodiscard]] api::Call call_about(api::Verb verb, const text::Object& object);

[[nodiscard]] int compare_forms(const std::string& kubeconfig, std::string_view documents, uint64_t seed, int rounds);

struct Measured {
  std::string kubeconfig;
  int server_pid = 0;
  int pods = 5000;
  int watches = 2;
  bool lean = false;
};
[[nodiscard]] int measure_form(const Measured& what);

}  // namespace basalt::tests
