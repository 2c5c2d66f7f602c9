// A kubeconfig with everything in it: server, authority, client certificate.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "kube/net/certificates.h"

namespace basalt::up {

struct KubeconfigParts {
  std::string server;  // "https://127.0.0.1:6443"
  std::string ca_certificate_pem;
  net::KeyPair client;
};

[[nodiscard]] std::string kubeconfig_text(const KubeconfigParts& parts);

// Whether `file` may be (re)placed: it is absent, empty, or a file of ours that holds nothing but what kubeconfig_text
// makes. Somebody's clusters, and whatever is no kubeconfig or no plain file, are never overwritten.
[[nodiscard]] Result<void> may_write_kubeconfig(const std::filesystem::path& file);
// If so: the whole file or the former one, also after a crash, mode 0600.
Result<void> write_kubeconfig(const std::filesystem::path& file, const KubeconfigParts& parts);

}  // namespace basalt::up
