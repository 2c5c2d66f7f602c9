#include "control/node/local/projection.h"

#include <fmt/format.h>

#include <algorithm>

#include "control/node/local/config_data.h"
#include "control/node/local/downward_api.h"
#include "control/node/local/safe_path.h"
#include "kube/api/go_quote.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"

namespace basalt::node {
namespace {

using api::rules::is_true;
using api::rules::object_at;

constexpr uint32_t kUsualMode = 0644;

class Projector {
 public:
  Projector(const text::Object& pod, const PodPlacement& place, const PodObjectLookup& lookup, uint32_t mode)
      : pod_(pod), place_(place), lookup_(lookup), space_(api::namespace_of(pod)), mode_(mode) {}

  Result<void> add_config(ConfigKind kind, const text::Object& source, std::string_view name) {
    const text::Object* object =
        kind == ConfigKind::ConfigMap ? lookup_.find_config_map(space_, name) : lookup_.find_secret(space_, name);
    const bool optional = is_true(source, "optional");
    if (object == nullptr && optional) return {};
    if (object == nullptr) {
      return failure(ErrorCode::NotFound, fmt::format("{} {} not found", word_of(kind), api::go_quote(name)));
    }
    api::StringMap data = config_data(*object, kind, true);
    const text::Array* items = api::rules::array_at(source, "items");
    if (items == nullptr || items->empty()) {
      for (auto& [key, bytes] : data) {
        if (auto added = add(key, std::move(bytes), mode_); !added) return added;
      }
      return {};
    }
    for (const text::Value& one : *items) {
      const text::Object* item = one.if_object();
      if (item == nullptr) continue;
      const std::string_view key = api::string_at(*item, "key");
      const auto found = data.find(key);
      if (found == data.end() && optional) continue;
      if (found == data.end()) return missing_key(kind, key);
      if (auto added = add(api::string_at(*item, "path"), found->second, mode_of(*item)); !added) return added;
    }
    return {};
  }

  Result<void> add_downward(const text::Object& source) {
    const text::Array* items = api::rules::array_at(source, "items");
    if (items == nullptr) return {};
    for (const text::Value& one : *items) {
      const text::Object* item = one.if_object();
      if (item == nullptr) continue;
      const text::Object* field = object_at(*item, "fieldRef");
      const text::Object* resource = object_at(*item, "resourceFieldRef");
      if (field == nullptr && resource == nullptr) continue;
      auto value = field != nullptr ? field_value(pod_, api::string_at(*field, "fieldPath"), place_)
                                    : resource_value(pod_, nullptr, *resource, place_);
      if (!value) return std::unexpected(value.error());
      if (auto added = add(api::string_at(*item, "path"), std::move(*value), mode_of(*item)); !added) return added;
    }
    return {};
  }

  Result<void> add_projected(const text::Object& projected) {
    const text::Array* sources = api::rules::array_at(projected, "sources");
    if (sources == nullptr) return {};
    for (const text::Value& one : *sources) {
      const text::Object* source = one.if_object();
      if (source == nullptr) continue;
      if (auto added = add_source(*source); !added) return added;
    }
    return {};
  }

  Projection take() { return std::move(projection_); }

 private:
  Result<void> add_source(const text::Object& source) {
    if (const auto* map = object_at(source, "configMap")) {
      return add_config(ConfigKind::ConfigMap, *map, api::string_at(*map, "name"));
    }
    if (const auto* secret = object_at(source, "secret")) {
      return add_config(ConfigKind::Secret, *secret, api::string_at(*secret, "name"));
    }
    if (const auto* downward = object_at(source, "downwardAPI")) return add_downward(*downward);
    if (const auto* token = object_at(source, "serviceAccountToken")) return add_token(*token);
    if (source.empty()) return {};
    return failure(ErrorCode::Unsupported, fmt::format("projections of type {} are not offered on this node",
                                                       std::string_view(source.begin()->key())));
  }

  Result<void> add_token(const text::Object& token) {
    const std::string_view account = api::string_at(pod_, {"spec", "serviceAccountName"});
    std::string bytes = lookup_.token ? lookup_.token(space_, account.empty() ? "default" : account) : "";
    if (!bytes.empty()) return add(api::string_at(token, "path"), std::move(bytes), mode_);
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
  [[nodiscard]] uint32_t mode_of(const text::Object& item) const {
    const auto mode = api::rules::int_at(item, "mode");
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

std::optional<Result<Projection>> project(const text::Object& pod, const text::Object& volume,
                                          const PodPlacement& place, const PodObjectLookup& lookup) {
  const text::Object* map = object_at(volume, "configMap");
  const text::Object* secret = object_at(volume, "secret");
  const text::Object* downward = object_at(volume, "downwardAPI");
  const text::Object* projected = object_at(volume, "projected");
  const text::Object* source = map != nullptr        ? map
                               : secret != nullptr   ? secret
                               : downward != nullptr ? downward
                                                     : projected;
  if (source == nullptr) return std::nullopt;
  const auto mode = api::rules::int_at(*source, "defaultMode");
  Projector projector(pod, place, lookup, mode ? static_cast<uint32_t>(*mode) & 0777U : kUsualMode);
  Result<void> done;
  if (map != nullptr) {
    done = projector.add_config(ConfigKind::ConfigMap, *map, api::string_at(*map, "name"));
  } else if (secret != nullptr) {
    done = projector.add_config(ConfigKind::Secret, *secret, api::string_at(*secret, "secretName"));
  } else if (downward != nullptr) {
    done = projector.add_downward(*downward);
  } else {
    done = projector.add_projected(*projected);
  }
  if (!done) return std::unexpected(done.error());
  return projector.take();
}

}  // namespace basalt::node
