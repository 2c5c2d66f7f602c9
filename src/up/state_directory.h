// Where a standalone cluster keeps what it must not lose: the store, its certificates, tokens, logs.
//
//   <root>/store.db            objects (SQLite)
//   <root>/pki/ca.crt, ca.key  the cluster's own authority, made at the first start
//   <root>/pki/server.*, admin.*   signed by it, renewed by themselves before they end
//   <root>/tokens.csv          bearer tokens: token,user,uid,"group1,group2"
//   <root>/logs/               container logs
//   <root>/pods/               volumes and working files of pods that run here
//   <root>/network             which part of 127/8 its pods and services use
//   <root>/kubeconfig          for kubectl and vcctl
//
// Directories are 0700, files 0600.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "net/certificates.h"
#include "server/http/authentication.h"

namespace basalt::up {

struct Credentials {
  std::string ca_certificate_pem;
  net::KeyPair server, admin;
  std::vector<server::TokenEntry> tokens;
};

class StateDirectory {
 public:
  // Makes the directory when it is not there.
  static Result<StateDirectory> open(const std::filesystem::path& root);

  // What is there already, completed and renewed where needed. `extra_names`: of the server, besides the usual ones.
  [[nodiscard]] Result<Credentials> credentials(const std::vector<std::string>& extra_names, Instant now) const;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path store_file() const { return root_ / "store.db"; }
  [[nodiscard]] std::filesystem::path logs() const { return root_ / "logs"; }
  [[nodiscard]] std::filesystem::path pods() const { return root_ / "pods"; }
  [[nodiscard]] std::filesystem::path network_file() const { return root_ / "network"; }
  [[nodiscard]] std::filesystem::path kubeconfig() const { return root_ / "kubeconfig"; }

 private:
  explicit StateDirectory(std::filesystem::path root) : root_(std::move(root)) {}

  std::filesystem::path root_;
};

}  // namespace basalt::up
