#include "programs/webhook/watched_files.h"

#include <utility>

#include "kube/net/certificates.h"
#include "kube/text/read_file.h"
#include "programs/webhook/admission_conf.h"

namespace basalt::webhook {

Result<KeyMaterial> read_certificate_files(const CertificateFiles& files) {
  if (files.certificate.empty()) return invalid("--tls-private-key-file needs --tls-cert-file");
  if (files.key.empty()) return invalid("--tls-cert-file needs --tls-private-key-file");
  KeyMaterial material;
  const std::pair<const std::string*, std::string*> reads[] = {{&files.certificate, &material.certificate},
                                                               {&files.key, &material.key},
                                                               {&files.authority, &material.authorities}};
  for (const auto& [path, into] : reads) {
    if (path->empty()) continue;
    auto content = text::read_file(*path, kMaxCertificateFileBytes);
    if (!content) return std::unexpected(content.error());
    *into = std::move(*content);
  }
  const auto matches = net::key_matches(material.certificate, material.key);
  if (!matches) return std::unexpected(matches.error().within(files.certificate));
  if (!*matches) return invalid(files.key + ": this key does not belong to " + files.certificate);
  if (!files.authority.empty() && authorities_in(material.authorities).empty()) {
    return invalid(files.authority + ": there is no certificate in it");
  }
  return material;
}

Result<std::optional<std::vector<admission::ResourceGroup>>> ResourceGroupsFile::look() {
  auto content = text::read_file(path_, kMaxAdmissionConfBytes);
  if (!content) {
    if (std::exchange(last_error_, content.error().message) == content.error().message) return std::nullopt;
    return std::unexpected(content.error());
  }
  last_error_.clear();
  if (seen_ == *content) return std::nullopt;
  auto groups = read_admission_conf(*content);
  seen_ = std::move(*content);
  if (!groups) return std::unexpected(groups.error().within(path_));
  return std::move(*groups);
}

}  // namespace basalt::webhook
