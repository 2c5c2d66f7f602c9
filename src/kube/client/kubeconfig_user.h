// The user entries of a kubeconfig, and how entries are read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/client/kubeconfig_file.h"
#include "kube/text/field.h"

namespace basalt::client {

// Reads members of one entry into variables. The first one that is wrong decides the verdict; the rest is then left
// alone. Secrets are never part of an error.
class KubeconfigEntryReader {
 public:
  // `origin`: the file, whose directory relative paths start from.
  KubeconfigEntryReader(const text::Field& entry, const std::string& origin) : entry_(entry), origin_(origin) {}

  void text(std::string_view key, std::string& into);
  void secret(std::string_view key, std::string& into);  // as text, but the value stays out of errors
  void truth(std::string_view key, bool& into);
  void path(std::string_view key, std::string& into);
  void data(std::string_view key, std::string& into);  // base64

  [[nodiscard]] const Result<void>& verdict() const { return verdict_; }

 private:
  const text::Field& entry_;
  const std::string& origin_;
  Result<void> verdict_;
};

// `path` as seen from the directory of `origin`; "" and absolute paths as they are.
[[nodiscard]] std::string resolved_path(const std::string& path, const std::string& origin);

[[nodiscard]] Result<UserEntry> read_user(const text::Field& field, const std::string& origin);

}  // namespace basalt::client
