// Where a standalone cluster keeps what it must not lose: the store, its authority, tokens, logs.
//
//   <root>/basalt-state        says that this directory is one of ours
//   <root>/store.db            objects (SQLite)
//   <root>/pki/ca.pem          the cluster's own authority (cluster_certificates.h)
//   <root>/tokens.csv          bearer tokens: token,user,uid,"group1,group2"
//   <root>/logs/               container logs
//   <root>/component-logs/     what the parts of this process say (component_logs.h)
//   <root>/pods/               volumes and working files of pods that run here
//   <root>/network             which part of 127/8 its pods and services use
//   <root>/kubeconfig          for kubectl and vcctl
//   <root>/run.json            the process that serves it now (run_file.h)
//   <root>/basalt.log          what that process writes, and
//   <root>/merged-kubeconfig   whose kubeconfig knows of it, after --detach (detach.h)
//
// 1. A directory is taken when it is absent, empty, or ours: it has the file basalt-state, or what earlier versions put
//    there. Any other is refused, and nothing in it is touched.
// 2. What is made here is 0700 (directories) and 0600 (files). Nothing that was there is given another mode or owner:
//    a root into which others may write, or that belongs to somebody else, is refused.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/http/authentication.h"

namespace basalt::up {

// Where the state is when nobody says: $XDG_STATE_HOME/basalt, else ~/.local/state/basalt.
[[nodiscard]] std::filesystem::path default_state();

[[nodiscard]] inline std::filesystem::path pods_directory(const std::filesystem::path& root) { return root / "pods"; }

class StateDirectory {
 public:
  // Makes the directory when it is not there. An error names it and what to do.
  static Result<StateDirectory> open(const std::filesystem::path& given);

  // Removes what writes left that were cut short by a crash. Requires: the store is ours (its lock file is held).
  void remove_unfinished() const;
  // Those of tokens.csv, which is made with one token of an administrator when it is not there.
  [[nodiscard]] Result<std::vector<server::TokenEntry>> tokens() const;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path store_file() const { return root_ / "store.db"; }
  [[nodiscard]] std::filesystem::path pki() const { return root_ / "pki"; }
  [[nodiscard]] std::filesystem::path logs() const { return root_ / "logs"; }
  [[nodiscard]] std::filesystem::path component_logs() const { return root_ / "component-logs"; }
  [[nodiscard]] std::filesystem::path pods() const { return pods_directory(root_); }
  [[nodiscard]] std::filesystem::path network_file() const { return root_ / "network"; }
  [[nodiscard]] std::filesystem::path tokens_file() const { return root_ / "tokens.csv"; }
  [[nodiscard]] std::filesystem::path kubeconfig() const { return root_ / "kubeconfig"; }

 private:
  explicit StateDirectory(std::filesystem::path root) : root_(std::move(root)) {}

  std::filesystem::path root_;
};

}  // namespace basalt::up
