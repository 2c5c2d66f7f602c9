#include "programs/cli/vcctl/bus_command.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"

namespace basalt::cli::vcctl {

Result<void> issue_command(CommandSession& session, const VcctlKind& kind, const text::Object& target,
                           std::string_view namespace_name, std::string_view action) {
  const std::string small = lower(action);
  const text::Object reference{{"apiVersion", kind.api_version()},
                               {"kind", kind.kind},
                               {"name", api::name_of(target)},
                               {"uid", api::ObjectView(target).metadata().uid()},
                               {"controller", true},
                               {"blockOwnerDeletion", true}};
  const auto created = session.create(
      kCommand, namespace_name,
      text::Object{{"apiVersion", kCommand.api_version()},
                   {"kind", kCommand.kind},
                   {"metadata", text::Object{{"generateName", fmt::format("{}-{}-", api::name_of(target), small)},
                                             {"namespace", namespace_name},
                                             {"ownerReferences", text::Array{reference}}}},
                   {"action", action},
                   {"target", reference}});
  if (!created) return std::unexpected(created.error());
  return {};
}

}  // namespace basalt::cli::vcctl
