#include "control/node/local/volume_manager.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "control/node/local/directory_names.h"
#include "control/node/local/fs_group.h"
#include "control/node/local/host_path.h"
#include "control/node/local/projection.h"
#include "control/node/local/remove_tree.h"
#include "control/node/local/safe_path.h"
#include "kube/api/go_quote.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/pod_view.h"
#include "kube/text/document_path.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;
using api::rules::object_at;

Result<void> make_directory(const fs::path& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
  return failure(ErrorCode::Io, fmt::format("{}: {}", path.string(), std::strerror(errno)));
}

std::vector<std::string> words_in(const fs::path& directory) {
  std::vector<std::string> names = list_directory(directory);
  std::erase_if(names, [](const std::string& name) { return !is_plain_word(name); });
  return names;
}

// Lays out the volumes of one pod below `home`.
class Layout {
 public:
  // Where things are; `hidden` is not for pods.
  struct Places {
    fs::path home, claims;
    HiddenPaths hidden;
  };

  Layout(const text::Object& pod, const PodPlacement& place, const PodObjectLookup& lookup, Places places)
      : pod_(pod), place_(place), lookup_(lookup), places_(std::move(places)) {
    const api::PodSecurityContextView security = api::PodView(pod).spec().security_context();
    const auto group = security.fs_group();
    if (group && *group >= 0 && *group < UINT32_MAX && geteuid() == 0) group_ = static_cast<uint32_t>(*group);
    if (security.fs_group_change_policy() == "OnRootMismatch") when_ = FsGroupChangePolicy::OnRootMismatch;
  }

  Result<void> add(api::VolumeView volume) {
    const std::string name(volume.name());
    if (!is_plain_word(name)) return invalid(fmt::format("volume {}: no good name", text::in_quotes(name)));
    auto made = make(volume, places_.home / name);
    if (!made) {
      return std::unexpected(Error{.code = made.error().code,
                                   .message = fmt::format("MountVolume.SetUp failed for volume {} : {}",
                                                          api::go_quote(name), made.error().message)});
    }
    out_.by_name.insert_or_assign(name, std::move(*made));
    return {};
  }

  PodVolumes take() { return std::move(out_); }

 private:
  using Volume = PodVolumes::Volume;

  Result<Volume> make(api::VolumeView volume, const fs::path& path) {
    if (auto projection = project(pod_, volume, place_, lookup_)) return make_files(std::move(*projection), path);
    if (const auto host = volume.host_path()) return host_path(host.path(), host.type());
    if (const auto claim = volume.persistent_volume_claim()) {
      return claimed(claim.claim_name(), claim.read_only(), path);
    }
    if (volume.empty_dir() || type_of(*volume.json()).empty()) return empty_directory(path);
    if (volume.ephemeral()) {
      out_.notes.push_back(
          fmt::format("volume {}: an ephemeral claim is a directory that is gone with the pod", volume.name()));
      return empty_directory(path);
    }
    return unsupported(*volume.json());
  }

  Result<Volume> make_files(Result<Projection> projection, const fs::path& path) {
    if (!projection) return std::unexpected(projection.error());
    if (auto written = write_files(path, projection->files, group_); !written) return std::unexpected(written.error());
    out_.notes.insert(out_.notes.end(), projection->notes.begin(), projection->notes.end());
    return Volume{.path = path, .read_only = true, .from_objects = true};
  }

  // medium Memory is on the disk as well: a tmpfs would count towards nobody's memory.
  [[nodiscard]] Result<Volume> empty_directory(const fs::path& path) const {
    struct stat found{};
    if (lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) return Volume{.path = path};
    if (auto made = make_directory(path, 0777); !made) return std::unexpected(made.error());
    if (auto opened = open_to_all(path); !opened) return std::unexpected(opened.error());
    return Volume{.path = path};
  }

  // Whoever the container runs as, it may write there: nobody else reaches the directory, its parents are ours alone.
  [[nodiscard]] Result<void> open_to_all(const fs::path& path) const {
    if (group_ && chown(path.c_str(), static_cast<uid_t>(-1), *group_) != 0) {
      return failure(ErrorCode::Io, fmt::format("{}: {}", path.string(), std::strerror(errno)));
    }
    if (chmod(path.c_str(), group_ ? 02777 : 0777) != 0) {
      return failure(ErrorCode::Io, fmt::format("{}: {}", path.string(), std::strerror(errno)));
    }
    return {};
  }

  [[nodiscard]] Result<Volume> host_path(std::string_view path, std::string_view type) const {
    auto checked = check_host_path(path, type, places_.hidden);
    if (!checked) return std::unexpected(checked.error());
    return Volume{.path = std::move(*checked)};
  }

  // `mark`: a directory whose being there says that the pod has seen the claim before.
  [[nodiscard]] Result<Volume> claimed(std::string_view name, bool read_only, const fs::path& mark) const {
    const text::Object* claim = lookup_.find_claim(api::PodView(pod_).metadata().namespace_name(), name);
    if (claim == nullptr) {
      return failure(ErrorCode::NotFound, fmt::format("persistentvolumeclaim {} not found", api::go_quote(name)));
    }
    if (api::string_at(*claim, {"spec", "volumeMode"}) == "Block") {
      return failure(ErrorCode::Unsupported, "volumeMode Block is not offered on this node; use Filesystem");
    }
    auto volume = claim_directory(*claim);
    if (!volume) return volume;
    volume->read_only = read_only;
    if (!group_ || read_only || !takes_group(*claim) || mkdir(mark.c_str(), 0700) != 0) return volume;
    if (auto given = apply_fs_group(volume->path, *group_, when_); !given) {
      rmdir(mark.c_str());  // to be tried again
      return std::unexpected(given.error());
    }
    return volume;
  }

  // As for a kubelet: what a hostPath shows keeps its owner.
  [[nodiscard]] bool takes_group(const text::Object& claim) const {
    const std::string_view name = api::string_at(claim, {"spec", "volumeName"});
    const text::Object* volume = name.empty() ? nullptr : lookup_.find_volume(name);
    return volume == nullptr || object_at(api::rules::part_of(*volume, "spec"), "local") != nullptr;
  }

  [[nodiscard]] Result<Volume> claim_directory(const text::Object& claim) const {
    const std::string_view volume_name = api::string_at(claim, {"spec", "volumeName"});
    if (!volume_name.empty()) {
      const text::Object* volume = lookup_.find_volume(volume_name);
      if (volume == nullptr) {
        return failure(ErrorCode::NotFound, fmt::format("persistentvolume {} not found", api::go_quote(volume_name)));
      }
      const text::Object& spec = api::rules::part_of(*volume, "spec");
      if (const auto* host = object_at(spec, "hostPath")) {
        return host_path(api::string_at(*host, "path"), api::string_at(*host, "type"));
      }
      if (const auto* local = object_at(spec, "local")) return host_path(api::string_at(*local, "path"), "Directory");
      return failure(ErrorCode::Unsupported,
                     fmt::format("persistentvolume {}: this node mounts hostPath and local volumes only",
                                 api::go_quote(volume_name)));
    }
    const std::string uid(api::string_at(claim, {"metadata", "uid"}));
    if (!is_plain_word(uid)) return invalid("the claim has no good uid");
    if (auto made = make_directory(places_.claims, 0700); !made) return std::unexpected(made.error());
    return empty_directory(places_.claims / uid);
  }

  // The name of its source; "" when it has none.
  static std::string_view type_of(const text::Object& volume) {
    for (const auto& member : volume) {
      if (member.key() != "name" && !member.value().is_null()) return member.key();
    }
    return {};
  }
  static Result<Volume> unsupported(const text::Object& volume) {
    return failure(ErrorCode::Unsupported,
                   fmt::format("volumes of type {} are not offered on this node; mount it on the machine and use "
                               "hostPath",
                               text::in_quotes(type_of(volume))));
  }

  const text::Object& pod_;
  const PodPlacement& place_;
  const PodObjectLookup& lookup_;
  Places places_;
  std::optional<uint32_t> group_;
  FsGroupChangePolicy when_ = FsGroupChangePolicy::Always;
  PodVolumes out_;
};

}  // namespace

Result<fs::path> VolumeManager::pod_directory(std::string_view uid) const {
  if (!is_plain_word(uid)) return invalid(fmt::format("the pod's uid {} is no good name", text::in_quotes(uid)));
  const fs::path pods = directory_ / "pods";
  if (auto made = make_directory(pods, 0700); !made) return std::unexpected(made.error());
  fs::path own = pods / uid;
  if (auto made = make_directory(own, 0700); !made) return std::unexpected(made.error());
  return own;
}

Result<PodVolumes> VolumeManager::set_up_volumes(const text::Object& pod, const PodPlacement& place,
                                                 const PodObjectLookup& lookup) const {
  const std::lock_guard lock(*mutex_);
  const api::PodView view(pod);
  auto home = pod_directory(view.metadata().uid());
  if (!home) return std::unexpected(home.error());
  *home /= "volumes";
  if (auto made = make_directory(*home, 0700); !made) return std::unexpected(made.error());

  if (view.spec().volumes().size() > kMaxVolumes) return invalid(fmt::format("more than {} volumes", kMaxVolumes));
  Layout layout(pod, place, lookup,
                {.home = *home, .claims = directory_ / "claims", .hidden = HiddenPaths::find(hidden_)});
  for (const api::VolumeView volume : view.spec().volumes()) {
    if (auto added = layout.add(volume); !added) return std::unexpected(added.error());
  }
  return layout.take();
}

Result<void> VolumeManager::remove(std::string_view uid) const {
  if (!is_plain_word(uid)) return {};  // it never had a directory
  const fs::path own = directory_ / "pods" / uid;
  // Out of the way first: it may take long, and a layout that comes too late must not meet half of it. What a crash
  // leaves is among uids().
  const fs::path aside = own.string() + ".removed";
  {
    const std::lock_guard lock(*mutex_);
    std::error_code error;
    fs::rename(own, aside, error);
    if (error == std::errc::no_such_file_or_directory) return {};
    if (error) return remove_tree(own);  // a former one is still there
  }
  return remove_tree(aside);
}

std::vector<std::string> VolumeManager::uids() const { return words_in(directory_ / "pods"); }

Result<void> VolumeManager::remove_claim(std::string_view uid) const {
  if (!is_plain_word(uid)) return {};
  return remove_tree(directory_ / "claims" / uid);
}

std::vector<std::string> VolumeManager::claim_uids() const { return words_in(directory_ / "claims"); }

}  // namespace basalt::node
