// Owners for OpenSSL's objects, PEM in and out, and OpenSSL's reasons as text. Only for the files of net that speak TLS
// or make certificates; nothing here is part of what net offers.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::net {

template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using CertificatePtr = std::unique_ptr<X509, FreeWith<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free>>;
using BioMethodPtr = std::unique_ptr<BIO_METHOD, FreeWith<BIO_meth_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, FreeWith<SSL_free>>;

// The first reason in this thread's OpenSSL error queue, which is emptied; "no reason given" when there is none.
std::string openssl_reason();
// `what` and the reason: "sign the certificate: wrong key type".
std::unexpected<Error> openssl_failure(std::string_view what);

// At least one certificate; more make a chain.
Result<std::vector<CertificatePtr>> read_certificates(std::string_view pem);
// A key that asks for a password is an error: there is nobody to ask.
Result<KeyPtr> read_key(std::string_view pem);

Result<std::string> write_pem(X509* certificate);
// An EC key in SEC 1 form ("BEGIN EC PRIVATE KEY"), an RSA key in that of PKCS#1: some clients read no others.
Result<std::string> write_pem(EVP_PKEY* key);

}  // namespace basalt::net
