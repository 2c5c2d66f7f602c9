#include "control/volcano/job/plugins/job_plugin.h"

#include <fmt/format.h>

#include "base/fingerprint.h"
#include "control/volcano/job/plugins/ssh.h"
#include "control/volcano/pod_group_parts.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"

namespace basalt::volcano {

std::string_view WantedObject::name() const { return api::name_of(object); }

WantedObject wanted_object(api::GroupVersionResource resource, text::Object object) {
  Fingerprint fingerprint;
  for (const auto& member : object) {
    if (member.key() != "metadata") fingerprint.add(member.key()).add(text::to_json(member.value()));
  }
  return {.resource = std::move(resource), .object = std::move(object), .fingerprint = fingerprint.value()};
}

Result<text::Object> with_keys(const WantedObject& wanted, const SshKeyGenerator& keys) {
  text::Object object = wanted.object;
  if (!wanted.needs_keys) return object;
  const Result<net::SshKeys> made = keys();
  if (!made) return std::unexpected(made.error().within(fmt::format("keys for Secret {}", wanted.name())));
  put_ssh_keys(object, *made);
  return object;
}

std::optional<text::Object> object_change(const WantedObject& wanted, const text::Object& current) {
  if (wanted.once) return std::nullopt;
  const text::Object& want = api::rules::part_of(wanted.object, "data");
  const text::Object& have = api::rules::part_of(current, "data");
  text::Object data = map_change(want, have, true, same_json);
  if (data.empty()) return std::nullopt;
  return text::Object{{"data", std::move(data)}};
}

std::string plugin_resource_key(std::string_view plugin) { return fmt::format("plugin-{}", plugin); }

}  // namespace basalt::volcano
