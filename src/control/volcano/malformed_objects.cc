#include "control/volcano/malformed_objects.h"

#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/volcano_go_types.h"

namespace basalt::volcano {

MalformedObjects::MalformedObjects() {
  for (const VolcanoKindRow& row : kind_rows()) {
    if (row.kind == VolcanoKind::Pod) continue;
    types_[static_cast<size_t>(row.kind)] = api::volcano_type(row.group, row.version, row.plural);
  }
}

bool MalformedObjects::refuses(VolcanoKind kind, const text::Object& object) {
  const api::Schema* type = types_[static_cast<size_t>(kind)];
  if (type == nullptr) return false;
  const std::string fault = api::decode_fault(*type, object);
  std::string key = api::key_of(object);
  if (fault.empty()) {
    forget(kind, key);
    return false;
  }
  const std::string_view version = api::ObjectView(object).metadata().resource_version();
  const auto told = versions_.find({kind, key});
  if (told != versions_.end() && told->second == version) return true;
  if (told != versions_.end()) {
    told->second = version;
  } else if (versions_.size() < kMaxMalformed) {
    versions_.emplace(std::pair(kind, std::move(key)), version);
  }
  if (notes_.size() < kMaxMalformed) {
    notes_.push_back(warning(kind, object, "FailedDecode", fault + "; this state is ignored until it changes"));
  }
  return true;
}

void MalformedObjects::forget(VolcanoKind kind, const std::string& key) {
  if (!versions_.empty()) versions_.erase({kind, key});
}

}  // namespace basalt::volcano
