#include "control/volcano/malformed.h"

#include "control/volcano/writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/volcano_types.h"

namespace basalt::volcano {

Malformed::Malformed() {
  for (const KindRow& row : kind_rows()) {
    if (row.kind == Kind::Pod) continue;
    types_[static_cast<size_t>(row.kind)] = api::volcano_type(row.group, row.version, row.plural);
  }
}

bool Malformed::refuses(Kind kind, const text::Object& object) {
  const api::Schema* type = types_[static_cast<size_t>(kind)];
  if (type == nullptr) return false;
  const std::string fault = api::decode_fault(*type, object);
  std::string key = api::key_of(object);
  if (fault.empty()) {
    forget(kind, key);
    return false;
  }
  const std::string_view version = api::string_at(object, {"metadata", "resourceVersion"});
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

void Malformed::forget(Kind kind, const std::string& key) {
  if (!versions_.empty()) versions_.erase({kind, key});
}

}  // namespace basalt::volcano
