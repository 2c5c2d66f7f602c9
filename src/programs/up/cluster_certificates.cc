#include "programs/up/cluster_certificates.h"

#include <utility>

#include "kube/net/key_pair_file.h"
#include "kube/net/private_file.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;

Result<net::KeyPair> sign_admin(const net::KeyPair& authority, Instant now) {
  return net::sign_client(authority, {.common_name = "admin", .organizations = {"system:masters"}}, now);
}

std::unexpected<Error> unusable(const fs::path& file, const Error& why) {
  return failure(ErrorCode::Invalid, why.message + "; restore " + file.string() +
                                         " from a backup, or remove it: then a new authority is made, and every client "
                                         "needs the new kubeconfig");
}

// The authority of an earlier version, in two files; NotFound when one of them is missing, as after a crash of its
// first start.
Result<net::KeyPair> read_old_authority(const fs::path& pki) {
  auto certificate = net::read_private_file(pki / "ca.crt");
  if (!certificate) return std::unexpected(certificate.error());
  auto key = net::read_private_file(pki / "ca.key");
  if (!key) return std::unexpected(key.error());
  const auto matches = net::key_matches(*certificate, *key);
  if (!matches) return std::unexpected(matches.error().within((pki / "ca.crt").string()));
  if (!*matches) return invalid((pki / "ca.crt").string() + ": ca.key is not its key");
  return net::KeyPair{.certificate_pem = std::move(*certificate), .key_pem = std::move(*key)};
}

void remove_old_files(const fs::path& pki) {
  std::error_code ignored;
  for (const char* name : {"ca", "server", "admin"}) {
    for (const char* end : {".key", ".crt"}) {
      fs::remove(pki / (std::string(name) + end), ignored);
      net::remove_unfinished(pki / (std::string(name) + end));
    }
  }
}

Result<net::KeyPair> open_authority(const fs::path& file, Instant now) {
  net::remove_unfinished(file);
  auto pair = net::read_key_pair_file(file);
  if (!pair && pair.error().code != ErrorCode::NotFound) return unusable(file, pair.error());
  if (!pair) {
    pair = read_old_authority(file.parent_path());
    if (!pair && pair.error().code != ErrorCode::NotFound) return unusable(file.parent_path() / "ca.crt", pair.error());
    if (!pair) pair = net::make_authority("basalt", now);
    if (!pair) return pair;
    if (auto saved = net::write_key_pair_file(file, *pair); !saved) return std::unexpected(saved.error());
  }
  remove_old_files(file.parent_path());
  return pair;
}

bool is_due(const net::KeyPair& pair, Instant now) {
  const auto life = net::validity(pair.certificate_pem);
  return !life || net::wants_renewal(*life, now);
}

}  // namespace

Result<net::KeyPair> ClusterCertificates::sign_server(const net::KeyPair& authority, Instant now) const {
  return net::sign_server(authority, {.common_name = "basalt", .names = names_}, now);
}

Result<ClusterCertificates> ClusterCertificates::open(const fs::path& pki, std::vector<std::string> names,
                                                      Instant now) {
  ClusterCertificates made;
  made.file_ = pki / "ca.pem";
  made.names_ = std::move(names);
  auto authority = open_authority(made.file_, now);
  if (!authority) return std::unexpected(authority.error());
  made.authority_ = std::move(*authority);
  if (auto renewed = made.renew(now); !renewed) return std::unexpected(renewed.error());
  return made;
}

Result<ClusterCertificates::Renewed> ClusterCertificates::renew(Instant now) {
  Renewed renewed{.authority = is_due(authority_, now)};
  renewed.server = renewed.authority || is_due(server_, now);
  renewed.admin = renewed.authority || is_due(admin_, now);
  auto authority = renewed.authority ? net::renew_authority(authority_, now) : authority_;
  if (!authority) return std::unexpected(authority.error());
  auto server = renewed.server ? sign_server(*authority, now) : server_;
  if (!server) return std::unexpected(server.error());
  auto admin = renewed.admin ? sign_admin(*authority, now) : admin_;
  if (!admin) return std::unexpected(admin.error());
  if (renewed.authority) {
    if (auto saved = net::write_key_pair_file(file_, *authority); !saved) return std::unexpected(saved.error());
  }
  authority_ = std::move(*authority);
  server_ = std::move(*server);
  admin_ = std::move(*admin);
  return renewed;
}

}  // namespace basalt::up
