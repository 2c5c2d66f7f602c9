// vcctl names: what completion asks for the names of objects.
#include <fmt/format.h>

#include <array>
#include <ostream>

#include "kube/api/object_fields.h"
#include "programs/cli/vcctl/command_flags.h"
#include "programs/cli/vcctl/commands.h"

namespace basalt::cli::vcctl {

Result<void> print_names(CommandSession& session) {
  static constexpr std::array<const VcctlKind*, 7> kKinds = {&kJob,      &kQueue,         &kJobFlow,      &kJobTemplate,
                                                             &kPodGroup, &kNamespaceKind, &kPriorityClass};
  const std::string word = session.flags.arguments().empty() ? "" : session.flags.arguments()[0];
  for (const VcctlKind* kind : kKinds) {
    if (kind->singular != word) continue;
    const auto listed = session.list(*kind, {.namespace_name = kind->namespaced ? session.namespace_flag() : ""});
    if (!listed) return std::unexpected(listed.error());
    for (const client::ObjectPtr& object : listed->items) {
      session.terminal.out << printable(api::name_of(object->get_object())) << '\n';
    }
    return {};
  }
  return invalid(fmt::format("name a kind: {}", kNamedKinds));
}

}  // namespace basalt::cli::vcctl
