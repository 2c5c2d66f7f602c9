#include "kube/net/openssl_handles.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <limits>

namespace basalt::net {
namespace {

// Without it OpenSSL asks on the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return -1; }

Result<BioPtr> reader(std::string_view pem) {
  if (pem.size() > static_cast<size_t>(std::numeric_limits<int>::max())) return invalid("the PEM text is too long");
  BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) return openssl_failure("read PEM");
  return bio;
}

std::string content(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);  // NOLINT: OpenSSL's macro casts
  return size > 0 ? std::string(data, static_cast<size_t>(size)) : std::string();
}

}  // namespace

std::string openssl_reason() {
  const unsigned long first = ERR_get_error();
  ERR_clear_error();
  if (first == 0) return "no reason given";
  if (const char* reason = ERR_reason_error_string(first); reason != nullptr) return reason;
  return "error " + std::to_string(first);
}

std::unexpected<Error> openssl_failure(std::string_view what) {
  return invalid(std::string(what) + ": " + openssl_reason());
}

Result<std::vector<CertificatePtr>> read_certificates(std::string_view pem) {
  auto bio = reader(pem);
  if (!bio) return std::unexpected(bio.error());
  std::vector<CertificatePtr> chain;
  while (X509* next = PEM_read_bio_X509(bio->get(), nullptr, no_password, nullptr)) chain.emplace_back(next);
  const unsigned long end = ERR_peek_last_error();
  const bool only_end = ERR_GET_LIB(end) == ERR_LIB_PEM && ERR_GET_REASON(end) == PEM_R_NO_START_LINE;
  if (chain.empty() || !only_end) return openssl_failure("read a PEM certificate");
  ERR_clear_error();
  return chain;
}

Result<KeyPtr> read_key(std::string_view pem) {
  auto bio = reader(pem);
  if (!bio) return std::unexpected(bio.error());
  KeyPtr key(PEM_read_bio_PrivateKey(bio->get(), nullptr, no_password, nullptr));
  if (!key) return openssl_failure("read a PEM private key (it must not be encrypted)");
  return key;
}

Result<std::string> write_pem(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), certificate) != 1) return openssl_failure("write a PEM certificate");
  return content(bio.get());
}

Result<std::string> write_pem(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_PrivateKey_traditional(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_failure("write a PEM private key");
  }
  return content(bio.get());
}

}  // namespace basalt::net
