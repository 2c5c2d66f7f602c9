#include "control/node/local/container_root.h"

#include <sys/mount.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "control/node/local/container_devices.h"
#include "control/node/local/hidden_paths.h"
#include "control/node/local/root_path.h"
#include "control/node/local/root_steps.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

// What put_system() fills.
constexpr std::string_view kSystem[] = {"/dev", "/proc", "/sys"};

// A mount with its path as it is in the root.
struct Placed {
  Mount mount;
  RootPath at;
  bool is_directory = false;  // the source
};

// What `path` is in another place: `from` in front becomes `to`. Requires: it is or lies below `from`.
std::string moved(const std::string& path, const std::string& from, const std::string& to) {
  return to + path.substr(from == "/" ? 0 : from.size());
}

fs::path source_of(const Mount& mount) { return mount.below.empty() ? mount.source : mount.source / mount.below; }

class RootPlan {
 public:
  // `base`: the image's root, without links, or "/".
  RootPlan(const ContainerRootOptions& root_options, fs::path base) : wish_(root_options), base_(std::move(base)) {}

  Result<std::vector<RootStep>> make() {
    if (auto placed = place_all(); !placed) return std::unexpected(placed.error());
    mount("", "/", "", MS_REC | MS_PRIVATE);
    mount("tmpfs", wish_.stage.string(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755");
    mount("", wish_.stage.string(), "", MS_UNBINDABLE);  // or binding what holds the stage would bind it into itself
    for (const char* hold : {kHoldDirectory, kHoldFile}) {
      const RootStepKind make = hold == kHoldFile ? RootStepKind::MakeFile : RootStepKind::MakeDirectory;
      steps_.push_back({.kind = make, .target = wish_.stage.string() + hold});
    }
    if (wish_.root) {
      begin_image();
    } else {
      top_ = wish_.stage.string();
      bind_entries("/");
    }
    cover_directories();
    make_mount_points();
    make_working_directory(false);
    hide(wish_.root ? base_.string() : "/", top_);
    put_system();
    for (const Placed& placed : placed_) put(placed);
    make_working_directory(true);
    steps_.push_back({.kind = RootStepKind::Enter, .target = top_});
    mount("", "/", "", MS_PRIVATE);
    return std::move(steps_);
  }

 private:
  void mount(const std::string& source, const std::string& target, const std::string& type, unsigned long flags,
             const std::string& data = "") {
    steps_.push_back(
        {.kind = RootStepKind::Mount, .source = source, .target = target, .type = type, .data = data, .flags = flags});
  }
  void make_directory(const std::string& path) {
    steps_.push_back({.kind = RootStepKind::MakeDirectory, .target = path});
  }
  [[nodiscard]] std::string inside(const std::string& path) const { return top_ + path; }

  void bind(const std::string& source, const std::string& target, ToleratedFailure tolerated = ToleratedFailure::None) {
    steps_.push_back({.kind = RootStepKind::Bind, .source = source, .target = target, .tolerated = tolerated});
  }

  Result<void> place_all() {
    if (wish_.mounts.size() > kMaxRootMounts) {
      return invalid("a container can have " + std::to_string(kMaxRootMounts) + " mounts, not " +
                     std::to_string(wish_.mounts.size()));
    }
    for (const Mount& each : wish_.mounts) {
      std::error_code error;
      const auto status = fs::symlink_status(source_of(each), error);
      if (!fs::exists(status)) {
        return failure(ErrorCode::NotFound,
                       "cannot mount " + each.source.string() + " at " + each.target + ": it does not exist");
      }
      auto at = resolve_in_root(base_, each.target);
      if (!at) return std::unexpected(at.error().within("cannot mount " + each.source.string()));
      if (at->path == "/") return invalid("cannot mount " + each.source.string() + " at \"/\": choose a path below it");
      if (!wish_.root && is_hidden(at->path)) {
        return invalid("cannot mount " + each.source.string() + " at " + each.target +
                       ": the cluster keeps its state there; choose another path");
      }
      placed_.push_back({.mount = each, .at = std::move(*at), .is_directory = fs::is_directory(status)});
    }
    // Sorted, a directory comes before what is mounted into it; equal paths: the last one is seen.
    std::ranges::stable_sort(placed_, {}, [](const Placed& placed) { return placed.at.path; });
    for (Placed& placed : placed_) {
      if (base_of(placed).empty() && placed.at.exists && placed.at.is_directory != placed.is_directory) {
        return invalid("cannot mount " + placed.mount.source.string() + " at " + placed.mount.target + ": one is a " +
                       "directory and the other is not");
      }
    }
    return {};
  }

  [[nodiscard]] bool is_hidden(const std::string& path) const {
    return std::ranges::any_of(wish_.hidden,
                               [&](const std::string& hidden) { return path == hidden || is_beneath(path, hidden); });
  }

  // The place of our own making that `placed` lies in, where its path is made when that is there: the nearest mount
  // above it, our /dev, or /tmp with an image. "": none.
  [[nodiscard]] std::string base_of(const Placed& placed) const {
    if (const Placed* above = mounted_above(placed)) return above->at.path;
    if (!wish_.security.host_devices && is_beneath(placed.at.path, "/dev")) return "/dev";
    return wish_.root && is_beneath(placed.at.path, "/tmp") ? "/tmp" : "";
  }

  // The nearest mount that `placed` lies in.
  [[nodiscard]] const Placed* mounted_above(const Placed& placed) const {
    const Placed* nearest = nullptr;
    for (const Placed& other : placed_) {
      if (is_beneath(placed.at.path, other.at.path)) nearest = &other;  // sorted: the last is the longest
    }
    return nearest;
  }

  void begin_image() {
    const std::string stage = wish_.stage.string();
    for (const char* part : {"/changes", "/work", "/root"}) make_directory(stage + part);
    top_ = stage + "/root";
    overlay(base_.string(), stage + "/changes", stage + "/work", top_);
    for (const std::string_view part : kSystem) make_directory(inside(std::string(part)));
    make_directory(inside("/tmp"));
    mount("tmpfs", inside("/tmp"), "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
  }

  void overlay(const std::string& lower, const std::string& changes, const std::string& work,
               const std::string& target) {
    // An overlay cannot write to what is unbindable.
    mount("", wish_.stage.string(), "", MS_PRIVATE);
    steps_.push_back({.kind = RootStepKind::Overlay,
                      .source = lower,
                      .target = target,
                      .data = "upperdir=" + changes + ",workdir=" + work,
                      .flags = MS_NOSUID | MS_NODEV});
    mount("", wish_.stage.string(), "", MS_UNBINDABLE);
  }

  // Directories of the host that get a cover, so that a mount path can be made in them.
  void cover_directories() {
    if (wish_.root) return;  // the overlay can be written to
    std::set<std::string> covered;
    for (const Placed& placed : placed_) {
      if (placed.at.exists || placed.at.existing == "/" || !base_of(placed).empty()) continue;
      covered.insert(placed.at.existing);
    }
    size_t number = 0;
    for (const std::string& directory : covered) cover(directory, ++number);
  }

  void cover(const std::string& directory, size_t number) {
    std::error_code error;
    size_t entries = 0;
    for (fs::directory_iterator each(directory, error); !error && each != fs::directory_iterator();) {
      if (++entries > kMaxBoundEntries) break;
      each.increment(error);
    }
    // What we may not look into, the pod could not see either: it gets an empty one (/root, when we are not root).
    if (error == std::errc::permission_denied) {
      return mount("tmpfs", inside(directory), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755");
    }
    // A directory that cannot be listed for another reason cannot be bound entry by entry.
    if (error || entries > kMaxBoundEntries) {
      const std::string place = inside("/.cover" + std::to_string(number));
      for (const char* part : {"", "/changes", "/work"}) make_directory(place + part);
      return overlay(directory, place + "/changes", place + "/work", inside(directory));
    }
    mount("tmpfs", inside(directory), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755");
    bind_entries(directory);
  }

  // Every entry of the host's `directory` into the same place of the new root, which is an empty tmpfs.
  void bind_entries(const std::string& directory) {
    std::set<fs::path> entries;  // sorted: the same host gives the same steps
    std::error_code error;
    for (fs::directory_iterator each(directory, error); !error && each != fs::directory_iterator();) {
      entries.insert(each->path());
      each.increment(error);
    }
    for (const fs::path& entry : entries) {
      const auto status = fs::symlink_status(entry, error);
      const std::string path = entry.string();
      if (fs::is_symlink(status)) {
        const std::string link = fs::read_symlink(entry, error).string();
        if (!error) steps_.push_back({.kind = RootStepKind::MakeLink, .source = link, .target = inside(path)});
        continue;
      }
      if (!fs::exists(status)) continue;
      const bool is_directory = fs::is_directory(status);
      steps_.push_back(
          {.kind = is_directory ? RootStepKind::MakeDirectory : RootStepKind::MakeFile, .target = inside(path)});
      if (std::ranges::find(kSystem, path) != std::end(kSystem)) continue;
      bind(path, inside(path), ToleratedFailure::SourceGone);
    }
  }

  // What of `hidden` would be seen below `target`, which shows the host's `source`, is covered.
  void hide(const std::string& source, const std::string& target) {
    std::error_code error;
    for (const std::string& hidden : wish_.hidden) {
      if (hidden != source && !is_beneath(hidden, source)) continue;
      if (source == "/" && target == top_ && is_of_the_system(hidden)) continue;  // not there yet, or not at all
      const std::string place = moved(hidden, source, target);
      if (fs::is_directory(hidden, error)) {
        mount("tmpfs", place, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=555");
      } else {
        bind("/dev/null", place);
      }
    }
  }

  // Below a directory that put_system() makes.
  static bool is_of_the_system(std::string_view path) {
    return std::ranges::any_of(kSystem, [&](std::string_view directory) { return is_beneath(path, directory); });
  }

  // /sys, and what stays to be written to when the rest does not: /dev and /proc.
  void put_system() {
    const bool guarded = !wish_.security.host_devices;
    std::error_code error;
    if (fs::is_directory("/sys", error)) {
      steps_.push_back({.kind = RootStepKind::Bind, .source = "/sys", .target = inside("/sys"), .read_only = guarded});
      const bool whole = guarded && has_read_only_trees();
      if (whole) steps_.push_back({.kind = RootStepKind::ReadOnlyTree, .target = inside("/sys")});
    }
    if (wish_.security.read_only_root) steps_.push_back({.kind = RootStepKind::ReadOnlyTree, .target = top_});
    if (wish_.security.host_devices) {
      bind("/dev", inside("/dev"));
      hide("/dev", inside("/dev"));
    } else {
      add_devices({.top = top_, .host_ipc = wish_.security.host_ipc, .is_root = wish_.is_root}, steps_);
      if (wish_.security.host_ipc) hide("/dev/shm", inside("/dev/shm"));
    }
    if (!wish_.process_namespace) return bind("/proc", inside("/proc"));
    mount("proc", inside("/proc"), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
    const bool masked = wish_.is_root && !wish_.security.unmasked_proc && !wish_.security.host_devices;
    if (masked) add_proc_masks(top_, steps_);
  }

  // In an image's root; `in_a_mount`: if it lies in one, otherwise if it does not.
  void make_working_directory(bool in_a_mount) {
    if (!wish_.root || wish_.directory.empty()) return;
    const auto at = resolve_in_root(base_, wish_.directory);
    if (!at || at->exists) return;
    const bool lies_in_one =
        std::ranges::any_of(placed_, [&](const Placed& placed) { return is_beneath(at->path, placed.at.path); });
    if (lies_in_one == in_a_mount) make_directories(at->existing, at->path);
  }

  // The directories between `existing` and `path`, and `path` itself.
  void make_directories(const std::string& existing, const std::string& path) {
    if (path == "/") return;
    for (size_t end = existing == "/" ? 0 : existing.size(); end < path.size();) {
      end = std::min(path.find('/', end + 1), path.size());
      make_directory(inside(path.substr(0, end)));
    }
  }

  // Before the root becomes read-only.
  void make_mount_points() {
    for (const Placed& placed : placed_) {
      if (base_of(placed).empty() && !placed.at.exists) make_mount_point(placed, placed.at.existing);
    }
  }

  void make_mount_point(const Placed& placed, const std::string& existing) {
    const std::string parent = fs::path(placed.at.path).parent_path().string();
    make_directories(existing, placed.is_directory ? placed.at.path : parent);
    if (!placed.is_directory) steps_.push_back({.kind = RootStepKind::MakeFile, .target = inside(placed.at.path)});
  }

  void put(const Placed& placed) {
    // Inside another mount the path is made in that mount's source, as a kubelet's runtime does.
    if (const std::string base = base_of(placed); !base.empty()) make_mount_point(placed, base);
    const Mount& mount = placed.mount;
    steps_.push_back({.kind = RootStepKind::Bind,
                      .source = mount.source.string(),
                      .below = mount.below.string(),
                      .target = inside(placed.at.path),
                      .read_only = mount.read_only});
    hide(source_of(mount).string(), inside(placed.at.path));
  }

  const ContainerRootOptions& wish_;
  fs::path base_;
  std::string top_;  // the new root, as a path of the host
  std::vector<Placed> placed_;
  std::vector<RootStep> steps_;
};

}  // namespace

Result<std::vector<RootStep>> plan_root(const ContainerRootOptions& root_options) {
  if (!root_options.root) return RootPlan(root_options, "/").make();
  std::error_code error;
  fs::path base = fs::canonical(*root_options.root, error);
  if (error || !fs::is_directory(base, error)) {
    return failure(ErrorCode::NotFound, "the image's root " + root_options.root->string() + " is no directory");
  }
  return RootPlan(root_options, std::move(base)).make();
}

std::string describe(const RootStep& step, const std::filesystem::path& stage) {
  // The stage is where the new root is built: a reader knows it as "/".
  std::string target = step.target;
  if (target.starts_with(stage.string())) {
    target.erase(0, stage.string().size());
    if (target.empty()) target = "/";
  }
  switch (step.kind) {
    case RootStepKind::MakeDirectory:
      return "make the directory " + target;
    case RootStepKind::MakeFile:
      return "make the file " + target;
    case RootStepKind::MakeLink:
      return "make the link " + target;
    case RootStepKind::ReadOnlyTree:
      return "make " + target + " read-only";
    case RootStepKind::Enter:
      return "change the root directory";
    case RootStepKind::Mount:
    case RootStepKind::Overlay:
    case RootStepKind::Bind:
      break;
  }
  const std::string source = step.below.empty() ? step.source : step.source + "/" + step.below;
  return "mount " + (source.empty() ? "options" : source) + " at " + target;
}

}  // namespace basalt::node
