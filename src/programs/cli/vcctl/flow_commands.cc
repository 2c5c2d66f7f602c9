// jobflow and jobtemplate: create, list, get, describe, delete. The two differ in their kind and their columns.
#include <fmt/format.h>

#include <ostream>

#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_flow_view.h"
#include "programs/cli/vcctl/commands.h"
#include "programs/cli/vcctl/manifest.h"
#include "programs/cli/vcctl/show_objects.h"

namespace basalt::cli::vcctl {
namespace {

constexpr std::string_view kDefaultNamespace = "default";

using NamesInStatus = api::ListView<std::string_view> (api::JobFlowStatusView::*)() const;

// How many names there are in a list of the status.
TableColumn members_column(std::string_view header, NamesInStatus names) {
  return {.header = header, .width = kListWidth, .cell = [names](const text::Object& flow, Instant) {
            return Cell{.text = std::to_string((api::JobFlowView(flow).status().*names)().size())};
          }};
}

ShowOptions shown_flows() {
  return {.kind = kJobFlow,
          .columns = {name_column(kListWidth), namespace_column(kListWidth),
                      phase_column("Phase", kListWidth, {"status", "state", "phase"}), age_column(kListWidth)},
          .wide = {members_column("Pending", &api::JobFlowStatusView::pending_jobs),
                   members_column("Running", &api::JobFlowStatusView::running_jobs),
                   members_column("Completed", &api::JobFlowStatusView::completed_jobs),
                   members_column("Failed", &api::JobFlowStatusView::failed_jobs),
                   text_column("Retain", kListWidth, {"spec", "jobRetainPolicy"})}};
}

ShowOptions shown_templates() {
  return {.kind = kJobTemplate,
          .columns = {name_column(kListWidth), namespace_column(kListWidth)},
          .wide = {text_column("Queue", kListWidth, {"spec", "queue"}),
                   number_column("Min", kListWidth, {"spec", "minAvailable"}), age_column(kListWidth)}};
}

Result<void> list(CommandSession& session, ShowOptions shown) {
  shown.scope.namespace_name = session.namespace_flag();
  return show_list(session, std::move(shown));
}

Result<void> get(CommandSession& session, ShowOptions shown) {
  const std::string& name = session.flags.text("name");
  if (name.empty()) {
    return invalid(fmt::format("name is mandatory to get the particular {} details", shown.kind.singular));
  }
  return show_one(session, std::move(shown), session.flags.text("namespace"), name);
}

// Does `act` for every object of the file, says what became of it, and fails in the end if one failed.
template <class Act>
Result<void> each_in_file(CommandSession& session, const VcctlKind& kind, std::string_view verb, std::string_view done,
                          const Act& act) {
  auto manifests = read_manifests(session.terminal, session.flags.text("file"), kind);
  if (!manifests) return std::unexpected(manifests.error());
  size_t failed = 0;
  for (VcctlManifest& manifest : *manifests) {
    const std::string place =
        manifest.namespace_name.empty() ? std::string(kDefaultNamespace) : manifest.namespace_name;
    const Result<std::string> name = act(manifest, place);
    if (name) {
      session.terminal.out << fmt::format("{} {}: {}/{}\n", done, kind.kind, place, *name);
    } else {
      (session.volcano_output() ? session.terminal.out : session.terminal.err)
          << fmt::format("Failed to {} {}: {}\n", verb, kind.kind, name.error().message);
      ++failed;
    }
  }
  if (failed == 0) return {};
  return failure(ErrorCode::Invalid, fmt::format("{} of {} failed", failed, manifests->size()));
}

Result<void> create(CommandSession& session, const VcctlKind& kind) {
  if (session.flags.text("file").empty()) return invalid("the file must be specified with --file or -f");
  return each_in_file(session, kind, "create", "Created",
                      [&](VcctlManifest& manifest, const std::string& place) -> Result<std::string> {
                        auto created = session.create(kind, place, std::move(manifest.object));
                        if (!created) return std::unexpected(created.error());
                        return std::string(api::name_of((*created)->get_object()));
                      });
}

Result<void> remove(CommandSession& session, const VcctlKind& kind) {
  if (!session.flags.text("file").empty()) {
    return each_in_file(session, kind, "delete", "Deleted",
                        [&](const VcctlManifest& manifest, const std::string& place) -> Result<std::string> {
                          if (manifest.name.empty()) return invalid(manifest.place + ": metadata.name: is required");
                          auto removed = session.remove(kind, place, manifest.name);
                          if (!removed) return std::unexpected(removed.error());
                          return manifest.name;
                        });
  }
  const std::string &name = session.flags.text("name"), &place = session.flags.text("namespace");
  if (name.empty()) return invalid(fmt::format("{} name must be specified", kind.singular));
  if (auto removed = session.remove(kind, place, name); !removed) return removed;
  session.terminal.out << fmt::format("Deleted {}: {}/{}\n", kind.kind, place, name);
  return {};
}

Result<void> describe(CommandSession& session, const VcctlKind& kind) {
  const std::string &name = session.flags.text("name"), &place = session.flags.text("namespace");
  const auto format = read_format(session.flags.text("format"));
  if (!format || (*format != Format::Json && *format != Format::Yaml)) {
    return invalid(fmt::format("Unsupported format: {}", printable(session.flags.text("format"))));
  }
  if (!name.empty()) {
    const auto object = session.get(kind, place, name);
    if (!object) return std::unexpected(object.error());
    print_one(session.terminal, *format, kind, (*object)->get_object());
    return {};
  }
  const auto listed = session.list(kind, {.namespace_name = place});
  if (!listed) return std::unexpected(listed.error());
  for (size_t i = 0; i < listed->items.size(); ++i) {
    if (i > 0) session.terminal.out << (*format == Format::Yaml ? "---\n" : "\n\n");
    print_one(session.terminal, *format, kind, listed->items[i]->get_object());
  }
  return {};
}

}  // namespace

Result<void> create_flows(CommandSession& session) { return create(session, kJobFlow); }
Result<void> list_flows(CommandSession& session) { return list(session, shown_flows()); }
Result<void> get_flow(CommandSession& session) { return get(session, shown_flows()); }
Result<void> describe_flows(CommandSession& session) { return describe(session, kJobFlow); }
Result<void> delete_flows(CommandSession& session) { return remove(session, kJobFlow); }
Result<void> create_templates(CommandSession& session) { return create(session, kJobTemplate); }
Result<void> list_templates(CommandSession& session) { return list(session, shown_templates()); }
Result<void> get_template(CommandSession& session) { return get(session, shown_templates()); }
Result<void> describe_templates(CommandSession& session) { return describe(session, kJobTemplate); }
Result<void> delete_templates(CommandSession& session) { return remove(session, kJobTemplate); }

}  // namespace basalt::cli::vcctl
