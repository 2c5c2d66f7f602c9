#include "control/node/local/root_steps.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "control/node/local/descriptor.h"
#include "control/node/local/open_beneath.h"
#include "control/node/local/safe_path.h"

namespace basalt::node {
namespace {

constexpr mode_t kNewDirectoryMode = 0755;
constexpr mode_t kNewFileMode = 0644;
constexpr int kPlace = O_PATH | O_CLOEXEC;  // a place to mount on or from

// A step's target: a path that is ours alone, or one below the stage.
struct MountTarget {
  const char* path;
  const char* below;  // the stage, without a slash in front; null: `path` is ours
};

MountTarget target_of(const char* path, const char* stage) {
  const size_t size = std::strlen(stage);
  const bool inside = size > 0 && std::strncmp(path, stage, size) == 0 && path[size] == '/';
  return {.path = path, .below = inside ? path + size + 1 : nullptr};
}

Descriptor open_stage(const char* stage) { return Descriptor(::open(stage, kPlace | O_DIRECTORY)); }

Descriptor open_target(const MountTarget& target, const char* stage) {
  if (target.below == nullptr) return Descriptor(::open(target.path, kPlace));
  const Descriptor top = open_stage(stage);
  return Descriptor(top.is_open() ? open_beneath(top.get(), target.below, O_PATH) : -1);
}

// The directory that is to hold the target. Requires: it lies below the stage.
Descriptor open_holder(const MountTarget& target, const char* stage, const char*& name) {
  const Descriptor top = open_stage(stage);
  return Descriptor(top.is_open() ? open_parent_beneath(top.get(), target.below, name) : -1);
}

int make_entry(const RequestStep& step, const MountTarget& target, const char* link, const char* stage) {
  if (target.below == nullptr) return EINVAL;
  const char* name = nullptr;
  const Descriptor holder = open_holder(target, stage, name);
  if (!holder.is_open()) return errno;
  int made = -1;
  if (step.kind == RootStepKind::MakeDirectory) {
    made = ::mkdirat(holder.get(), name, kNewDirectoryMode);
  } else if (step.kind == RootStepKind::MakeLink) {
    made = ::symlinkat(link, holder.get(), name);
  } else {
    // Never one that is there: it could be a pipe that waits for a reader.
    const Descriptor file(
        ::openat(holder.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kNewFileMode));
    made = file.is_open() ? 0 : -1;
  }
  return made == 0 || errno == EEXIST ? 0 : errno;
}

// A bind mount becomes read-only by a second mount, which must repeat the flags that the first took over from its
// source: a user namespace may not drop them.
int make_read_only(const char* target) {
  struct statvfs found{};
  if (::statvfs(target, &found) != 0) return errno;
  unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY;
  const auto has = [&](unsigned long flag) { return (found.f_flag & flag) != 0; };
  if (has(ST_NOSUID)) flags |= MS_NOSUID;
  if (has(ST_NODEV)) flags |= MS_NODEV;
  if (has(ST_NOEXEC)) flags |= MS_NOEXEC;
  if (has(ST_NOATIME)) flags |= MS_NOATIME;
  if (has(ST_NODIRATIME)) flags |= MS_NODIRATIME;
  if (has(ST_RELATIME)) flags |= MS_RELATIME;
  return ::mount(nullptr, target, nullptr, flags, nullptr) == 0 ? 0 : errno;
}

int set_tree_attributes(int tree, unsigned flags, mount_attr* attributes, size_t size) {
  return ::syscall(SYS_mount_setattr, tree, "", flags, attributes, size) == 0 ? 0 : errno;
}

int make_tree_read_only(const MountTarget& target, const char* stage) {
  const Descriptor tree = open_target(target, stage);
  if (!tree.is_open()) return errno;
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return set_tree_attributes(tree.get(), AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes);
}

struct HoldPath {
  char text[kMaxPathBytes + sizeof kHoldDirectory];
};

// False: the stage's path is too long.
bool make_hold_path(const char* stage, const char* name, HoldPath& path) {
  const size_t size = std::strlen(stage);
  if (size > kMaxPathBytes) return false;
  std::memcpy(path.text, stage, size);
  std::memcpy(path.text + size, name, std::strlen(name) + 1);
  return true;
}

Descriptor open_source(const char* source, const char* below) {
  const Descriptor root(::open("/", kPlace | O_DIRECTORY));
  while (*source == '/') ++source;
  Descriptor opened(root.is_open() ? open_beneath(root.get(), source, O_PATH) : -1);
  if (opened.is_open() && below != nullptr) opened = Descriptor(open_beneath(opened.get(), below, O_PATH));
  return opened;
}

int bind(const RequestStep& step, const char* source, const char* below, const MountTarget& target, const char* stage) {
  const Descriptor from = open_source(source, below);
  if (!from.is_open()) return step.tolerated == ToleratedFailure::SourceGone && errno == ENOENT ? 0 : errno;
  struct stat found{};
  if (::fstat(from.get(), &found) != 0) return errno;
  HoldPath hold;
  if (!make_hold_path(stage, S_ISDIR(found.st_mode) ? kHoldDirectory : kHoldFile, hold)) return ENAMETOOLONG;
  if (::mount(DescriptorPath(from.get()).text, hold.text, nullptr, MS_BIND | MS_REC, nullptr) != 0) return errno;
  int error = step.read_only != 0 ? make_read_only(hold.text) : 0;
  if (error == 0) {
    const Descriptor to = open_target(target, stage);
    const bool moved =
        to.is_open() && ::mount(hold.text, DescriptorPath(to.get()).text, nullptr, MS_MOVE, nullptr) == 0;
    error = moved ? 0 : errno;
  }
  if (error != 0) ::umount2(hold.text, MNT_DETACH);
  return error;
}

int mount_file_system(const RequestStep& step, const char* base, const MountTarget& target, const char* stage) {
  const auto text = [&](RequestText at) { return at.at == 0 ? nullptr : base + at.at; };
  const auto mount_at = [&](const char* place) {
    const bool mounted = ::mount(text(step.source), place, text(step.type), step.flags, text(step.data)) == 0;
    return mounted || step.tolerated == ToleratedFailure::Refused ? 0 : errno;
  };
  if (target.below == nullptr) return mount_at(target.path);
  const Descriptor to = open_target(target, stage);
  return to.is_open() ? mount_at(DescriptorPath(to.get()).text) : errno;
}

// The lower directory is given as a descriptor: its path may meanwhile be a link to elsewhere.
int mount_overlay(const RequestStep& step, const char* source, const char* data, const MountTarget& target,
                  const char* stage) {
  const Descriptor lower = open_source(source, nullptr);
  const Descriptor to = open_target(target, stage);
  if (!lower.is_open() || !to.is_open()) return errno;
  constexpr char kLower[] = "lowerdir=";
  const DescriptorPath path(lower.get());
  char options[sizeof kLower + sizeof path.text + size_t{2} * kMaxPathBytes];
  if (std::strlen(data) > size_t{2} * kMaxPathBytes) return ENAMETOOLONG;
  char* end = options;
  for (const char* part : {kLower, path.text, ",", data}) end = ::stpcpy(end, part);
  return ::mount("overlay", DescriptorPath(to.get()).text, "overlay", step.flags, options) == 0 ? 0 : errno;
}

// The directory becomes "/", and the former one is let go. A machine that runs from its initramfs cannot exchange its
// root: there a chroot has to do.
int enter(const char* target, const char* stage) {
  HoldPath hold;
  if (make_hold_path(stage, kHoldDirectory, hold)) ::rmdir(hold.text);
  if (make_hold_path(stage, kHoldFile, hold)) ::unlink(hold.text);
  if (::chdir(target) != 0) return errno;
  if (::syscall(SYS_pivot_root, ".", ".") == 0) {
    if (::umount2(".", MNT_DETACH) != 0) return errno;
  } else if (errno != EINVAL || ::chroot(".") != 0) {
    return errno;
  }
  return ::chdir("/") == 0 ? 0 : errno;
}

}  // namespace

bool has_read_only_trees() { return set_tree_attributes(-1, 0, nullptr, 0) != ENOSYS; }

int run_root_step(const RequestStep& step, const char* base, const char* stage) {
  const auto text = [&](RequestText at) { return at.at == 0 ? nullptr : base + at.at; };
  const MountTarget target = target_of(text(step.target), stage);
  switch (step.kind) {
    case RootStepKind::MakeDirectory:
    case RootStepKind::MakeFile:
    case RootStepKind::MakeLink:
      return make_entry(step, target, text(step.source), stage);
    case RootStepKind::Mount:
      return mount_file_system(step, base, target, stage);
    case RootStepKind::Overlay:
      return mount_overlay(step, text(step.source), text(step.data), target, stage);
    case RootStepKind::Bind:
      return bind(step, text(step.source), text(step.below), target, stage);
    case RootStepKind::ReadOnlyTree:
      return make_tree_read_only(target, stage);
    case RootStepKind::Enter:
      return enter(target.path, stage);
  }
  return EINVAL;
}

}  // namespace basalt::node
