// `basalt check`: does the cluster keep the invariants of check_rules.h? It reads the API and nothing else, and writes
// nothing, so it can be asked at any time, of Volcano's cluster as of ours.
//
// A cluster that works changes while it is read, and what is broken for a moment may be under repair. So the objects
// are read again, once a second and at most for `patience`, as long as there are complaints that are not firm: only
// those count that were there each time. Exit status: kOk nothing is broken, kFailed something is, kUsage the words
// were wrong or the cluster could not be read.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "kube/client/object_client.h"
#include "programs/cli/check/check_rules.h"
#include "programs/cli/vcctl/terminal.h"
#include "programs/cli/verb.h"

namespace basalt::cli {
namespace checkup {

inline constexpr int kMaxListRestarts = 3;  // when a page came too late for the server (410)
inline constexpr Duration kReadAgainAfter = Duration::seconds(1);

// All objects that the rules ask for. Cost: one list per kind, page by page.
[[nodiscard]] Result<CheckedCluster> read_cluster(client::ObjectClient& client, const PolicyPlace& policy = {});

struct CheckVerbOptions {
  Duration patience = Duration::seconds(10);
  Duration gang_patience = Duration::seconds(60);
  PolicyPlace policy;
  bool json = false;
  std::function<void(Duration)> pause;  // waits that long; Requires: not empty
};

struct CheckReport {
  CheckedCluster cluster;  // as it was read last
  std::vector<Finding> findings;
};

// Reads until what is found lasts. `now` is asked at each read.
[[nodiscard]] Result<CheckReport> check_until_stable(client::ObjectClient& client, const CheckVerbOptions& options,
                                                     const std::function<Instant()>& now);

// Examines and prints; the exit status of the verb.
[[nodiscard]] int check_and_print(client::ObjectClient& client, const CheckVerbOptions& options,
                                  vcctl::Terminal& terminal);

}  // namespace checkup

int run_check(Words words);

}  // namespace basalt::cli
