#include "control/node/local/system_call_filter.h"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

#include "control/node/local/process_security.h"

namespace basalt::node {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

// Names that this architecture, or the headers that we are built with, may not have.
#ifndef SYS_iopl
constexpr int SYS_iopl = -1;
constexpr int SYS_ioperm = -1;
constexpr int SYS_uselib = -1;
constexpr int SYS_ustat = -1;
constexpr int SYS_sysfs = -1;
#endif
#ifndef SYS_set_mempolicy_home_node
constexpr int SYS_set_mempolicy_home_node = 450;
#endif

constexpr int kNoCall = -1;
constexpr uint32_t kNamespaceFlags =
    CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP;

struct Row {
  int number;      // -1: not on this architecture
  int capability;  // that lets it through; kNoCall: none
};

constexpr Row kRows[] = {
    {SYS_mount, CAP_SYS_ADMIN},
    {SYS_umount2, CAP_SYS_ADMIN},
    {SYS_open_tree, CAP_SYS_ADMIN},
    {SYS_move_mount, CAP_SYS_ADMIN},
    {SYS_mount_setattr, CAP_SYS_ADMIN},
    {SYS_fsopen, CAP_SYS_ADMIN},
    {SYS_fsconfig, CAP_SYS_ADMIN},
    {SYS_fsmount, CAP_SYS_ADMIN},
    {SYS_fspick, CAP_SYS_ADMIN},
    {SYS_pivot_root, kNoCall},
    {SYS_chroot, CAP_SYS_CHROOT},
    {SYS_quotactl, CAP_SYS_ADMIN},
    {SYS_quotactl_fd, CAP_SYS_ADMIN},
    {SYS_open_by_handle_at, CAP_DAC_READ_SEARCH},
    {SYS_fanotify_init, CAP_SYS_ADMIN},
    {SYS_sysfs, kNoCall},
    {SYS_ustat, kNoCall},
    {SYS_uselib, kNoCall},
    {SYS_nfsservctl, kNoCall},

    {SYS_unshare, CAP_SYS_ADMIN},
    {SYS_setns, CAP_SYS_ADMIN},
    {SYS_sethostname, CAP_SYS_ADMIN},
    {SYS_setdomainname, CAP_SYS_ADMIN},

    {SYS_bpf, CAP_SYS_ADMIN},
    {SYS_perf_event_open, CAP_SYS_ADMIN},
    {SYS_lookup_dcookie, CAP_SYS_ADMIN},
    {SYS_userfaultfd, kNoCall},
    {SYS_io_uring_setup, kNoCall},
    {SYS_io_uring_enter, kNoCall},
    {SYS_io_uring_register, kNoCall},
    {SYS_add_key, kNoCall},
    {SYS_request_key, kNoCall},
    {SYS_keyctl, kNoCall},

    {SYS_kcmp, CAP_SYS_PTRACE},
    {SYS_process_vm_readv, CAP_SYS_PTRACE},
    {SYS_process_vm_writev, CAP_SYS_PTRACE},
    {SYS_process_madvise, CAP_SYS_PTRACE},
    {SYS_pidfd_getfd, CAP_SYS_PTRACE},
    {SYS_mbind, CAP_SYS_NICE},
    {SYS_get_mempolicy, CAP_SYS_NICE},
    {SYS_set_mempolicy, CAP_SYS_NICE},
    {SYS_set_mempolicy_home_node, CAP_SYS_NICE},
    {SYS_move_pages, CAP_SYS_NICE},
    {SYS_migrate_pages, CAP_SYS_NICE},

    {SYS_reboot, CAP_SYS_BOOT},
    {SYS_kexec_load, kNoCall},
    {SYS_kexec_file_load, kNoCall},
    {SYS_init_module, CAP_SYS_MODULE},
    {SYS_finit_module, CAP_SYS_MODULE},
    {SYS_delete_module, CAP_SYS_MODULE},
    {SYS_swapon, kNoCall},
    {SYS_swapoff, kNoCall},
    {SYS_acct, CAP_SYS_PACCT},
    {SYS_settimeofday, CAP_SYS_TIME},
    {SYS_clock_settime, CAP_SYS_TIME},
    {SYS_syslog, CAP_SYSLOG},
    {SYS_vhangup, CAP_SYS_TTY_CONFIG},
    {SYS_iopl, CAP_SYS_RAWIO},
    {SYS_ioperm, CAP_SYS_RAWIO},
};

constexpr sock_filter statement(unsigned code, uint32_t value) {
  return {.code = static_cast<uint16_t>(code), .jt = 0, .jf = 0, .k = value};
}
constexpr sock_filter answer(int error) {
  return statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error));
}
constexpr sock_filter load(size_t offset) { return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
// The next `skipped` statements are passed over unless the loaded word is (has a bit of) `value`.
constexpr sock_filter unless(unsigned test, uint32_t value, uint8_t skipped) {
  return {.code = static_cast<uint16_t>(BPF_JMP | test | BPF_K), .jt = 0, .jf = skipped, .k = value};
}

}  // namespace

std::vector<sock_filter> default_filter(uint64_t capabilities) {
  if (kArchitecture == 0) return {};
  constexpr size_t kNumber = offsetof(seccomp_data, nr), kFirstArgument = offsetof(seccomp_data, args);
  const auto has = [&](int capability) { return capability >= 0 && (capabilities & capability_bit(capability)) != 0; };
  std::vector<sock_filter> filter;
  filter.push_back(load(offsetof(seccomp_data, arch)));
  filter.push_back({.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 1, .jf = 0, .k = kArchitecture});
  filter.push_back(answer(ENOSYS));
  filter.push_back(load(kNumber));
#if defined(__x86_64__)
  constexpr uint32_t kX32Bit = 0x4000'0000;
  filter.push_back(unless(BPF_JSET, kX32Bit, 1));
  filter.push_back(answer(ENOSYS));
#endif
  // Each refusal stands by itself: no jump has to reach further than a few statements.
  for (const Row& row : kRows) {
    if (row.number < 0 || has(row.capability)) continue;
    filter.push_back(unless(BPF_JEQ, static_cast<uint32_t>(row.number), 1));
    filter.push_back(answer(EPERM));
  }
  if (!has(CAP_SYS_ADMIN)) {
    filter.push_back(unless(BPF_JEQ, SYS_clone3, 1));
    filter.push_back(answer(ENOSYS));
    filter.push_back(unless(BPF_JEQ, SYS_clone, 3));
    filter.push_back(load(kFirstArgument));  // the lower half: both architectures are little-endian
    filter.push_back(unless(BPF_JSET, kNamespaceFlags, 1));
    filter.push_back(answer(EPERM));
    filter.push_back(load(kNumber));
  }
  // Sockets of virtual machines lead to the host.
  filter.push_back(unless(BPF_JEQ, SYS_socket, 3));
  filter.push_back(load(kFirstArgument));
  filter.push_back(unless(BPF_JEQ, AF_VSOCK, 1));
  filter.push_back(answer(EPERM));
  filter.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

std::vector<sock_filter> socket_call_filter() {
  if (kArchitecture == 0) return {};
  constexpr auto kAllow = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  constexpr auto kStop = statement(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  constexpr size_t kName = offsetof(seccomp_data, args[4]);  // of sendto; a pointer, of which each half is a word
  return {load(offsetof(seccomp_data, arch)),
          {.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 1, .jf = 0, .k = kArchitecture},
          kAllow,
          load(offsetof(seccomp_data, nr)),  // of the x32 interface none is equal to these
          unless(BPF_JEQ, SYS_bind, 1),
          kStop,
          unless(BPF_JEQ, SYS_connect, 1),
          kStop,
          {.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 1, .jf = 0, .k = SYS_sendto},
          kAllow,
          load(kName),
          unless(BPF_JSET, ~0U, 1),
          kStop,
          load(kName + sizeof(uint32_t)),
          unless(BPF_JSET, ~0U, 1),
          kStop,
          kAllow};
}

}  // namespace basalt::node
