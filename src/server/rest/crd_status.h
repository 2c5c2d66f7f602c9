// The status of a CustomResourceDefinition: its names are accepted, its kind is served.
#pragma once

#include "base/instant.h"
#include "kube/text/json.h"

namespace basalt::server {

// While it is there, a definition cannot vanish: its objects are deleted first (control/kubernetes).
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

// Brings conditions, acceptedNames and storedVersions up to date and sets the finalizer. False: nothing was missing.
bool establish(text::Object& definition, Instant now);

}  // namespace basalt::server
