// The queues and namespaces as they were last heard of. From any thread: network threads read, the loop's writes.
//
// Cost: O(log objects) to find or change one, O(queues) for the list of them.
#pragma once

#include <map>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/object_client.h"

namespace basalt::webhook {

enum class CachedKind : uint8_t { Queue, Namespace };

class AdmissionCache {
 public:
  // An older state than the one that is known changes nothing.
  void learn(CachedKind kind, const client::ObjectPtr& object);
  void forget(CachedKind kind, const std::string& name);
  [[nodiscard]] std::vector<std::string> names(CachedKind kind) const;

  [[nodiscard]] client::ObjectPtr find(CachedKind kind, std::string_view name) const;  // null: not known
  [[nodiscard]] std::vector<client::ObjectPtr> queues() const;                         // by name

 private:
  using Objects = std::map<std::string, client::ObjectPtr, std::less<>>;
  [[nodiscard]] Objects& of(CachedKind kind) { return kind == CachedKind::Queue ? queues_ : namespaces_; }
  [[nodiscard]] const Objects& of(CachedKind kind) const { return kind == CachedKind::Queue ? queues_ : namespaces_; }

  mutable std::shared_mutex mutex_;
  Objects queues_, namespaces_;
};

}  // namespace basalt::webhook
