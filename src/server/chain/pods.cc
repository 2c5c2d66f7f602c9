// Small steps about pods and nodes.
#include <fmt/format.h>

#include "kube/api/views/node_view.h"
#include "kube/api/views/pod_spec_view.h"
#include "server/chain/admission_step.h"

namespace basalt::server::chain {
namespace {

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr int64_t kTolerationSeconds = 300;
constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

bool tolerates(const text::Object& spec, std::string_view taint) {
  bool found = false;
  each_object(spec, "tolerations", [&](const text::Object& toleration, size_t) {
    const std::string_view key = api::TolerationView(toleration).key();
    const std::string_view effect = api::TolerationView(toleration).effect();
    found = found || ((key == taint || key.empty()) && (effect == "NoExecute" || effect.empty()));
  });
  return found;
}

}  // namespace

StepResult assign_service_account(const AdmissionAttributes& request) {
  if (!request.admission_context.options->service_accounts) return {};
  if (part_of(part_of(*request.next, "metadata"), "annotations").contains(kMirror)) return {};
  text::Object& spec = make_object(*request.next, "spec");
  if (api::PodSpecView(spec).service_account_name().empty()) {
    spec["serviceAccountName"] = "default";
    spec["serviceAccount"] = "default";
  }
  const std::string account = fmt::format("{}/{}", request.ns(), api::PodSpecView(spec).service_account_name());
  if (request.admission_context.get("serviceaccounts", account) == nullptr) {
    return request.forbid(fmt::format("error looking up service account {}: serviceaccount \"{}\" not found", account,
                                      api::PodSpecView(spec).service_account_name()));
  }
  return {};
}

StepResult add_default_tolerations(const AdmissionAttributes& request) {
  text::Object& spec = make_object(*request.next, "spec");
  for (const std::string_view taint : {kNotReady, kUnreachable}) {
    if (tolerates(spec, taint)) continue;
    make_array(spec, "tolerations")
        .push_back(text::Object{{"key", taint},
                                {"operator", "Exists"},
                                {"effect", "NoExecute"},
                                {"tolerationSeconds", kTolerationSeconds}});
  }
  return {};
}

StepResult taint_new_node(const AdmissionAttributes& request) {
  if (!request.admission_context.options->taint_new_nodes) return {};
  text::Object& spec = make_object(*request.next, "spec");
  bool tainted = false;
  each_object(spec, "taints", [&](const text::Object& taint, size_t) {
    tainted = tainted || (api::TaintView(taint).key() == kNotReady && api::TaintView(taint).effect() == "NoSchedule");
  });
  if (!tainted) make_array(spec, "taints").push_back(text::Object{{"key", kNotReady}, {"effect", "NoSchedule"}});
  return {};
}

StepResult apply_runtime_class(const AdmissionAttributes& request) {
  text::Object* spec = object_at(*request.next, "spec");
  const std::string_view name = spec == nullptr ? std::string_view() : api::PodSpecView(*spec).runtime_class_name();
  if (name.empty()) {
    if (spec != nullptr && !part_of(*spec, "overhead").empty()) {
      return request.forbid("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    }
    return {};
  }
  const ObjectPtr found = request.admission_context.get("runtimeclasses.node.k8s.io", name);
  if (found == nullptr) return request.forbid(fmt::format("pod rejected: RuntimeClass \"{}\" not found", name));
  if (!found->is_object()) return {};
  const text::Object& overhead = part_of(part_of(found->get_object(), "overhead"), "podFixed");
  const text::Object& scheduling = part_of(found->get_object(), "scheduling");
  if (!overhead.empty()) {
    const text::Value wanted = overhead;
    if (has(*spec, "overhead") && !api::rules::same_value(spec->if_contains("overhead"), &wanted)) {
      return request.forbid("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    }
    (*spec)["overhead"] = wanted;
  }
  for (const auto& member : part_of(scheduling, "nodeSelector")) {
    text::Value& value = make_object(*spec, "nodeSelector")[member.key()];
    if (!value.is_null() && value != member.value()) {
      return request.forbid(
          fmt::format("conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; "
                      "pod.spec.nodeSelector[{0}] = {2}",
                      std::string_view(member.key()), view_of(member.value()), view_of(value)));
    }
    value = member.value();
  }
  each_object(scheduling, "tolerations",
              [&](const text::Object& toleration, size_t) { make_array(*spec, "tolerations").push_back(toleration); });
  return {};
}

}  // namespace basalt::server::chain
