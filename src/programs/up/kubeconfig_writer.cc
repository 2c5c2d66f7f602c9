#include "programs/up/kubeconfig_writer.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "kube/client/kubeconfig_file.h"
#include "kube/net/private_file.h"
#include "kube/text/base64.h"
#include "kube/text/read_file.h"

namespace basalt::up {
namespace {

constexpr std::string_view kClusterName = "basalt", kUserName = "admin";
constexpr size_t kMaxKubeconfigBytes = size_t{16} << 20U;

template <class Entries>
bool has_only(const Entries& entries, std::string_view name) {
  return std::ranges::all_of(entries, [&](const auto& entry) { return entry.first == name; });
}

bool is_ours(const client::Kubeconfig& config) {
  return has_only(config.clusters, kClusterName) && has_only(config.users, kUserName) &&
         has_only(config.contexts, kClusterName);
}

std::unexpected<Error> refuse_kubeconfig(const std::filesystem::path& file, std::string_view why) {
  return failure(ErrorCode::Io, fmt::format("the kubeconfig {}: {}; it was not changed", file.string(), why));
}

}  // namespace

Result<void> may_write_kubeconfig(const std::filesystem::path& file) {
  struct stat found{};
  if (::lstat(file.c_str(), &found) != 0) return {};  // what else is wrong with the path, writing tells
  if (S_ISLNK(found.st_mode))
    return refuse_kubeconfig(file, "it is a symbolic link: name the file itself with --kubeconfig");
  if (!S_ISREG(found.st_mode)) return refuse_kubeconfig(file, "it is no plain file: choose another with --kubeconfig");
  if (found.st_uid != ::geteuid()) {
    return refuse_kubeconfig(file, "it belongs to another user: choose another file with --kubeconfig");
  }
  const auto text = text::read_file(file.string(), kMaxKubeconfigBytes);
  if (!text) return std::unexpected(text.error());
  if (text->empty()) return {};
  const auto config = client::parse_kubeconfig(*text, file.string());
  if (!config) return refuse_kubeconfig(file, "it is there and no kubeconfig: choose another file with --kubeconfig");
  if (!is_ours(*config)) {
    return refuse_kubeconfig(
        file,
        "it has clusters, users or contexts of others: choose another file with --kubeconfig, and name both in "
        "$KUBECONFIG, separated by a colon");
  }
  return {};
}

Result<void> write_kubeconfig(const std::filesystem::path& file, const KubeconfigParts& parts) {
  if (auto may = may_write_kubeconfig(file); !may) return may;
  return net::write_private_file(file, kubeconfig_text(parts));
}

std::string kubeconfig_text(const KubeconfigParts& parts) {
  return fmt::format(R"(apiVersion: v1
kind: Config
clusters:
- name: {0}
  cluster:
    server: {2}
    certificate-authority-data: {3}
users:
- name: {1}
  user:
    client-certificate-data: {4}
    client-key-data: {5}
contexts:
- name: {0}
  context:
    cluster: {0}
    user: {1}
    namespace: default
current-context: {0}
)",
                     kClusterName, kUserName, parts.server, text::encode_base64(parts.ca_certificate_pem),
                     text::encode_base64(parts.client.certificate_pem), text::encode_base64(parts.client.key_pem));
}

}  // namespace basalt::up
