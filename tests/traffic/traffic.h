// Requests of all sorts to one server, each answer looked at: it came, it can be read, it is no failure of the server,
// and what a write answered is what a read gives.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "kube/api/api_resource.h"
#include "tests/traffic/samples.h"
#include "tests/traffic/traffic_server.h"

namespace basalt::tests {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kBinary = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kJsonPatch = "application/json-patch+json";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";
inline constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";
inline constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";
inline constexpr std::string_view kTable = "application/json;as=Table;g=meta.k8s.io;v=v1";
inline constexpr std::string_view kPartial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

// Where objects of one kind and version are; `name` "" for all of them.
struct ObjectLocation {
  const api::ApiResource* row = nullptr;
  std::string namespace_name;  // "": all namespaces, or the kind has none
  std::string name = "";

  [[nodiscard]] std::string path(std::string_view subresource = "") const;
};

class Traffic {
 public:
  Traffic() : kinds_(server_.kinds()) {}

  // One request, judged. The answer of a write to an object (`location.name` set) is compared with a read right after
  // it.
  TrafficAnswer send(const TrafficRequest& request);
  TrafficAnswer write(const ObjectLocation& location, const TrafficRequest& request);
  TrafficAnswer watch(const std::string& target, std::string_view accept, const TrafficRequest& meanwhile);

  // The body in the binary form, without managedFields; nullopt: client/protobuf cannot write it (a CRD's kind, values
  // of any type, values of a wrong type).
  [[nodiscard]] static std::optional<std::string> binary(const std::string& type, text::Value object);

  // Reads each object of a kind under every version in which it is served.
  void read_everywhere(const api::ApiResource& row);

  // The served kinds; looked up again after the kinds changed.
  [[nodiscard]] const std::vector<api::ApiResource>& rows() const { return kinds_->rows(); }
  void renew_kinds() { kinds_ = server_.kinds(); }
  [[nodiscard]] const Samples& samples() const { return samples_; }
  [[nodiscard]] uint64_t requests() const { return requests_; }

 private:
  void judge(const TrafficRequest& request, const TrafficAnswer& answer);

  TrafficServer server_;
  Samples samples_;
  std::shared_ptr<const api::ApiResourceTable> kinds_;
  uint64_t requests_ = 0;
};

[[nodiscard]] bool serves(const api::ApiResource& row, std::string_view verb);

}  // namespace basalt::tests
