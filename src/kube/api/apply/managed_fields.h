// Who set which field: metadata.managedFields, and server-side apply, which is decided by it.
//
// The behaviour is that of Kubernetes' field manager. Order within a request, as there: decode, prune and default the
// object; then track_update or apply_config; then mutating admission and the kind's prepare_… rules. What those later
// steps set (status of a new pod, uid, generation) therefore belongs to nobody.
// metadata.managedFields must come through decoding as the client sent it: an empty list, or one empty entry, asks the
// server to drop all owners.
#pragma once

#include <string>

#include "base/instant.h"
#include "kube/api/api_error.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

// The author of a write. An empty manager is recorded as "unknown". `subresource` is "" for the main resource.
struct FieldManager {
  std::string manager, api_version, subresource;
  Instant now;
  bool status_is_subresource = true;  // false for a CRD without a status subresource: its status is as any field
  bool custom = false;                // a kind of a CRD: /status changes nothing in metadata
};

// After a create, update or (json, merge, strategic) patch: sets next's metadata.managedFields from those of `old`
// (null for a create), from those that the client sent in `next`, and from what changed. Never fails: managedFields
// that cannot be read are dropped. Cost: O(old + next); about 10 µs for a pod.
void track_update(const Schema& schema, const text::Value* old, text::Value& next, const FieldManager& writer);

// Server-side apply of `config` on `live` (null: the object does not exist, `config` becomes it). Fields of the config
// that others own with another value are conflicts (409, one cause each) unless `force`. What this manager applied
// before and no longer mentions is removed when nobody else owns it. Returns the new object with managedFields; when
// nothing changed it is `live` with the managedFields and times it had.
[[nodiscard]] ApiResult<text::Value> apply_config(const Schema& schema, const text::Value* live,
                                                  const text::Value& config, const FieldManager& writer, bool force);

}  // namespace basalt::api
