#include "up/kubeconfig.h"

#include <fmt/format.h>

#include "text/base64.h"

namespace basalt::up {

std::string kubeconfig_text(const KubeconfigParts& parts) {
  return fmt::format(R"(apiVersion: v1
kind: Config
clusters:
- name: basalt
  cluster:
    server: {}
    certificate-authority-data: {}
users:
- name: admin
  user:
    client-certificate-data: {}
    client-key-data: {}
contexts:
- name: basalt
  context:
    cluster: basalt
    user: admin
current-context: basalt
)",
                     parts.server, text::encode_base64(parts.ca_certificate_pem),
                     text::encode_base64(parts.client.certificate_pem), text::encode_base64(parts.client.key_pem));
}

}  // namespace basalt::up
