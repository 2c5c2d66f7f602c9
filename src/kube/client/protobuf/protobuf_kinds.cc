#include "kube/client/protobuf/protobuf_kinds.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/check.h"

namespace basalt::client {
namespace {

// What the scheduler (control/scheduler/scheduler_kinds.cc), the controllers (control/volcano/volcano_kinds.cc) and the
// nodes follow, what job plugins make, and what is written in numbers (events). Layouts have every field of these
// kinds, so there is no list of what readers need that could fall behind.
constexpr std::array kRows = {
    ProtobufKind{"", "v1", "pods", "io.k8s.api.core.v1.Pod"},
    ProtobufKind{"", "v1", "nodes", "io.k8s.api.core.v1.Node"},
    ProtobufKind{"", "v1", "events", "io.k8s.api.core.v1.Event"},
    ProtobufKind{"", "v1", "namespaces", "io.k8s.api.core.v1.Namespace"},
    ProtobufKind{"", "v1", "resourcequotas", "io.k8s.api.core.v1.ResourceQuota"},
    ProtobufKind{"", "v1", "persistentvolumes", "io.k8s.api.core.v1.PersistentVolume"},
    ProtobufKind{"", "v1", "persistentvolumeclaims", "io.k8s.api.core.v1.PersistentVolumeClaim"},
    ProtobufKind{"", "v1", "services", "io.k8s.api.core.v1.Service"},
    ProtobufKind{"", "v1", "configmaps", "io.k8s.api.core.v1.ConfigMap"},
    ProtobufKind{"", "v1", "secrets", "io.k8s.api.core.v1.Secret"},
    ProtobufKind{"apps", "v1", "replicasets", "io.k8s.api.apps.v1.ReplicaSet"},
    ProtobufKind{"apps", "v1", "statefulsets", "io.k8s.api.apps.v1.StatefulSet"},
    ProtobufKind{"apps", "v1", "daemonsets", "io.k8s.api.apps.v1.DaemonSet"},
    ProtobufKind{"apps", "v1", "deployments", "io.k8s.api.apps.v1.Deployment"},
    ProtobufKind{"batch", "v1", "jobs", "io.k8s.api.batch.v1.Job"},
    ProtobufKind{"coordination.k8s.io", "v1", "leases", "io.k8s.api.coordination.v1.Lease"},
    ProtobufKind{"networking.k8s.io", "v1", "networkpolicies", "io.k8s.api.networking.v1.NetworkPolicy"},
    ProtobufKind{"policy", "v1", "poddisruptionbudgets", "io.k8s.api.policy.v1.PodDisruptionBudget"},
    ProtobufKind{"scheduling.k8s.io", "v1", "priorityclasses", "io.k8s.api.scheduling.v1.PriorityClass"},
    ProtobufKind{"storage.k8s.io", "v1", "storageclasses", "io.k8s.api.storage.v1.StorageClass"},
    ProtobufKind{"storage.k8s.io", "v1", "csinodes", "io.k8s.api.storage.v1.CSINode"},
};

constexpr std::string_view kStatus = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
constexpr std::string_view kBinding = "io.k8s.api.core.v1.Binding";
constexpr std::string_view kEviction = "io.k8s.api.policy.v1.Eviction";

struct LeftOut {
  std::string_view type, field;
};
constexpr std::array kLeftOut = {
    LeftOut{"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "managedFields"},
};

// The text of all numbers without those of the fields that are left out.
std::string numbers_of_answers() {
  std::string text(api::builtin_protobuf_numbers());
  for (const LeftOut& out : kLeftOut) {
    const size_t line = text.find("\n" + std::string(out.type) + " ");
    check(line != std::string::npos, "a field is left out of a type that exists");
    const size_t word = text.find(" " + std::string(out.field) + "=", line);
    check(word < text.find('\n', line + 1), "a field is left out that exists");
    text.erase(word, text.find_first_of(" \n", word + 1) - word);
  }
  return text;
}

const api::ProtobufLayout& answers() {
  static const api::ProtobufLayout layout = [] {
    auto read = api::ProtobufLayout::read(api::builtin_schemas(), numbers_of_answers());
    check(read.has_value(), read ? "" : read.error().message);
    return std::move(*read);
  }();
  return layout;
}

const ProtobufKind* row_of(const api::GroupVersionResource& resource) {
  const auto at = std::ranges::find_if(kRows, [&](const ProtobufKind& row) {
    return row.plural == resource.plural && row.group == resource.group && row.version == resource.version;
  });
  return at == kRows.end() ? nullptr : &*at;
}

bool is_posted(const api::Call& call) {
  return call.resource.plural == "pods" && call.verb == api::Verb::Create &&
         (call.subresource == "binding" || call.subresource == "eviction");
}

bool is_whole_object(const api::Call& call) { return call.subresource.empty() || call.subresource == "status"; }

}  // namespace

const api::ProtobufMessage* answer_layout(const api::Call& call) {
  const ProtobufKind* row = row_of(call.resource);
  if (row == nullptr || (!is_whole_object(call) && !is_posted(call))) return nullptr;
  if (call.verb == api::Verb::DeleteCollection) return nullptr;  // answered with a list or a Status, as it happens
  return answers().find(row->type);
}

const api::ProtobufMessage* body_layout(const api::Call& call) {
  const ProtobufKind* row = row_of(call.resource);
  if (row == nullptr) return nullptr;
  if (is_posted(call)) return api::builtin_protobuf().find(call.subresource == "binding" ? kBinding : kEviction);
  const bool whole = call.verb == api::Verb::Create || call.verb == api::Verb::Update;
  return whole && is_whole_object(call) ? api::builtin_protobuf().find(row->type) : nullptr;
}

const api::ProtobufMessage& status_layout() {
  const api::ProtobufMessage* layout = answers().find(kStatus);
  check(layout != nullptr, "a Status has a layout");
  return *layout;
}

std::span<const ProtobufKind> protobuf_kinds() { return kRows; }

}  // namespace basalt::client
