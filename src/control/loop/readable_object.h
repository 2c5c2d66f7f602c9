// Objects come over the wire: one may be missing, or no object at all.
#pragma once

#include "kube/client/object_client.h"

namespace basalt::loop {

[[nodiscard]] inline bool is_readable(const client::ObjectPtr& object) {
  return object != nullptr && object->is_object();
}

}  // namespace basalt::loop
