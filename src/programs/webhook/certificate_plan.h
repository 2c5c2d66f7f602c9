// The certificate that we make ourselves: what the Secret should hold, given what it holds.
//
// All replicas read one Secret and follow this plan; writes carry its resourceVersion, so one of them wins and the
// others take what it wrote. Nothing is remembered but the Secret: a plan can be interrupted anywhere.
//
// 1. The server's certificate is renewed after 2/3 of its life, or when a name is missing; the authority stays, so
//    nobody has to be told.
// 2. The authority is renewed after 2/3 of its life, or when its key is not there (a Secret that Volcano's installer
//    made): first the new one stands beside the old one in ca.crt, then, when all configurations have trusted both
//    for `settle`, it signs the server's certificate, and the old one leaves `overlap` after that.
// 3. A Secret that nobody could use is made anew.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "programs/webhook/pem_bundle.h"

namespace basalt::webhook {

// The data of the Secret, decoded. Names as Volcano's Secret has them; ca.key is ours.
struct KeyMaterial {
  std::string authorities;    // ca.crt: who vouches, one or (while they change) two
  std::string authority_key;  // ca.key: of the one that signs; "": not known
  std::string certificate;    // tls.crt
  std::string key;            // tls.key
  friend bool operator==(const KeyMaterial&, const KeyMaterial&) = default;
};

struct CertificateTiming {
  Duration settle = Duration::seconds(10);     // from a written caBundle until every API server goes by it
  Duration overlap = Duration::seconds(3600);  // until every replica has read a new certificate
};

struct CertificateInput {
  const KeyMaterial* seen = nullptr;  // null: there is no Secret
  std::vector<std::string> names;     // of the server: DNS names and addresses
  Instant trusted_since;              // since when all configurations trust `seen`; kNever: they do not
  Instant now;
  CertificateTiming timing;
};

struct CertificatePlan {
  std::optional<KeyMaterial> write;  // what the Secret should become
  bool usable = false;               // `seen` can be served with
  std::string why;                   // of the write, for the log
  Instant again;                     // when time alone changes the plan
};

// Errors are OpenSSL's. Requires: names is not empty. Cost: some signatures.
[[nodiscard]] Result<CertificatePlan> plan_certificate(const CertificateInput& question);

// The names by which API servers call a Service or a URL.
[[nodiscard]] std::vector<std::string> server_names(std::string_view service, std::string_view ns,
                                                    std::string_view url);

}  // namespace basalt::webhook
