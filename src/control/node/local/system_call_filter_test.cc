#include "control/node/local/system_call_filter.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstring>

#include "control/node/local/process_security.h"

namespace basalt::node {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kHere = AUDIT_ARCH_X86_64, kElsewhere = AUDIT_ARCH_I386;
#else
constexpr uint32_t kHere = AUDIT_ARCH_AARCH64, kElsewhere = AUDIT_ARCH_ARM;
#endif

constexpr int kStopped = -1;

// What the kernel would answer: an errno, 0 for a call that passes, kStopped for one that a listener answers.
int answer(const std::vector<sock_filter>& filter, const seccomp_data& data) {
  uint32_t word = 0;
  for (size_t at = 0; at < filter.size(); ++at) {
    const sock_filter& one = filter[at];
    switch (one.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        EXPECT_LE(one.k + sizeof word, sizeof data);
        std::memcpy(&word, reinterpret_cast<const char*>(&data) + one.k, sizeof word);
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        at += word == one.k ? one.jt : one.jf;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        at += (word & one.k) != 0 ? one.jt : one.jf;
        break;
      case BPF_RET | BPF_K:
        if (one.k == SECCOMP_RET_USER_NOTIF) return kStopped;
        return one.k == SECCOMP_RET_ALLOW ? 0 : static_cast<int>(one.k & SECCOMP_RET_DATA);
      default:
        ADD_FAILURE() << "statement " << one.code;
        return -1;
    }
  }
  ADD_FAILURE() << "it ends without an answer";
  return -1;
}

int answer(uint64_t capabilities, long number, uint64_t first = 0, uint32_t architecture = kHere) {
  const seccomp_data data{
      .nr = static_cast<int>(number), .arch = architecture, .instruction_pointer = 0, .args = {first}};
  return answer(default_filter(capabilities), data);
}

TEST(SystemCallFilter, RefusesWhatReachesBeyondAContainer) {
  for (const long number : {SYS_mount, SYS_umount2, SYS_pivot_root, SYS_unshare, SYS_setns, SYS_bpf, SYS_keyctl,
                            SYS_add_key, SYS_perf_event_open, SYS_kexec_load, SYS_init_module, SYS_reboot, SYS_swapon,
                            SYS_open_by_handle_at, SYS_process_vm_readv, SYS_io_uring_setup, SYS_userfaultfd}) {
    EXPECT_EQ(answer(kDefaultCapabilities, number), EPERM) << number;
  }
}

TEST(SystemCallFilter, LetsTheRestPass) {
  for (const long number : {SYS_read, SYS_write, SYS_execve, SYS_openat, SYS_setresuid, SYS_setgroups, SYS_prctl,
                            SYS_chdir, SYS_socket, SYS_exit_group, SYS_ptrace, SYS_futex, SYS_adjtimex}) {
    EXPECT_EQ(answer(kDefaultCapabilities, number), 0) << number;
  }
  EXPECT_EQ(answer(kDefaultCapabilities, SYS_chroot), 0);  // it is among the default capabilities
  EXPECT_EQ(answer(0, SYS_chroot), EPERM);
}

TEST(SystemCallFilter, ThreadsYesNamespacesNo) {
  EXPECT_EQ(answer(kDefaultCapabilities, SYS_clone, CLONE_VM | CLONE_THREAD), 0);
  for (const int flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWCGROUP}) {
    EXPECT_EQ(answer(kDefaultCapabilities, SYS_clone, static_cast<uint64_t>(flag | CLONE_VM)), EPERM);
  }
  EXPECT_EQ(answer(kDefaultCapabilities, SYS_clone3), ENOSYS);
  EXPECT_EQ(answer(kDefaultCapabilities, SYS_socket, AF_INET), 0);
  EXPECT_EQ(answer(kDefaultCapabilities, SYS_socket, AF_VSOCK), EPERM);
}

TEST(SystemCallFilter, ACapabilityLetsItsCallsThrough) {
  const uint64_t admin = kDefaultCapabilities | capability_bit(CAP_SYS_ADMIN);
  for (const long number : {SYS_mount, SYS_unshare, SYS_clone3}) EXPECT_EQ(answer(admin, number), 0) << number;
  EXPECT_EQ(answer(admin, SYS_clone, CLONE_NEWUSER), 0);
  EXPECT_EQ(answer(admin, SYS_keyctl), EPERM);
  EXPECT_EQ(answer(admin, SYS_reboot), EPERM);
}

TEST(SystemCallFilter, StopsCallsThatNameAddresses) {
  const auto answer_of = [](long number, uint64_t fifth, uint32_t architecture) {
    const seccomp_data data{.nr = static_cast<int>(number),
                            .arch = architecture,
                            .instruction_pointer = 0,
                            .args = {3, 0x7000'0000'1000, 16, 0, fifth, 16}};
    return answer(socket_call_filter(), data);
  };
  EXPECT_EQ(answer_of(SYS_bind, 0, kHere), kStopped);
  EXPECT_EQ(answer_of(SYS_connect, 0, kHere), kStopped);
  EXPECT_EQ(answer_of(SYS_sendto, 0, kHere), 0) << "what send() is";
  EXPECT_EQ(answer_of(SYS_sendto, 0x1000, kHere), kStopped);
  EXPECT_EQ(answer_of(SYS_sendto, 0x7000'0000'0000, kHere), kStopped) << "an address whose lower half is 0";
  for (const long number : {SYS_read, SYS_sendmsg, SYS_listen, SYS_accept4, SYS_socket, SYS_execve}) {
    EXPECT_EQ(answer_of(number, 0x1000, kHere), 0) << number;
  }
  EXPECT_EQ(answer_of(SYS_bind, 0, kElsewhere), 0);
#if defined(__x86_64__)
  EXPECT_EQ(answer_of(0x4000'0000 | SYS_bind, 0, kHere), 0);
#endif
}

TEST(SystemCallFilter, OtherInterfacesAreClosed) {
  EXPECT_EQ(answer(kAllCapabilities, 4, 0, kElsewhere), ENOSYS);
#if defined(__x86_64__)
  EXPECT_EQ(answer(kAllCapabilities, 0x4000'0000 | SYS_read), ENOSYS);
#endif
}

}  // namespace
}  // namespace basalt::node
