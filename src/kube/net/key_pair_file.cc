#include "kube/net/key_pair_file.h"

#include "kube/net/private_file.h"

namespace basalt::net {

Result<void> write_key_pair_file(const std::filesystem::path& path, const KeyPair& pair) {
  return write_private_file(path, pair.key_pem + pair.certificate_pem);
}

Result<KeyPair> read_key_pair_file(const std::filesystem::path& path) {
  const auto text = read_private_file(path);
  if (!text) return std::unexpected(text.error());
  const size_t certificate = text->find("-----BEGIN CERTIFICATE-----");
  if (certificate == std::string::npos) return invalid(path.string() + ": there is no certificate in it");
  KeyPair pair{.certificate_pem = text->substr(certificate), .key_pem = text->substr(0, certificate)};
  const auto matches = key_matches(pair.certificate_pem, pair.key_pem);
  if (!matches) return std::unexpected(matches.error().within(path.string()));
  if (!*matches) return invalid(path.string() + ": the key in it is not that of the certificate");
  return pair;
}

}  // namespace basalt::net
