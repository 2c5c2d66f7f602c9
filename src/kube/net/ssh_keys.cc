#include "kube/net/ssh_keys.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <cstdint>
#include <vector>

#include "kube/net/openssl_handles.h"

namespace basalt::net {
namespace {

using NumberPtr = std::unique_ptr<BIGNUM, FreeWith<BN_free>>;
using Bytes = std::vector<unsigned char>;

constexpr std::string_view kAlgorithm = "ssh-rsa";

// One field of OpenSSH's wire format: its length as four bytes, then the bytes.
void append_field(Bytes& out, const unsigned char* bytes, size_t size) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out.push_back(static_cast<unsigned char>((size >> shift) & 0xFFU));
  out.insert(out.end(), bytes, bytes + size);
}

// A number that is not negative, most significant byte first; a zero byte keeps the sign bit clear.
Result<void> append_number(Bytes& out, EVP_PKEY* key, const char* parameter) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, parameter, &raw) != 1) return openssl_failure("read an RSA key");
  const NumberPtr number(raw);
  Bytes bytes(static_cast<size_t>(BN_num_bytes(number.get())) + 1, 0);
  BN_bn2bin(number.get(), bytes.data() + 1);
  const bool sign_bit = bytes.size() > 1 && (bytes[1] & 0x80U) != 0;
  const size_t skip = sign_bit ? 0 : 1;
  append_field(out, bytes.data() + skip, bytes.size() - skip);
  return {};
}

std::string base64(const Bytes& bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');    // EVP_EncodeBlock ends with a zero byte
  auto* to = reinterpret_cast<unsigned char*>(out.data());  // NOLINT: OpenSSL's bytes are unsigned
  const int size = EVP_EncodeBlock(to, bytes.data(), static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(size));
  return out;
}

Result<std::string> public_line(EVP_PKEY* key) {
  Bytes wire;
  const auto* name = reinterpret_cast<const unsigned char*>(kAlgorithm.data());  // NOLINT: as above
  append_field(wire, name, kAlgorithm.size());
  if (auto added = append_number(wire, key, OSSL_PKEY_PARAM_RSA_E); !added) return std::unexpected(added.error());
  if (auto added = append_number(wire, key, OSSL_PKEY_PARAM_RSA_N); !added) return std::unexpected(added.error());
  return std::string(kAlgorithm) + " " + base64(wire) + "\n";
}

Result<std::string> private_pem(EVP_PKEY* key) {
  const BioPtr out(BIO_new(BIO_s_mem()));
  // "Traditional" is PKCS#1 for RSA: the form that every ssh reads.
  if (!out || PEM_write_bio_PrivateKey_traditional(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_failure("write an RSA key");
  }
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  if (size <= 0) return openssl_failure("write an RSA key");
  return std::string(text, static_cast<size_t>(size));
}

}  // namespace

Result<SshKeys> make_ssh_keys() {
  const KeyPtr key(EVP_RSA_gen(kSshKeyBits));
  if (!key) return openssl_failure("make an RSA key");
  Result<std::string> pem = private_pem(key.get());
  if (!pem) return std::unexpected(pem.error());
  Result<std::string> line = public_line(key.get());
  if (!line) return std::unexpected(line.error());
  return SshKeys{.private_pem = std::move(*pem), .public_line = std::move(*line)};
}

}  // namespace basalt::net
