#include "node/local/mounts.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "api/go_text.h"
#include "api/object_fields.h"
#include "api/rules/fields.h"
#include "node/local/safe_path.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

// subPath, or subPathExpr with its variables put in; "": the whole volume.
Result<std::string> sub_path(const text::Object& mount, const Variables& variables) {
  const std::string_view plain = api::string_at(mount, "subPath");
  const std::string_view expression = api::string_at(mount, "subPathExpr");
  if (!plain.empty() || expression.empty()) return std::string(plain);
  std::string missing;
  auto expanded = expand(expression, [&](std::string_view name) -> const std::string* {
    const auto found = variables.find(name);
    if (found != variables.end()) return &found->second;
    missing = name;
    return nullptr;
  });
  if (expanded && !missing.empty()) {
    return invalid(fmt::format("subPathExpr {}: there is no variable {}", api::go_quote(expression), missing));
  }
  return expanded;
}

Result<fs::path> source_of(const PodVolumes::Volume& volume, const std::string& below) {
  if (below.empty()) return volume.path;
  const auto relative = relative_path(below);
  if (!relative) return relative;
  auto source = resolve_beneath(volume.path, *relative);
  if (!source) return source;
  std::error_code error;
  if (fs::exists(*source, error)) return source;
  if (volume.from_objects) {
    return failure(ErrorCode::NotFound, fmt::format("subPath {} is not in the volume", api::go_quote(below)));
  }
  fs::create_directories(*source, error);
  if (error) return failure(ErrorCode::Io, fmt::format("subPath {}: {}", api::go_quote(below), error.message()));
  // As open to the container's user as the volume itself.
  fs::permissions(*source, fs::status(volume.path, error).permissions(), error);
  return source;
}

Result<Mount> mount_of(const text::Object& mount, const PodVolumes& volumes, const Variables& variables) {
  const std::string_view name = api::string_at(mount, "name");
  const auto volume = volumes.by_name.find(name);
  if (volume == volumes.by_name.end()) return invalid(fmt::format("volume {} is not defined", api::go_quote(name)));

  const std::string_view given = api::string_at(mount, "mountPath");
  const auto target = absolute_path(given.starts_with('/') ? std::string(given) : "/" + std::string(given));
  if (!target) return std::unexpected(target.error().within("mountPath"));
  if (!target->has_relative_path()) return invalid("mountPath: a volume cannot stand in place of \"/\"");

  const auto below = sub_path(mount, variables);
  if (!below) return std::unexpected(below.error());
  auto source = source_of(volume->second, *below);
  if (!source) return std::unexpected(source.error());
  return Mount{.source = std::move(*source),
               .target = target->string(),
               .read_only = volume->second.read_only || api::rules::is_true(mount, "readOnly")};
}

}  // namespace

Result<std::vector<Mount>> mounts_of(const text::Object& container, const PodVolumes& volumes,
                                     const Variables& variables) {
  std::vector<Mount> out;
  const text::Array* list = api::rules::array_at(container, "volumeMounts");
  if (list == nullptr) return out;
  if (list->size() > kMaxMounts) return invalid(fmt::format("more than {} volumeMounts", kMaxMounts));
  for (const text::Value& one : *list) {
    const text::Object* mount = one.if_object();
    if (mount == nullptr) continue;
    auto made = mount_of(*mount, volumes, variables);
    if (!made) {
      return std::unexpected(made.error().within(
          fmt::format("failed to prepare volumeMount {}", api::go_quote(api::string_at(*mount, "name")))));
    }
    out.push_back(std::move(*made));
  }
  return out;
}

}  // namespace basalt::node
