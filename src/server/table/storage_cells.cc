#include <array>
#include <utility>

#include "server/table/builtin_columns.h"
#include "server/table/cell_values.h"

namespace basalt::server {
namespace {

std::string modes_text(const text::Array& modes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kShort = {
      {{"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}}};
  std::vector<std::string> words;
  for (const auto& [mode, word] : kShort) {
    for (const text::Value& given : modes) {
      if (!given.is_string() || std::string_view(given.get_string()) != mode) continue;
      words.emplace_back(word);
      break;
    }
  }
  return join(words, ",");
}

// The class of a volume or claim; the annotation is older and wins.
std::string class_of(const text::Value& object) {
  const text::Value* old = at(object, {"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  if (old != nullptr && old->is_string()) return std::string(old->get_string());
  return std::string(text_at(object, {"spec", "storageClassName"}));
}

std::string phase_of(const text::Value& object) {
  return is_terminating(object) ? "Terminating" : std::string(text_at(object, {"status", "phase"}));
}

std::string claim_text(const text::Value& volume) {
  const text::Value* claim = at(volume, {"spec", "claimRef"});
  if (claim == nullptr) return {};
  return text_or(*claim, {"namespace"}, "") + "/" + text_or(*claim, {"name"}, "");
}

bool is_default_class(const text::Value& object) {
  for (const std::string_view key :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    if (text_at(object, {"metadata", "annotations", key}) == "true") return true;
  }
  return false;
}

std::string lifecycle_modes(const text::Value& driver) {
  std::vector<std::string> words;
  for (const text::Value& mode : list_at(driver, {"spec", "volumeLifecycleModes"})) {
    if (mode.is_string()) words.emplace_back(mode.get_string());
  }
  return or_none(join(words, ","));
}

}  // namespace

void fill_persistent_volume(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(quantity_at(object, {"spec", "capacity", "storage"}));
  cells.emplace_back(modes_text(list_at(object, {"spec", "accessModes"})));
  cells.emplace_back(text_at(object, {"spec", "persistentVolumeReclaimPolicy"}));
  cells.emplace_back(phase_of(object));
  cells.emplace_back(claim_text(object));
  cells.emplace_back(class_of(object));
  cells.emplace_back(text_or(object, {"spec", "volumeAttributesClassName"}, "<unset>"));
  cells.emplace_back(text_at(object, {"status", "reason"}));
  cells.emplace_back(age_of(object, now));
  cells.emplace_back(text_or(object, {"spec", "volumeMode"}, "<unset>"));
}

void fill_persistent_volume_claim(const text::Value& object, Instant now, text::Array& cells) {
  const std::string_view volume = text_at(object, {"spec", "volumeName"});
  cells.emplace_back(name_of(object));
  cells.emplace_back(phase_of(object));
  cells.emplace_back(volume);
  // What the claim got; before it is bound there is nothing to show.
  cells.emplace_back(volume.empty() ? "" : quantity_at(object, {"status", "capacity", "storage"}));
  cells.emplace_back(volume.empty() ? "" : modes_text(list_at(object, {"status", "accessModes"})));
  cells.emplace_back(class_of(object));
  cells.emplace_back(text_or(object, {"spec", "volumeAttributesClassName"}, "<unset>"));
  cells.emplace_back(age_of(object, now));
  cells.emplace_back(text_or(object, {"spec", "volumeMode"}, "<unset>"));
}

void fill_storage_class(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object) + (is_default_class(object) ? " (default)" : ""));
  cells.emplace_back(text_at(object, {"provisioner"}));
  cells.emplace_back(text_or(object, {"reclaimPolicy"}, "Delete"));
  cells.emplace_back(text_or(object, {"volumeBindingMode"}, "Immediate"));
  cells.emplace_back(bool_at(object, {"allowVolumeExpansion"}));
  cells.emplace_back(age_of(object, now));
}

void fill_csi_node(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(static_cast<int64_t>(list_at(object, {"spec", "drivers"}).size()));
  cells.emplace_back(age_of(object, now));
}

void fill_csi_driver(const text::Value& object, Instant now, text::Array& cells) {
  const text::Value* tokens = at(object, {"spec", "tokenRequests"});
  cells.emplace_back(name_of(object));
  cells.emplace_back(bool_at(object, {"spec", "attachRequired"}, true));
  cells.emplace_back(bool_at(object, {"spec", "podInfoOnMount"}));
  cells.emplace_back(bool_at(object, {"spec", "storageCapacity"}));
  cells.emplace_back(tokens == nullptr ? "<unset>" : each_text(list_at(*tokens, {}), "audience"));
  cells.emplace_back(bool_at(object, {"spec", "requiresRepublish"}));
  cells.emplace_back(lifecycle_modes(object));
  cells.emplace_back(age_of(object, now));
}

void fill_volume_attachment(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(text_at(object, {"spec", "attacher"}));
  cells.emplace_back(text_at(object, {"spec", "source", "persistentVolumeName"}));
  cells.emplace_back(text_at(object, {"spec", "nodeName"}));
  cells.emplace_back(bool_at(object, {"status", "attached"}));
  cells.emplace_back(age_of(object, now));
}

}  // namespace basalt::server
