// The plugins by name, each in the file of its name. What they do is Volcano's; differences are in docs/compat.md.
#pragma once

#include <span>
#include <string_view>

#include "control/volcano/job/plugins/plugin.h"

namespace basalt::volcano {

using PluginArguments = std::span<const std::string_view>;

// Headless Service, list of hosts as files and variables, NetworkPolicy.
// --publish-not-ready-addresses=false --disable-network-policy=false --inject-hosts-env=true --inject-host-env=false
ArmedPlugin arm_svc(PluginArguments arguments);
// Keys and a configuration with which the pods reach each other by ssh.
// --ssh-key-file-path=<.ssh of root> --ssh-private-key= --ssh-public-key= --ssh-port=22
ArmedPlugin arm_ssh(PluginArguments arguments);
// The pod's index in its task as a variable; the task's size where it is asked for.
// --task-num=false
ArmedPlugin arm_env(PluginArguments arguments);
// --master=master --worker=worker --port=23456 --wait-master-enabled=false --wait-master-timeout=300
// --wait-master-image=busybox:1.36.1
ArmedPlugin arm_pytorch(PluginArguments arguments);
// --ps=ps --worker=worker --chief=chief --evaluator=evaluator --port=2222
ArmedPlugin arm_tensorflow(PluginArguments arguments);
// --master=master --worker=worker --port=22
ArmedPlugin arm_mpi(PluginArguments arguments);
// --head=head --headContainer=head --worker=worker --workerContainer=worker --port=6379 --dashboardPort=8265
// --clientPort=10001
ArmedPlugin arm_ray(PluginArguments arguments);
// --master=master --worker=worker
ArmedPlugin arm_hcclrank(PluginArguments arguments);

}  // namespace basalt::volcano
