#include "node/local/pod_root.h"

#include <sys/mount.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "node/local/root_path.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

// A mount with its path as it is in the root.
struct Placed {
  Mount mount;
  RootPath at;
  bool is_directory = false;  // the source
};

bool lies_below(std::string_view path, std::string_view directory) {
  if (directory == "/") return true;
  return path.starts_with(directory) && path.size() > directory.size() && path[directory.size()] == '/';
}

class RootPlan {
 public:
  explicit RootPlan(const RootWish& wish) : wish_(wish), base_(wish.root.value_or("/")) {}

  Result<std::vector<RootStep>> make() {
    if (auto placed = place_all(); !placed) return std::unexpected(placed.error());
    mount("", "/", "", MS_REC | MS_PRIVATE);
    mount("tmpfs", wish_.stage.string(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755");
    mount("", wish_.stage.string(), "", MS_UNBINDABLE);  // or binding what holds the stage would bind it into itself
    if (wish_.root) {
      begin_image();
    } else {
      top_ = wish_.stage.string();
      bind_entries("/");
      if (wish_.process_namespace) new_proc();
    }
    cover_directories();
    for (const Placed& placed : placed_) put(placed);
    if (wish_.root && !wish_.directory.empty()) {
      const auto at = resolve_in_root(base_, wish_.directory);
      if (at && !at->exists) make_directories(at->existing, at->path);
    }
    steps_.push_back({.act = RootAct::Enter, .target = top_});
    mount("", "/", "", MS_PRIVATE);
    return std::move(steps_);
  }

 private:
  void mount(const std::string& source, const std::string& target, const std::string& type, unsigned long flags,
             const std::string& data = "") {
    steps_.push_back(
        {.act = RootAct::Mount, .source = source, .target = target, .type = type, .data = data, .flags = flags});
  }
  void make_directory(const std::string& path) { steps_.push_back({.act = RootAct::MakeDirectory, .target = path}); }
  [[nodiscard]] std::string inside(const std::string& path) const { return top_ + path; }

  void new_proc() { mount("proc", inside("/proc"), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC); }

  Result<void> place_all() {
    if (wish_.mounts.size() > kMaxMounts) {
      return invalid("a container can have " + std::to_string(kMaxMounts) + " mounts, not " +
                     std::to_string(wish_.mounts.size()));
    }
    for (const Mount& each : wish_.mounts) {
      std::error_code error;
      const auto status = fs::status(each.source, error);
      if (!fs::exists(status)) {
        return failure(ErrorCode::NotFound,
                       "cannot mount " + each.source.string() + " at " + each.target + ": it does not exist");
      }
      auto at = resolve_in_root(base_, each.target);
      if (!at) return std::unexpected(at.error().within("cannot mount " + each.source.string()));
      if (at->path == "/") return invalid("cannot mount " + each.source.string() + " at \"/\": choose a path below it");
      placed_.push_back({.mount = each, .at = std::move(*at), .is_directory = fs::is_directory(status)});
    }
    // Sorted, a directory comes before what is mounted into it; equal paths: the last one is seen.
    std::ranges::stable_sort(placed_, {}, [](const Placed& placed) { return placed.at.path; });
    for (Placed& placed : placed_) {
      const bool nested = mounted_above(placed) != nullptr;
      if (!nested && placed.at.exists && placed.at.is_directory != placed.is_directory) {
        return invalid("cannot mount " + placed.mount.source.string() + " at " + placed.mount.target + ": one is a " +
                       "directory and the other is not");
      }
    }
    return {};
  }

  // The nearest mount that `placed` lies in.
  [[nodiscard]] const Placed* mounted_above(const Placed& placed) const {
    const Placed* nearest = nullptr;
    for (const Placed& other : placed_) {
      if (lies_below(placed.at.path, other.at.path)) nearest = &other;  // sorted: the last is the longest
    }
    return nearest;
  }

  void begin_image() {
    const std::string stage = wish_.stage.string();
    for (const char* part : {"/changes", "/work", "/root"}) make_directory(stage + part);
    top_ = stage + "/root";
    overlay(base_.string(), stage + "/changes", stage + "/work", top_);
    make_directory(inside("/dev"));
    mount("/dev", inside("/dev"), "", MS_BIND | MS_REC);
    make_directory(inside("/sys"));
    mount("/sys", inside("/sys"), "", MS_BIND | MS_REC);
    make_directory(inside("/proc"));
    if (wish_.process_namespace) {
      new_proc();
    } else {
      mount("/proc", inside("/proc"), "", MS_BIND | MS_REC);
    }
    make_directory(inside("/tmp"));
    mount("tmpfs", inside("/tmp"), "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
  }

  void overlay(const std::string& lower, const std::string& changes, const std::string& work,
               const std::string& target) {
    std::string escaped;
    for (const char letter : lower) {
      if (letter == ':' || letter == ',' || letter == '\\') escaped += '\\';
      escaped += letter;
    }
    // An overlay cannot write to what is unbindable.
    mount("", wish_.stage.string(), "", MS_PRIVATE);
    mount("overlay", target, "overlay", MS_NOSUID | MS_NODEV,
          "lowerdir=" + escaped + ",upperdir=" + changes + ",workdir=" + work);
    mount("", wish_.stage.string(), "", MS_UNBINDABLE);
  }

  // Directories of the host that get a cover, so that a mount path can be made in them.
  void cover_directories() {
    if (wish_.root) return;  // the overlay can be written to
    std::set<std::string> covered;
    for (const Placed& placed : placed_) {
      if (placed.at.exists || placed.at.existing == "/" || mounted_above(placed) != nullptr) continue;
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
        if (!error) steps_.push_back({.act = RootAct::MakeLink, .source = link, .target = inside(path)});
        continue;
      }
      if (!fs::exists(status)) continue;
      const bool is_directory = fs::is_directory(status);
      steps_.push_back({.act = is_directory ? RootAct::MakeDirectory : RootAct::MakeFile, .target = inside(path)});
      if (path == "/proc" && wish_.process_namespace) continue;
      steps_.push_back({.act = RootAct::Mount,
                        .source = path,
                        .target = inside(path),
                        .flags = MS_BIND | MS_REC,
                        .may_vanish = true});
    }
  }

  // The directories between `existing` and `path`, and `path` itself.
  void make_directories(const std::string& existing, const std::string& path) {
    for (size_t end = existing == "/" ? 0 : existing.size(); end < path.size();) {
      end = std::min(path.find('/', end + 1), path.size());
      make_directory(inside(path.substr(0, end)));
    }
  }

  void put(const Placed& placed) {
    const Placed* const above = mounted_above(placed);
    if (above != nullptr || !placed.at.exists) {
      // Inside another mount the path is made in that mount's source, as a kubelet's runtime does.
      const std::string start = above != nullptr ? above->at.path : placed.at.existing;
      const std::string parent = fs::path(placed.at.path).parent_path().string();
      make_directories(start, placed.is_directory ? placed.at.path : parent);
      if (!placed.is_directory) steps_.push_back({.act = RootAct::MakeFile, .target = inside(placed.at.path)});
    }
    mount(placed.mount.source.string(), inside(placed.at.path), "", MS_BIND | MS_REC);
    if (placed.mount.read_only) steps_.push_back({.act = RootAct::ReadOnly, .target = inside(placed.at.path)});
  }

  const RootWish& wish_;
  fs::path base_;
  std::string top_;  // the new root, as a path of the host
  std::vector<Placed> placed_;
  std::vector<RootStep> steps_;
};

}  // namespace

Result<std::vector<RootStep>> plan_root(const RootWish& wish) {
  if (wish.root) {
    std::error_code error;
    if (!fs::is_directory(*wish.root, error)) {
      return failure(ErrorCode::NotFound, "the image's root " + wish.root->string() + " is no directory");
    }
  }
  return RootPlan(wish).make();
}

std::string describe(const RootStep& step, const std::filesystem::path& stage) {
  // The stage is where the new root is built: a reader knows it as "/".
  std::string target = step.target;
  if (target.starts_with(stage.string())) {
    target.erase(0, stage.string().size());
    if (target.empty()) target = "/";
  }
  switch (step.act) {
    case RootAct::MakeDirectory:
      return "make the directory " + target;
    case RootAct::MakeFile:
      return "make the file " + target;
    case RootAct::MakeLink:
      return "make the link " + target;
    case RootAct::ReadOnly:
      return "make " + target + " read-only";
    case RootAct::Enter:
      return "change the root directory";
    case RootAct::Mount:
      break;
  }
  return "mount " + (step.source.empty() ? "options" : step.source) + " at " + target;
}

}  // namespace basalt::node
