// `basalt apply -f FILE…`: what kubectl apply --server-side does, for machines without kubectl.
//
// All files are read before anything is sent, so that a file with a fault changes nothing. Objects are then applied one
// after the other in their order; one that the server refuses does not keep the others back. An object with
// generateName instead of a name is created. Exit status: 0 all applied, 1 some refused or the server out of reach,
// 2 wrong words or a file that cannot be read.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client/object_client.h"
#include "kube/text/json.h"
#include "programs/cli/vcctl/terminal.h"
#include "programs/cli/verb.h"

namespace basalt::cli {

namespace apply {

inline constexpr size_t kMaxManifests = 100'000;  // in one call, lists unfolded

struct ApplyOptions {
  std::vector<std::string> files;          // "-": standard input
  std::string namespace_name = "default";  // of objects that name none
  bool force = false;                      // take over fields that others manage
  bool dry_run = false;
};

struct ApplyManifest {
  text::Object object;
  std::string place;  // "jobs.yaml: document 2", for messages
};

// The objects of all files, a List as its items. Errors name file, document, line and field.
[[nodiscard]] Result<std::vector<ApplyManifest>> read_objects(const ApplyOptions& options, vcctl::Terminal& terminal);

// How many were refused; each is told on `terminal.err`, the others ("job.batch.volcano.sh/a created") on
// `terminal.out`.
size_t apply_objects(client::ObjectClient& client, const ApplyOptions& options, std::vector<ApplyManifest> manifests,
                     vcctl::Terminal& terminal);

}  // namespace apply

int run_apply(Words words);

}  // namespace basalt::cli
