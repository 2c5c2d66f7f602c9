// A container's environment and command line. Pure but for NodeEnvironment, which the caller fills.
//
// Later sources win over earlier ones:
//   1. PATH, HOME and the like of this machine (NodeEnvironment::variables), and HOSTNAME
//   2. services: {NAME}_SERVICE_HOST, _SERVICE_PORT and {NAME}_PORT…; those of the API server always, those of the
//      pod's namespace unless enableServiceLinks is false
//   3. envFrom, in order
//   4. env, in order; "$(NAME)" in a value means a variable of 2 or 3, or one of env that came before
// Commands and arguments are expanded with 2 to 4.
//
// An error is what a kubelet would say with reason CreateContainerConfigError: `configmap "x" not found`. It may be
// gone the next time, when the object is there.
#pragma once

#include <string>
#include <vector>

#include "control/node/local/object_lookup.h"
#include "control/node/local/variable_expansion.h"

namespace basalt::node {

inline constexpr size_t kMaxEnvironmentBytes = size_t{1} << 20U;  // all "K=V" together; Linux takes some 2 MiB
inline constexpr size_t kMaxVariables = 10'000;

struct NodeEnvironment {
  Variables variables;                // 1. above
  std::string api_address, api_port;  // of the API server; "": the address of the service default/kubernetes
};

struct Environment {
  Variables all;                   // 1 to 4
  Variables declared;              // 2 to 4
  std::vector<std::string> notes;  // keys of envFrom that are no names of variables, and were left out

  [[nodiscard]] std::vector<std::string> as_list() const;  // "K=V", in the order of names
};

// Cost: O(services of the namespace + variables).
[[nodiscard]] Result<Environment> make_environment(const text::Object& object, const text::Object& container,
                                                   const NodeEnvironment& host, const PodPlacement& place,
                                                   const PodObjectLookup& lookup);

struct CommandLine {
  std::vector<std::string> command, args;  // either may be empty: then the image decides
};
[[nodiscard]] Result<CommandLine> command_line(const text::Object& object, const Environment& environment);

// PATH, HOME, LANG, TZ and the like, as this process has them; a usual PATH when it has none.
[[nodiscard]] Variables host_variables();

}  // namespace basalt::node
