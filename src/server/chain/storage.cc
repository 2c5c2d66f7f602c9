#include "kube/api/object_view.h"
#include "kube/api/views/metadata_view.h"
#include "server/chain/admission_step.h"

namespace basalt::server::chain {
namespace {

bool is_marked_default(const text::Object& object, std::string_view mark) {
  return api::ObjectView(object).metadata().annotations()[mark] == "true";
}

// The default among objects that an annotation marks: the newest, of equals the first by name. "": none.
std::string default_name(const std::vector<ObjectPtr>& objects, std::string_view mark) {
  std::string best;
  std::string_view best_time;
  for (const ObjectPtr& one : objects) {
    if (one == nullptr || !one->is_object() || !is_marked_default(one->get_object(), mark)) continue;
    const text::Object& metadata = part_of(one->get_object(), "metadata");
    const std::string_view created = api::ObjectMetaView(metadata).creation_timestamp();
    const std::string_view name = api::ObjectMetaView(metadata).name();
    if (best.empty() || created > best_time || (created == best_time && name < best)) {
      best = name;
      best_time = created;
    }
  }
  return best;
}

}  // namespace

StepResult choose_storage_class(const AdmissionAttributes& request) {
  text::Object& spec = make_object(*request.next, "spec");
  constexpr std::string_view kOldMark = "volume.beta.kubernetes.io/storage-class";
  if (has(spec, "storageClassName") || part_of(part_of(*request.next, "metadata"), "annotations").contains(kOldMark)) {
    return {};
  }
  std::string name = default_name(request.admission_context.list("storageclasses.storage.k8s.io", ""),
                                  "storageclass.kubernetes.io/is-default-class");
  if (!name.empty()) spec["storageClassName"] = name;
  return {};
}

StepResult choose_ingress_class(const AdmissionAttributes& request) {
  text::Object& spec = make_object(*request.next, "spec");
  constexpr std::string_view kOldMark = "kubernetes.io/ingress.class";
  if (has(spec, "ingressClassName") || part_of(part_of(*request.next, "metadata"), "annotations").contains(kOldMark)) {
    return {};
  }
  std::string name = default_name(request.admission_context.list("ingressclasses.networking.k8s.io", ""),
                                  "ingressclass.kubernetes.io/is-default-class");
  if (!name.empty()) spec["ingressClassName"] = name;
  return {};
}

}  // namespace basalt::server::chain
