#include <fmt/format.h>

#include "kube/api/volcano_crds.h"
#include "kube/text/yaml_writer.h"
#include "programs/daemon/daemon_verbs.h"
#include "programs/daemon/program_flags.h"
#include "programs/daemon/program_start.h"

namespace basalt::daemon {
namespace {

constexpr ProgramInfo kCrdsProgram{.name = "basalt crds",
                                   .usage =
                                       "Print the CustomResourceDefinitions of Volcano's kinds as YAML:\n"
                                       "  basalt crds | kubectl apply --server-side -f -"};

constexpr std::string_view kNamespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: volcano-system\n";

}  // namespace

int run_crds(cli::Words words) {
  const auto flags = parse_program_flags(kCrdsProgram, crds_flags(), words);
  if (!flags) return flags.error();
  if (flags->on("namespace")) fmt::print("---\n{}", kNamespace);
  for (const text::Value& definition : api::volcano_crds()) fmt::print("---\n{}", text::to_yaml(definition));
  return cli::kOk;
}

}  // namespace basalt::daemon
