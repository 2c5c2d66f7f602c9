#include "kube/net/ssh_keys.h"

#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <vector>

#include "kube/net/openssl_handles.h"

namespace basalt::net {
namespace {

using NumberPtr = std::unique_ptr<BIGNUM, FreeWith<BN_free>>;

std::string decoded(std::string_view text) {
  std::string out(text.size() / 4 * 3, '\0');
  const auto* from = reinterpret_cast<const unsigned char*>(text.data());
  EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), from, static_cast<int>(text.size()));
  while (text.ends_with('=')) {
    text.remove_suffix(1);
    out.pop_back();
  }
  return out;
}

// The fields of OpenSSH's wire format; empty when the lengths do not add up.
std::vector<std::string> fields(std::string_view wire) {
  std::vector<std::string> out;
  while (wire.size() >= 4) {
    size_t size = 0;
    for (size_t i = 0; i < 4; ++i) size = size << 8U | static_cast<unsigned char>(wire[i]);
    if (wire.size() < 4 + size) return {};
    out.emplace_back(wire.substr(4, size));
    wire.remove_prefix(4 + size);
  }
  return wire.empty() ? out : std::vector<std::string>{};
}

std::string number_of(EVP_PKEY* key, const char* parameter) {
  BIGNUM* raw = nullptr;
  EXPECT_EQ(EVP_PKEY_get_bn_param(key, parameter, &raw), 1);
  const NumberPtr number(raw);
  std::string bytes(static_cast<size_t>(BN_num_bytes(raw)), '\0');
  BN_bn2bin(raw, reinterpret_cast<unsigned char*>(bytes.data()));
  return bytes;
}

TEST(SshKeys, ArePkcs1AndOpensshAndBelongTogether) {
  const auto keys = make_ssh_keys();
  ASSERT_TRUE(keys.has_value()) << keys.error().message;
  EXPECT_TRUE(keys->private_pem.starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
  EXPECT_TRUE(keys->private_pem.ends_with("-----END RSA PRIVATE KEY-----\n"));
  const auto key = read_key(keys->private_pem);
  ASSERT_TRUE(key.has_value()) << key.error().message;
  EXPECT_EQ(EVP_PKEY_get_bits(key->get()), 2048);

  ASSERT_TRUE(keys->public_line.starts_with("ssh-rsa "));
  ASSERT_TRUE(keys->public_line.ends_with("\n"));
  const std::string_view line = keys->public_line;
  const auto parts = fields(decoded(line.substr(8, line.size() - 9)));
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0], "ssh-rsa");
  EXPECT_EQ(parts[1], number_of(key->get(), OSSL_PKEY_PARAM_RSA_E));
  // The modulus has 2048 bits, so its first bit is set and a zero byte stands before it.
  EXPECT_EQ(parts[2], std::string(1, '\0') + number_of(key->get(), OSSL_PKEY_PARAM_RSA_N));
}

TEST(SshKeys, AreNeverTheSame) {
  const auto first = make_ssh_keys();
  const auto second = make_ssh_keys();
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_NE(first->private_pem, second->private_pem);
  EXPECT_NE(first->public_line, second->public_line);
}

}  // namespace
}  // namespace basalt::net
