#include "kube/net/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace basalt::net {

size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t wished = std::min<rlim_t>(limit.rlim_max, kMaxDescriptors);
  if (limit.rlim_cur < wished) {
    const rlimit raised{.rlim_cur = wished, .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur;
}

size_t descriptor_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

size_t connections_within(size_t wished, size_t limit) {
  return std::clamp<size_t>(wished, 1, std::max<size_t>(limit - limit / 4, 1));
}

}  // namespace basalt::net
