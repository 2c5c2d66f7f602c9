// One request to the API, as data. The HTTP handler makes it from a request, an HTTPS client turns it into one, and the
// in-process client hands it over as it is: the three have one contract.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/api/api_error.h"
#include "kube/api/api_resource.h"
#include "kube/text/json.h"

namespace basalt::api {

enum class Verb : uint8_t { Get, List, Watch, Create, Update, Patch, Delete, DeleteCollection };
enum class PatchType : uint8_t { Json, Merge, Strategic, Apply };
enum class FieldValidation : uint8_t { Ignore, Warn, Strict };
enum class ResourceVersionMatch : uint8_t { Unset, NotOlderThan, Exact };

// Which part of a pod's log is asked for.
struct PodLogOptions {
  std::string container;   // "": the only one
  std::string since_time;  // RFC 3339; "": from the beginning
  bool timestamps = false;
  bool previous = false;  // of the container's run before this one
};

struct Call {
  Verb verb = Verb::Get;
  GroupVersionResource resource;
  std::string namespace_name;  // "" on a namespaced kind: all namespaces (list, watch, delete collection of one only)
  std::string name;
  std::string subresource;  // "status", "scale", "binding", "eviction"
  text::Value body;         // create, update: the object; patch: the patch; delete: DeleteOptions or null
  std::string unreadable;   // a patch that is no JSON: why; it is refused once the object is known to exist
  PatchType patch = PatchType::Merge;

  // Write options.
  bool dry_run = false;
  bool force = false;         // apply: take fields over from other managers
  std::string field_manager;  // "": from the user agent
  FieldValidation field_validation = FieldValidation::Warn;

  // Read options.
  std::string label_selector, field_selector;
  std::string resource_version;  // as given: "", "0" or a number
  ResourceVersionMatch version_match = ResourceVersionMatch::Unset;
  std::string continue_token;
  int64_t limit = 0;
  bool bookmarks = false;
  std::optional<bool> send_initial_events;
  int64_t timeout_seconds = 0;
  std::optional<PodLogOptions> log;  // of the subresource "log"
};

struct UserInfo {
  std::string name, uid;
  std::vector<std::string> groups;
};

}  // namespace basalt::api
