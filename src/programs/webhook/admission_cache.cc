#include "programs/webhook/admission_cache.h"

#include <mutex>

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"

namespace basalt::webhook {

void AdmissionCache::learn(CachedKind kind, const client::ObjectPtr& object) {
  const text::Object& next = object->get_object();
  const std::unique_lock lock(mutex_);
  client::ObjectPtr& place = of(kind)[std::string(api::name_of(next))];
  if (place != nullptr && api::is_later_version(api::ObjectView(place->get_object()).metadata().resource_version(),
                                                api::ObjectView(next).metadata().resource_version())) {
    return;
  }
  place = object;
}

void AdmissionCache::forget(CachedKind kind, const std::string& name) {
  const std::unique_lock lock(mutex_);
  of(kind).erase(name);
}

std::vector<std::string> AdmissionCache::names(CachedKind kind) const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, object] : of(kind)) names.push_back(name);
  return names;
}

client::ObjectPtr AdmissionCache::find(CachedKind kind, std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = of(kind).find(name);
  return found == of(kind).end() ? nullptr : found->second;
}

std::vector<client::ObjectPtr> AdmissionCache::queues() const {
  const std::shared_lock lock(mutex_);
  std::vector<client::ObjectPtr> all;
  all.reserve(queues_.size());
  for (const auto& [name, queue] : queues_) all.push_back(queue);
  return all;
}

}  // namespace basalt::webhook
