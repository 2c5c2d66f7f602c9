// Everything one call needs, gathered once. Shared by the steps of a call; it lives until the call is answered, also
// when the answer waits for a commit.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/instant.h"
#include "kube/api/api_resource.h"
#include "kube/api/apply/managed_fields.h"
#include "kube/api/call.h"
#include "server/chain/admission_chain.h"
#include "server/chain/quota_usage_cache.h"
#include "server/rest/api_response.h"
#include "server/rest/id_generator.h"
#include "server/rest/parsed_object_cache.h"
#include "server/store/store.h"

namespace basalt::server {

using OutcomeCallback = std::function<void(ApiOutcome)>;

// Another writer may win between our reading and our writing; then the change is computed again, this often at most.
inline constexpr int kMaxAttempts = 20;

struct CallContext {
  store::Store* store = nullptr;
  IdGenerator* ids = nullptr;
  const chain::AdmissionChainOptions* admission = nullptr;
  chain::QuotaUsageCache* quota_usage = nullptr;
  ParsedObjectCache* parsed_objects = nullptr;
  std::recursive_mutex* quota_mutex = nullptr;         // locked from admission to ordering of a create under a quota
  std::shared_ptr<const api::ApiResourceTable> kinds;  // keeps `resource` alive
  const api::ApiResource* resource = nullptr;
  api::UserInfo user;
  api::Call call;
  Instant now;
  std::vector<std::string> warnings;
  bool labels_given = false;  // create: the client set labels itself
  ObjectPtr written;     // what was ordered, kept until it is committed: its watchers in this process need not parse it
  OutcomeCallback done;  // called exactly once

  // The key of the object that the call names, in the store.
  [[nodiscard]] std::string key() const { return key_of(call.name); }
  [[nodiscard]] std::string key_of(std::string_view name) const {
    return resource->namespaced ? call.namespace_name + "/" + std::string(name) : std::string(name);
  }
  // The newest state of the object that the call names, committed or not; null when there is none.
  [[nodiscard]] store::RecordPtr latest() const { return store->latest(resource->storage_name(), key()); }
  // Who this call writes as, for managedFields.
  [[nodiscard]] api::FieldManager writer() const {
    return {.manager = call.field_manager,
            .api_version = resource->api_version(),
            .subresource = call.subresource,
            .now = now,
            .status_is_subresource = resource->has_status || !resource->custom,
            .custom = resource->custom};
  }

  void refuse(api::ApiError error) const {
    if (error.code < 500) error.warnings = warnings;
    done(std::unexpected(std::move(error)));
  }
};

using ContextPtr = std::shared_ptr<CallContext>;

// The error for what the store refused, in the words of the API.
[[nodiscard]] api::ApiError store_refusal(const store::StoreError& error, const CallContext& context);
// 409: somebody has written since the client read.
[[nodiscard]] api::ApiError modified_since(const CallContext& context);
// Why a precondition on the uid fails; "" is the uid of what does not exist.
[[nodiscard]] std::string other_uid(std::string_view wished, std::string_view actual);

}  // namespace basalt::server
