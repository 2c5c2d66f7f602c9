// Reading -f: the objects of a YAML or JSON file, or of standard input for "-".
//
// Documents are split as YAML splits them. Every one must be an object of the expected kind; one that leaves out
// apiVersion and kind is taken to be. All is read before anything is sent, so that a file with a fault changes nothing.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/text/json.h"
#include "kube/text/yaml.h"
#include "programs/cli/vcctl/terminal.h"
#include "programs/cli/vcctl/vcctl_kinds.h"

namespace basalt::cli::vcctl {

inline constexpr size_t kMaxManifestBytes = size_t{32} * 1024 * 1024;

struct VcctlManifest {
  text::Object object;               // with apiVersion and kind
  std::string place;                 // "flow.yaml" or "flow.yaml: document 2", for messages
  std::string name, namespace_name;  // as written; "" when absent
};

// What messages call the file: its path, or "standard input".
[[nodiscard]] std::string place_of(const std::string& path);

// All documents, of whatever kind, at least one. Errors name file and line.
[[nodiscard]] Result<std::vector<text::Document>> read_documents(Terminal& terminal, const std::string& path);

// Errors name file, document, line and field. A file without objects is an error.
[[nodiscard]] Result<std::vector<VcctlManifest>> read_manifests(Terminal& terminal, const std::string& path,
                                                                const VcctlKind& kind);

}  // namespace basalt::cli::vcctl
