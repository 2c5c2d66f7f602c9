// Opening what lies beneath a directory while somebody else may be changing what is in it.
//
// No symbolic link is followed in any part of the path, and no part leads out of the directory, whatever is exchanged
// meanwhile: the kernel looks (openat2), or, where it cannot, each part is opened by itself without following links.
// The descriptor that comes out stays what it is; its path may be another's the next moment. Use the descriptor.
//
// System calls only, on memory that is there: also for a process between fork and exec. Errors are errno; ELOOP: a
// symbolic link stands in the way; EXDEV: the path is absolute or has "..".
#pragma once

#include <sys/types.h>

namespace basalt::node {

// The descriptor, or -1. `path` "" is the directory itself. `flags` as of open(), O_CLOEXEC is added; a path with
// O_CREAT is not for here.
[[nodiscard]] int open_beneath(int directory, const char* path, int flags);
// The same without openat2, for kernels before 5.6 and filters that refuse it.
[[nodiscard]] int open_beneath_by_parts(int directory, const char* path, int flags);

// The directory that holds the last part of `path`, with O_PATH; `last` points to that part. -1: errno. Requires: a
// path that is not "".
[[nodiscard]] int open_parent_beneath(int directory, const char* path, const char*& last);

// "/proc/self/fd/<descriptor>": what a system call that wants a path takes for a descriptor.
struct DescriptorPath {
  explicit DescriptorPath(int descriptor);
  char text[32];
};

}  // namespace basalt::node
