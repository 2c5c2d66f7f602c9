// Files that are read again and again: certificates and the conf of resource groups.
//
// They are compared by content, so it does not matter how they are replaced (mounted Secrets swap a symbolic link), and
// a half-written pair of certificate and key is not taken. Reading blocks: not on a network thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "programs/webhook/certificate_plan.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

inline constexpr size_t kMaxCertificateFileBytes = size_t{1024} * 1024;

// All "": the certificate is made here. Else the first two are needed; without the third caBundles are left alone.
struct CertificateFiles {
  std::string certificate, key, authority;  // --tls-cert-file, --tls-private-key-file, --ca-cert-file
  [[nodiscard]] bool given() const { return !certificate.empty() || !key.empty(); }
};

// Errors name the file; a key that does not belong to the certificate is one.
[[nodiscard]] Result<KeyMaterial> read_certificate_files(const CertificateFiles& files);

// The groups of a conf file.
class ResourceGroupsFile {
 public:
  explicit ResourceGroupsFile(std::string path) : path_(std::move(path)) {}

  // The groups when the file has changed since the last look, nothing when it has not. An error, once for each content:
  // the file cannot be read or does not load.
  [[nodiscard]] Result<std::optional<std::vector<admission::ResourceGroup>>> look();

 private:
  std::string path_;
  std::optional<std::string> seen_;
  std::string last_error_;
};

}  // namespace basalt::webhook
