#include "kube/api/any_object.h"

#include <algorithm>
#include <array>

namespace basalt::api {
namespace {

using KindDecoder = Result<AnyObject> (*)(const text::Field& root, std::string_view kind);

template <class T>
Result<AnyObject> decode_as(const text::Field& root, std::string_view kind) {
  Result<T> object = decode_object<T>(root, kind);
  if (!object) return std::unexpected(std::move(object.error()));
  return AnyObject(*std::move(object));
}

struct Kind {
  std::string_view api_version, kind;
  KindDecoder decode;
};

constexpr std::array kKinds = {
    Kind{"v1", "Pod", &decode_as<Pod>},
    Kind{"v1", "Node", &decode_as<Node>},
    Kind{"v1", "Namespace", &decode_as<Namespace>},
    Kind{"v1", "ResourceQuota", &decode_as<ResourceQuota>},
    Kind{"v1", "PersistentVolume", &decode_as<NamedObject>},
    Kind{"v1", "PersistentVolumeClaim", &decode_as<NamedObject>},
    Kind{"policy/v1", "PodDisruptionBudget", &decode_as<PodDisruptionBudget>},
    Kind{"resource.k8s.io/v1", "DeviceClass", &decode_as<NamedObject>},
    Kind{"resource.k8s.io/v1", "ResourceClaim", &decode_as<NamedObject>},
    Kind{"resource.k8s.io/v1", "ResourceSlice", &decode_as<NamedObject>},
    Kind{"scheduling.k8s.io/v1", "PriorityClass", &decode_as<PriorityClass>},
    Kind{"scheduling.volcano.sh/v1beta1", "PodGroup", &decode_as<PodGroup>},
    Kind{"scheduling.volcano.sh/v1beta1", "Queue", &decode_as<Queue>},
    Kind{"storage.k8s.io/v1", "CSIDriver", &decode_as<NamedObject>},
    Kind{"storage.k8s.io/v1", "CSINode", &decode_as<NamedObject>},
    Kind{"storage.k8s.io/v1", "CSIStorageCapacity", &decode_as<NamedObject>},
    Kind{"storage.k8s.io/v1", "StorageClass", &decode_as<NamedObject>},
    Kind{"topology.volcano.sh/v1alpha1", "HyperNode", &decode_as<HyperNode>},
};

const Kind* find_kind(std::string_view api_version, std::string_view kind) {
  const auto* const found =
      std::ranges::find_if(kKinds, [&](const Kind& row) { return row.api_version == api_version && row.kind == kind; });
  return found == kKinds.end() ? nullptr : found;
}

Result<AnyObject> unknown_kind(const text::Field& root, std::string api_version, std::string kind) {
  // The metadata of a kind we do not read may have any shape: a name is shown if there is one.
  std::string name = root.field("metadata").field("name").string_or("").value_or("");
  return AnyObject(
      UnknownKind{.api_version = std::move(api_version), .kind = std::move(kind), .name = std::move(name)});
}

Result<void> append(const text::Field& object, std::vector<AnyObject>& out) {
  if (out.size() >= kMaxObjects) {
    return invalid("more than " + std::to_string(kMaxObjects) + " objects in one stream: split it");
  }
  Result<AnyObject> decoded = decode_any(object);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  out.push_back(*std::move(decoded));
  return {};
}

Result<void> append_document(const text::Field& root, std::vector<AnyObject>& out) {
  const std::string kind = root.field("kind").string_or("").value_or("");
  if (!kind.ends_with("List") || !root.field("items").given()) return append(root, out);
  return root.field("items").each([&out](const text::Field& item) { return append(item, out); });
}

}  // namespace

Result<void> read(const text::Field& at, NamedObject& out) {
  return read_fields(at, "apiVersion", out.api_version, "kind", out.kind, "metadata", out.metadata);
}

Result<AnyObject> decode_any(const text::Field& root) {
  Result<std::string> api_version = root.field("apiVersion").as_string();
  if (!api_version) return std::unexpected(std::move(api_version.error()));
  Result<std::string> kind = root.field("kind").as_string();
  if (!kind) return std::unexpected(std::move(kind.error()));
  const Kind* known = find_kind(*api_version, *kind);
  return known != nullptr ? known->decode(root, *kind) : unknown_kind(root, *std::move(api_version), *std::move(kind));
}

Result<AnyObject> decode_any(const text::Value& value) { return decode_any(text::Field(value)); }

Result<std::vector<AnyObject>> decode_all(std::span<const text::Document> documents) {
  std::vector<AnyObject> objects;
  for (const text::Document& document : documents) {
    if (Result<void> done = append_document(document.root(), objects); !done) {
      return std::unexpected(std::move(done.error()));
    }
  }
  return objects;
}

bool is_known_kind(std::string_view api_version, std::string_view kind) {
  return find_kind(api_version, kind) != nullptr;
}

}  // namespace basalt::api
