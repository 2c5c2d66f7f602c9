// The certificates of a standalone cluster: its authority, and what it signs for the server and for the kubeconfig.
//
// Only the authority is kept on disk, with its key in one file (kube/net/key_pair_file.h), so nothing can get mixed up
// in a crash. The others are signed anew at every start, because the server's names may have changed, and live in
// memory and in the kubeconfig. A directory of an earlier version, with a file for each certificate and each key, is
// taken over.
//
// Each is renewed after two thirds of its life, and when the clock was set back to before it begins. The authority
// keeps its key and its name: kubeconfigs that know its former certificate stay good until that one ends.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "kube/net/certificates.h"

namespace basalt::up {

class ClusterCertificates {
 public:
  // `names`: DNS names and IP addresses of the server. An authority that is there but cannot be used is an error that
  // says what to do: a new one in its place would turn away everybody who trusts it.
  static Result<ClusterCertificates> open(const std::filesystem::path& pki, std::vector<std::string> names,
                                          Instant now);

  struct Renewed {
    bool authority = false, server = false, admin = false;
    [[nodiscard]] bool any() const { return authority || server || admin; }
  };
  // Renews what is due. An error leaves all as it is.
  Result<Renewed> renew(Instant now);

  [[nodiscard]] const std::string& authority() const { return authority_.certificate_pem; }
  [[nodiscard]] const net::KeyPair& server() const { return server_; }
  [[nodiscard]] const net::KeyPair& admin() const { return admin_; }  // user admin of system:masters

 private:
  ClusterCertificates() = default;
  [[nodiscard]] Result<net::KeyPair> sign_server(const net::KeyPair& authority, Instant now) const;

  std::filesystem::path file_;
  std::vector<std::string> names_;
  net::KeyPair authority_, server_, admin_;
};

}  // namespace basalt::up
