#include "programs/cli/vcctl/connect_by_flags.h"

#include "programs/cli/server_flags.h"

namespace basalt::cli::vcctl {

Result<std::unique_ptr<client::ObjectClient>> connect_by_flags(const FlagValues& flags) {
  return connect({.kubeconfig = flags.text("kubeconfig"),
                  .context = flags.text("context"),
                  .cluster = flags.text("cluster"),
                  .user = flags.text("user"),
                  .master = flags.text("master")},
                 "vcctl");
}

}  // namespace basalt::cli::vcctl
