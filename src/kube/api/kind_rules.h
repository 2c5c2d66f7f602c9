// What a kind demands beyond its schema: a struct of optional functions, null = nothing to do.
//
// All are pure functions over one object (and its former state). The server calls them in the order in which they stand
// here; what needs other objects (quota, priority classes, namespaces) is the server's admission chain.
#pragma once

#include <string>
#include <vector>

#include "kube/api/api_error.h"
#include "kube/text/json.h"

namespace basalt::api {

enum class NameRule : uint8_t {
  Subdomain,    // DNS-1123 subdomain, 253
  Label,        // DNS-1123 label, 63
  ServiceName,  // DNS-1035 label, 63
  PathSegment,  // anything but "." ".." and '/' '%' (rbac)
};

struct KindRules {
  NameRule name_rule = NameRule::Subdomain;
  bool counts_generation = false;  // metadata.generation rises when anything but metadata and status changes

  // Defaults that depend on other fields, after those of the schema (imagePullPolicy by tag, requests from limits).
  void (*complete)(text::Object& object) = nullptr;
  // Create: clears what a client may not set, sets what starts a life (status.phase Pending).
  void (*prepare_create)(text::Object& object) = nullptr;
  // Update of the main resource, after the server put the old status back (when there is a status subresource).
  void (*prepare_update)(text::Object& next, const text::Object& old) = nullptr;
  // Update of /status, after the server put everything but status back.
  void (*prepare_status)(text::Object& next, const text::Object& old) = nullptr;
  // Create and update of the main resource: the new state on its own.
  void (*validate)(const text::Object& object, Causes& causes) = nullptr;
  void (*validate_update)(const text::Object& next, const text::Object& old, Causes& causes) = nullptr;
  void (*validate_status)(const text::Object& next, const text::Object& old, Causes& causes) = nullptr;
  // Create only, after validate: what an object may gain later but not be born with.
  void (*validate_create)(const text::Object& object, Causes& causes) = nullptr;
  // Create and update of the main resource, when it is valid: what the client should know all the same.
  void (*warn)(const text::Object& object, std::vector<std::string>& warnings) = nullptr;
};

// The rules of a built-in kind, by group and kind; an empty KindRules when it has none. Never null.
[[nodiscard]] const KindRules* rules_of(std::string_view group, std::string_view kind);

}  // namespace basalt::api
