#include "control/node/local/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>

#include "control/node/local/config_data.h"
#include "control/node/local/downward_api.h"
#include "control/node/local/safe_path.h"
#include "kube/api/go_quote.h"
#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

constexpr uint32_t kUsualMode = 0644;

class Projector {
 public:
  Projector(const text::Object& pod, const PodPlacement& place, const PodObjectLookup& lookup, uint32_t mode)
      : pod_(pod), place_(place), lookup_(lookup), space_(api::PodView(pod).metadata().namespace_name()), mode_(mode) {}

  // Of a volume or of a projection.
  template <std::derived_from<api::View> Source>
  Result<void> add_config(ConfigKind kind, Source source, std::string_view name) {
    const text::Object* object =
        kind == ConfigKind::ConfigMap ? lookup_.find_config_map(space_, name) : lookup_.find_secret(space_, name);
    const bool optional = source.optional().value_or(false);
    if (object == nullptr && optional) return {};
    if (object == nullptr) {
      return failure(ErrorCode::NotFound, fmt::format("{} {} not found", word_of(kind), api::go_quote(name)));
    }
    api::StringMap data = config_data(*object, kind, true);
    if (source.items().empty()) {
      for (auto& [key, bytes] : data) {
        if (auto added = add(key, std::move(bytes), mode_); !added) return added;
      }
      return {};
    }
    for (const api::KeyToPathView item : source.items()) {
      const auto found = data.find(item.key());
      if (found == data.end() && optional) continue;
      if (found == data.end()) return missing_key(kind, item.key());
      if (auto added = add(item.path(), found->second, mode_of(item.mode())); !added) return added;
    }
    return {};
  }

  Result<void> add_downward(api::ListView<api::DownwardAPIVolumeFileView> items) {
    for (const api::DownwardAPIVolumeFileView item : items) {
      const api::ObjectFieldSelectorView field = item.field_ref();
      const api::ResourceFieldSelectorView resource = item.resource_field_ref();
      if (!field && !resource) continue;
      auto value = field ? field_value(pod_, field.field_path(), place_) : resource_value(pod_, {}, resource, place_);
      if (!value) return std::unexpected(value.error());
      if (auto added = add(item.path(), std::move(*value), mode_of(item.mode())); !added) return added;
    }
    return {};
  }

  Result<void> add_projected(api::ProjectedVolumeSourceView projected) {
    for (const api::VolumeProjectionView source : projected.sources()) {
      if (auto added = add_source(source); !added) return added;
    }
    return {};
  }

  Projection take() { return std::move(projection_); }

 private:
  Result<void> add_source(api::VolumeProjectionView source) {
    if (const auto map = source.config_map()) return add_config(ConfigKind::ConfigMap, map, map.name());
    if (const auto secret = source.secret()) return add_config(ConfigKind::Secret, secret, secret.name());
    if (const auto downward = source.downward_api()) return add_downward(downward.items());
    if (const auto token = source.service_account_token()) return add_token(token);
    if (source.json()->empty()) return {};
    return failure(ErrorCode::Unsupported, fmt::format("projections of type {} are not offered on this node",
                                                       std::string_view(source.json()->begin()->key())));
  }

  Result<void> add_token(api::ServiceAccountTokenProjectionView token) {
    const std::string_view account = api::PodView(pod_).spec().service_account_name();
    std::string bytes = lookup_.token ? lookup_.token(space_, account.empty() ? "default" : account) : "";
    if (!bytes.empty()) return add(token.path(), std::move(bytes), mode_);
    projection_.notes.emplace_back("service account tokens are not given out here: the file is left out");
    return {};
  }

  Result<void> add(std::string_view path, std::string bytes, uint32_t mode) {
    const auto safe = relative_path(path);
    if (!safe) return std::unexpected(safe.error());
    std::string name = safe->string();
    if (name.starts_with("..")) return invalid(fmt::format("path {}: must not start with '..'", api::go_quote(path)));
    bytes_ += bytes.size();
    if (bytes_ > kMaxVolumeBytes || projection_.files.size() >= kMaxFilesInVolume) {
      return invalid(fmt::format("a volume holds at most {} bytes in {} files", kMaxVolumeBytes, kMaxFilesInVolume));
    }
    projection_.files.insert_or_assign(std::move(name), VolumeFile{.bytes = std::move(bytes), .mode = mode});
    return {};
  }

  static Result<void> missing_key(ConfigKind kind, std::string_view key) {
    return failure(ErrorCode::NotFound, kind == ConfigKind::ConfigMap
                                            ? fmt::format("configmap references non-existent config key: {}", key)
                                            : fmt::format("references non-existent secret key: {}", key));
  }
  [[nodiscard]] uint32_t mode_of(std::optional<int64_t> mode) const {
    return mode ? static_cast<uint32_t>(*mode) & 0777U : mode_;
  }

  const text::Object& pod_;
  const PodPlacement& place_;
  const PodObjectLookup& lookup_;
  std::string_view space_;
  uint32_t mode_;
  size_t bytes_ = 0;
  Projection projection_;
};

}  // namespace

std::optional<Result<Projection>> project(const text::Object& pod, api::VolumeView volume, const PodPlacement& place,
                                          const PodObjectLookup& lookup) {
  const auto projector_with = [&](std::optional<int64_t> mode) {
    return Projector(pod, place, lookup, mode ? static_cast<uint32_t>(*mode) & 0777U : kUsualMode);
  };
  const auto result = [](Projector& projector, Result<void> done) -> Result<Projection> {
    if (!done) return std::unexpected(done.error());
    return projector.take();
  };
  if (const auto map = volume.config_map()) {
    Projector projector = projector_with(map.default_mode());
    return result(projector, projector.add_config(ConfigKind::ConfigMap, map, map.name()));
  }
  if (const auto secret = volume.secret()) {
    Projector projector = projector_with(secret.default_mode());
    return result(projector, projector.add_config(ConfigKind::Secret, secret, secret.secret_name()));
  }
  if (const auto downward = volume.downward_api()) {
    Projector projector = projector_with(downward.default_mode());
    return result(projector, projector.add_downward(downward.items()));
  }
  if (const auto projected = volume.projected()) {
    Projector projector = projector_with(projected.default_mode());
    return result(projector, projector.add_projected(projected));
  }
  return std::nullopt;
}

}  // namespace basalt::node
