// The plugins by name, each in the file of its name. What they do is Volcano's; differences are in docs/compat.md.
#pragma once

#include <span>
#include <string_view>

#include "control/volcano/job/plugins/job_plugin.h"

namespace basalt::volcano {

using JobPluginArguments = std::span<const std::string_view>;

// Headless Service, list of hosts as files and variables, NetworkPolicy.
// --publish-not-ready-addresses=false --disable-network-policy=false --inject-hosts-env=true --inject-host-env=false
ConfiguredPlugin configure_svc(JobPluginArguments arguments);
// Keys and a configuration with which the pods reach each other by ssh.
// --ssh-key-file-path=<.ssh of root> --ssh-private-key= --ssh-public-key= --ssh-port=22
ConfiguredPlugin configure_ssh(JobPluginArguments arguments);
// The pod's index in its task as a variable; the task's size where it is asked for.
// --task-num=false
ConfiguredPlugin configure_env(JobPluginArguments arguments);
// --master=master --worker=worker --port=23456 --wait-master-enabled=false --wait-master-timeout=300
// --wait-master-image=busybox:1.36.1
ConfiguredPlugin configure_pytorch(JobPluginArguments arguments);
// --ps=ps --worker=worker --chief=chief --evaluator=evaluator --port=2222
ConfiguredPlugin configure_tensorflow(JobPluginArguments arguments);
// --master=master --worker=worker --port=22
ConfiguredPlugin configure_mpi(JobPluginArguments arguments);
// --head=head --headContainer=head --worker=worker --workerContainer=worker --port=6379 --dashboardPort=8265
// --clientPort=10001
ConfiguredPlugin configure_ray(JobPluginArguments arguments);
// --master=master --worker=worker
ConfiguredPlugin configure_hcclrank(JobPluginArguments arguments);

}  // namespace basalt::volcano
