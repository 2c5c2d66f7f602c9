// Who is calling: a client certificate of our CA, or a bearer token.
//
// Certificates: CN is the user, each O a group; one without a CN names nobody. Tokens come from a table of the server's
// own, compared in constant time. Everybody who is known may do everything: objects of RBAC are stored, not enforced.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/api/call.h"
#include "kube/net/http.h"

namespace basalt::server {

inline constexpr size_t kMaxTokens = 10'000;

struct TokenEntry {
  std::string token;
  api::UserInfo user;
};

// Lines of `token,user,uid[,"group1,group2"]`, as kube-apiserver's --token-auth-file. Errors name the line.
[[nodiscard]] Result<std::vector<TokenEntry>> parse_tokens(std::string_view text);

class Authentication {
 public:
  explicit Authentication(std::vector<TokenEntry> tokens) : tokens_(std::move(tokens)) {}

  // nullopt: unknown (401).
  [[nodiscard]] std::optional<api::UserInfo> user_of(const net::HttpRequest& request) const;

 private:
  std::vector<TokenEntry> tokens_;
};

}  // namespace basalt::server
