// A kubeconfig with everything in it: server, authority, client certificate.
#pragma once

#include <string>

#include "net/certificates.h"

namespace basalt::up {

struct KubeconfigParts {
  std::string server;  // "https://127.0.0.1:6443"
  std::string ca_certificate_pem;
  net::KeyPair client;
};

[[nodiscard]] std::string kubeconfig_text(const KubeconfigParts& parts);

}  // namespace basalt::up
