#include "programs/cli/apply/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <ostream>

#include "base/ascii.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "programs/cli/apply/rest_mapper.h"
#include "programs/cli/flag_parser.h"
#include "programs/cli/server_flags.h"
#include "programs/cli/vcctl/command_session.h"

namespace basalt::cli {
namespace apply {
namespace {

// "job.batch.volcano.sh/train", as kubectl names an object.
std::string shown_name(const RestMapping& target, const text::Object& object) {
  const std::string kind = lower(api::ObjectView(object).kind());
  const std::string group = target.resource.group.empty() ? "" : "." + target.resource.group;
  return vcctl::printable(fmt::format("{}{}/{}", kind, group, api::name_of(object)));
}

api::Call call_for(const RestMapping& target, const ApplyOptions& options, text::Object object) {
  api::Call call{.verb = api::Verb::Patch,
                 .resource = target.resource,
                 .name = std::string(api::name_of(object)),
                 .patch = api::PatchType::Apply,
                 .dry_run = options.dry_run,
                 .force = options.force,
                 .field_manager = "basalt-apply"};
  if (target.namespaced) {
    const std::string_view own = api::namespace_of(object);
    call.namespace_name = own.empty() ? std::string_view(options.namespace_name) : own;
    api::metadata_of(object)["namespace"] = call.namespace_name;
  }
  if (call.name.empty()) {  // generateName
    call.verb = api::Verb::Create;
    call.force = false;
  }
  call.body = std::move(object);
  return call;
}

Result<std::string> apply_one(client::ObjectClient& client, RestMapper& kinds, const ApplyOptions& options,
                              text::Object object, vcctl::Terminal& terminal) {
  const auto target =
      kinds.find(std::string(api::ObjectView(object).api_version()), std::string(api::ObjectView(object).kind()));
  if (!target) return std::unexpected(target.error());
  const auto outcome = client.call(call_for(*target, options, std::move(object)));
  const auto& warnings = outcome ? outcome->warnings : outcome.error().warnings;
  for (const std::string& warning : warnings) terminal.err << "Warning: " << vcctl::printable(warning) << '\n';
  if (!outcome) return std::unexpected(vcctl::error_of(outcome.error()));
  if (outcome->object == nullptr || !outcome->object->is_object()) {
    return failure(ErrorCode::Io, "the server answered with something that is no object");
  }
  return fmt::format("{} {}{}", shown_name(*target, outcome->object->get_object()),
                     outcome->created ? "created" : "applied", options.dry_run ? " (server dry run)" : "");
}

}  // namespace

size_t apply_objects(client::ObjectClient& client, const ApplyOptions& options, std::vector<ApplyManifest> manifests,
                     vcctl::Terminal& terminal) {
  RestMapper kinds(client);
  size_t refused = 0;
  for (ApplyManifest& manifest : manifests) {
    const auto done = apply_one(client, kinds, options, std::move(manifest.object), terminal);
    if (done) {
      terminal.out << *done << '\n';
    } else {
      ++refused;
      terminal.err << fmt::format("basalt apply: {}: {}\n", manifest.place, done.error().message);
    }
  }
  terminal.out.flush();
  return refused;
}

}  // namespace apply

int run_apply(Words words) {
  apply::ApplyOptions options;
  ServerFlags server;
  FlagParser app("Create or change the objects of manifests by server-side apply.", "basalt apply");
  app.add_option("--filename,-f", options.files, "YAML or JSON file, - for standard input; repeatable")->required();
  app.add_option("--namespace,-n", options.namespace_name, "of objects that name none")->capture_default_str();
  app.add_flag("--force", options.force, "take over fields that others manage");
  app.add_flag("--dry-run", options.dry_run, "let the server check everything and keep nothing");
  add_server_flags(app, server);
  if (const auto over = parse_words(app, words); over) return *over;
  std::signal(SIGPIPE, SIG_IGN);  // a connection that the server closed is an error, not a reason to die
  vcctl::Terminal terminal = vcctl::real_terminal();
  auto manifests = apply::read_objects(options, terminal);
  if (!manifests) {
    terminal.err << "basalt apply: " << manifests.error().message << '\n';
    return kUsage;
  }
  const auto client = connect(server, "basalt-apply");
  if (!client) {
    terminal.err << "basalt apply: " << client.error().message << '\n';
    return kFailed;
  }
  return apply::apply_objects(**client, options, std::move(*manifests), terminal) == 0 ? kOk : kFailed;
}

}  // namespace basalt::cli
