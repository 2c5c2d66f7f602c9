#include "kube/net/certificates.h"

#include <arpa/inet.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>

#include "kube/net/openssl_handles.h"

namespace basalt::net {
namespace {

using ExtensionPtr = std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, FreeWith<GENERAL_NAMES_free>>;
using NumberPtr = std::unique_ptr<BIGNUM, FreeWith<BN_free>>;

constexpr Duration kBackdate = Duration::seconds(300);
constexpr int kSerialBits = 127;
constexpr size_t kMaxNameBytes = 4096;

int64_t unix_seconds(Instant at) { return at.nanos / 1'000'000'000; }

Result<void> add_to_subject(X509* certificate, int nid, std::string_view value) {
  if (value.size() > kMaxNameBytes) return invalid("a certificate's subject is too long");
  const auto* text = reinterpret_cast<const unsigned char*>(value.data());  // NOLINT: OpenSSL's bytes are unsigned
  const int size = static_cast<int>(value.size());
  // -1, 0: behind what is there. The subject is the certificate's own, so it may be changed in place.
  X509_NAME* subject = X509_get_subject_name(certificate);
  if (X509_NAME_add_entry_by_NID(subject, nid, MBSTRING_UTF8, text, size, -1, 0) != 1) {
    return openssl_failure("use \"" + std::string(value) + "\" in a certificate's subject");
  }
  return {};
}

Result<void> add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1) {
    return openssl_failure(std::string("add ") + OBJ_nid2sn(nid) + " to a certificate");
  }
  return {};
}

// One subject alternative name; structured, because in OpenSSL's textual form a comma would start another.
Result<void> add_name(GENERAL_NAMES* names, const std::string& name) {
  if (name.empty() || name.size() > kMaxNameBytes) return invalid("a server name is empty or too long");
  std::array<unsigned char, sizeof(in6_addr)> address{};
  int size = 0;
  if (inet_pton(AF_INET, name.c_str(), address.data()) == 1) size = sizeof(in_addr);
  if (inet_pton(AF_INET6, name.c_str(), address.data()) == 1) size = sizeof(in6_addr);
  const bool is_address = size > 0;
  std::unique_ptr<GENERAL_NAME, FreeWith<GENERAL_NAME_free>> entry(GENERAL_NAME_new());
  std::unique_ptr<ASN1_STRING, FreeWith<ASN1_STRING_free>> value(is_address ? ASN1_OCTET_STRING_new()
                                                                            : ASN1_IA5STRING_new());
  if (!entry || !value) return openssl_failure("add a server name");
  const int set = is_address ? ASN1_STRING_set(value.get(), address.data(), size)
                             : ASN1_STRING_set(value.get(), name.data(), static_cast<int>(name.size()));
  if (set != 1) return openssl_failure("add a server name");
  GENERAL_NAME_set0_value(entry.get(), is_address ? GEN_IPADD : GEN_DNS, value.release());
  if (sk_GENERAL_NAME_push(names, entry.get()) <= 0) return openssl_failure("add a server name");
  static_cast<void>(entry.release());
  return {};
}

Result<void> add_server_names(X509* certificate, const std::vector<std::string>& names) {
  const NamesPtr list(GENERAL_NAMES_new());
  if (!list) return openssl_failure("add server names");
  if (names.empty()) return invalid("a server certificate needs at least one name");
  for (const std::string& name : names) {
    if (auto added = add_name(list.get(), name); !added) return added;
  }
  if (X509_add1_ext_i2d(certificate, NID_subject_alt_name, list.get(), 0, X509V3_ADD_DEFAULT) != 1) {
    return openssl_failure("add server names");
  }
  return {};
}

Result<void> set_serial(X509* certificate) {
  const NumberPtr number(BN_new());
  if (!number || BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) != 1 ||
      BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) == nullptr) {
    return openssl_failure("make a serial number");
  }
  return {};
}

Result<void> set_validity(X509* certificate, Instant from, Instant until) {
  static_assert(sizeof(std::time_t) == sizeof(int64_t));
  if (ASN1_TIME_set(X509_getm_notBefore(certificate), unix_seconds(from)) == nullptr ||
      ASN1_TIME_set(X509_getm_notAfter(certificate), unix_seconds(until)) == nullptr) {
    return openssl_failure("set a certificate's validity");
  }
  return {};
}

// A certificate in the making, and its key.
struct Draft {
  CertificatePtr certificate;
  KeyPtr key;
};

KeyPtr new_key() {
  ERR_clear_error();
  return KeyPtr(EVP_EC_gen("P-256"));
}

Result<Draft> start_draft(Instant now, Duration life, KeyPtr key = new_key()) {
  Draft draft{.certificate = CertificatePtr(X509_new()), .key = std::move(key)};
  if (!draft.certificate || !draft.key) return openssl_failure("make a key");
  X509* certificate = draft.certificate.get();
  if (X509_set_version(certificate, X509_VERSION_3) != 1 || X509_set_pubkey(certificate, draft.key.get()) != 1) {
    return openssl_failure("start a certificate");
  }
  if (auto ok = set_serial(certificate); !ok) return std::unexpected(ok.error());
  const Instant from{now.nanos - kBackdate.nanos};
  if (auto ok = set_validity(certificate, from, now + life); !ok) return std::unexpected(ok.error());
  return draft;
}

Result<KeyPair> sign(const Draft& draft, X509* issuer, EVP_PKEY* issuer_key) {
  X509* certificate = draft.certificate.get();
  if (X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) != 1) return openssl_failure("name the issuer");
  if (auto ok = add_extension(certificate, issuer, NID_subject_key_identifier, "hash"); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = add_extension(certificate, issuer, NID_authority_key_identifier, "keyid:always"); !ok) {
    return std::unexpected(ok.error());
  }
  if (X509_sign(certificate, issuer_key, EVP_sha256()) == 0) return openssl_failure("sign a certificate");
  auto certificate_pem = write_pem(certificate);
  if (!certificate_pem) return std::unexpected(certificate_pem.error());
  auto key_pem = write_pem(draft.key.get());
  if (!key_pem) return std::unexpected(key_pem.error());
  return KeyPair{.certificate_pem = std::move(*certificate_pem), .key_pem = std::move(*key_pem)};
}

Result<KeyPair> sign_itself(const Draft& draft) {
  X509* certificate = draft.certificate.get();
  for (const auto& [nid, value] : {std::pair(NID_basic_constraints, "critical,CA:TRUE"),
                                   std::pair(NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature")}) {
    if (auto ok = add_extension(certificate, certificate, nid, value); !ok) return std::unexpected(ok.error());
  }
  return sign(draft, certificate, draft.key.get());
}

Result<KeyPair> sign_leaf(const KeyPair& authority, const Draft& draft, const char* usage) {
  auto issuers = read_certificates(authority.certificate_pem);
  if (!issuers) return std::unexpected(issuers.error().within("certificate authority"));
  auto key = read_key(authority.key_pem);
  if (!key) return std::unexpected(key.error().within("certificate authority"));
  X509* issuer = issuers->front().get();
  if (X509_check_private_key(issuer, key->get()) != 1) return openssl_failure("use the certificate authority's key");
  X509* certificate = draft.certificate.get();
  for (const auto& [nid, value] :
       {std::pair(NID_basic_constraints, "critical,CA:FALSE"), std::pair(NID_key_usage, "critical,digitalSignature"),
        std::pair(NID_ext_key_usage, usage)}) {
    if (auto ok = add_extension(certificate, issuer, nid, value); !ok) return std::unexpected(ok.error());
  }
  return sign(draft, issuer, key->get());
}

Result<Instant> instant_of(const ASN1_TIME* at) {
  std::tm time{};
  if (ASN1_TIME_to_tm(at, &time) != 1) return openssl_failure("read a certificate's validity");
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max() / 1'000'000'000;
  const int64_t seconds = ::timegm(&time);  // the year 9999 means "for ever", and 1 or so "always"
  return Instant::from_unix_seconds(std::clamp(seconds, int64_t{1}, kLast));
}

}  // namespace

Result<KeyPair> make_authority(std::string_view common_name, Instant now) {
  const auto draft = start_draft(now, kAuthorityLife);
  if (!draft) return std::unexpected(draft.error());
  if (auto ok = add_to_subject(draft->certificate.get(), NID_commonName, common_name); !ok) {
    return std::unexpected(ok.error());
  }
  return sign_itself(*draft);
}

Result<KeyPair> renew_authority(const KeyPair& authority, Instant now) {
  const auto old = read_certificates(authority.certificate_pem);
  if (!old) return std::unexpected(old.error().within("certificate authority"));
  auto key = read_key(authority.key_pem);
  if (!key) return std::unexpected(key.error().within("certificate authority"));
  if (X509_check_private_key(old->front().get(), key->get()) != 1) {
    return openssl_failure("use the certificate authority's key");
  }
  const auto draft = start_draft(now, kAuthorityLife, std::move(*key));
  if (!draft) return std::unexpected(draft.error());
  if (X509_set_subject_name(draft->certificate.get(), X509_get_subject_name(old->front().get())) != 1) {
    return openssl_failure("name the certificate authority");
  }
  return sign_itself(*draft);
}

Result<KeyPair> sign_server(const KeyPair& authority, const ServerSubject& subject, Instant now) {
  auto draft = start_draft(now, kLeafLife);
  if (!draft) return std::unexpected(draft.error());
  X509* certificate = draft->certificate.get();
  if (auto ok = add_to_subject(certificate, NID_commonName, subject.common_name); !ok)
    return std::unexpected(ok.error());
  if (auto ok = add_server_names(certificate, subject.names); !ok) return std::unexpected(ok.error());
  return sign_leaf(authority, *draft, "serverAuth");
}

Result<KeyPair> sign_client(const KeyPair& authority, const ClientSubject& subject, Instant now) {
  auto draft = start_draft(now, kLeafLife);
  if (!draft) return std::unexpected(draft.error());
  X509* certificate = draft->certificate.get();
  for (const std::string& organization : subject.organizations) {
    if (auto ok = add_to_subject(certificate, NID_organizationName, organization); !ok)
      return std::unexpected(ok.error());
  }
  if (auto ok = add_to_subject(certificate, NID_commonName, subject.common_name); !ok)
    return std::unexpected(ok.error());
  return sign_leaf(authority, *draft, "clientAuth");
}

std::vector<std::string> kubernetes_server_names() {
  return {"localhost",
          "127.0.0.1",
          "::1",
          "kubernetes",
          "kubernetes.default",
          "kubernetes.default.svc",
          "kubernetes.default.svc.cluster.local"};
}

Result<Validity> validity(std::string_view certificate_pem) {
  auto chain = read_certificates(certificate_pem);
  if (!chain) return std::unexpected(chain.error());
  const auto from = instant_of(X509_get0_notBefore(chain->front().get()));
  const auto until = instant_of(X509_get0_notAfter(chain->front().get()));
  if (!from) return std::unexpected(from.error());
  if (!until) return std::unexpected(until.error());
  return Validity{.from = *from, .until = *until};
}

Result<Instant> valid_until(std::string_view certificate_pem) {
  const auto both = validity(certificate_pem);
  if (!both) return std::unexpected(both.error());
  return both->until;
}

Instant renewal_of(const Validity& life) { return {life.from.nanos + (life.until.nanos - life.from.nanos) / 3 * 2}; }

bool wants_renewal(const Validity& life, Instant now) { return now < life.from || renewal_of(life) <= now; }

Result<bool> certificate_covers_name(std::string_view certificate_pem, const std::string& name) {
  auto chain = read_certificates(certificate_pem);
  if (!chain) return std::unexpected(chain.error());
  X509* certificate = chain->front().get();
  const bool address = X509_check_ip_asc(certificate, name.c_str(), 0) == 1;
  const bool matches = address || X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1;
  ERR_clear_error();
  return matches;
}

Result<bool> key_matches(std::string_view certificate_pem, std::string_view key_pem) {
  auto chain = read_certificates(certificate_pem);
  if (!chain) return std::unexpected(chain.error());
  auto key = read_key(key_pem);
  if (!key) return std::unexpected(key.error());
  const bool matches = X509_check_private_key(chain->front().get(), key->get()) == 1;
  ERR_clear_error();
  return matches;
}

Result<bool> signed_by(std::string_view certificate_pem, std::string_view authority_pem) {
  auto chain = read_certificates(certificate_pem);
  if (!chain) return std::unexpected(chain.error());
  auto authority = read_certificates(authority_pem);
  if (!authority) return std::unexpected(authority.error().within("certificate authority"));
  const bool signature = X509_verify(chain->front().get(), X509_get0_pubkey(authority->front().get())) == 1;
  ERR_clear_error();
  return signature;
}

}  // namespace basalt::net
