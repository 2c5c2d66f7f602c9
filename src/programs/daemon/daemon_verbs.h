// The programs of a cluster, each also under its Volcano name: `basalt scheduler` is vc-scheduler, `basalt controllers`
// vc-controller-manager, `basalt webhook` vc-webhook-manager. Flags are Volcano's (docs/compat.md tells which
// have no meaning here; those are taken and told in the log). `basalt nodes` plays kubelets, for trying out and for
// tests.
//
// A program runs until SIGINT or SIGTERM (exit code 0; a second one ends it at once, with 1) or until it loses its
// lease (exit code 1: the next replica is at work, and this one starts over).
#pragma once

#include "programs/cli/verb.h"

namespace basalt::daemon {

int run_scheduler(cli::Words words);
int run_controllers(cli::Words words);
int run_webhook(cli::Words words);
int run_nodes(cli::Words words);
int run_crds(cli::Words words);  // prints Volcano's CustomResourceDefinitions, for kubectl apply

}  // namespace basalt::daemon
