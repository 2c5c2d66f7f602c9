#include "node/local/root_steps.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace basalt::node {
namespace {

constexpr mode_t kDirectoryMode = 0755;
constexpr mode_t kFileMode = 0644;

int make_file(const char* target) {
  const int descriptor = ::open(target, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode);
  if (descriptor < 0) return errno;
  ::close(descriptor);
  return 0;
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

// The directory becomes "/", and the former one is let go. A machine that runs from its initramfs cannot exchange its
// root: there a chroot has to do.
int enter(const char* target) {
  if (::chdir(target) != 0) return errno;
  if (::syscall(SYS_pivot_root, ".", ".") == 0) {
    if (::umount2(".", MNT_DETACH) != 0) return errno;
  } else if (errno != EINVAL || ::chroot(".") != 0) {
    return errno;
  }
  return ::chdir("/") == 0 ? 0 : errno;
}

}  // namespace

int do_step(const OrderStep& step, const char* base) {
  const auto text = [&](OrderText at) { return at.at == 0 ? nullptr : base + at.at; };
  const char* const target = text(step.target);
  switch (step.act) {
    case RootAct::MakeDirectory:
      return ::mkdir(target, kDirectoryMode) == 0 || errno == EEXIST ? 0 : errno;
    case RootAct::MakeFile:
      return make_file(target);
    case RootAct::MakeLink:
      return ::symlink(text(step.source), target) == 0 || errno == EEXIST ? 0 : errno;
    case RootAct::Mount:
      if (::mount(text(step.source), target, text(step.type), step.flags, text(step.data)) == 0) return 0;
      return step.may_vanish != 0 && errno == ENOENT ? 0 : errno;
    case RootAct::ReadOnly:
      return make_read_only(target);
    case RootAct::Enter:
      return enter(target);
  }
  return EINVAL;
}

}  // namespace basalt::node
