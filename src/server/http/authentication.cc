#include "server/http/authentication.h"

#include <cctype>

namespace basalt::server {
namespace {

constexpr std::string_view kEverybody = "system:authenticated";

bool same_secret(std::string_view a, std::string_view b) {
  // The time taken tells nothing but the length.
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

std::string_view bearer_token(const net::HttpRequest& request) {
  const std::string_view header = request.headers.get("Authorization");
  constexpr std::string_view kScheme = "bearer ";
  if (header.size() <= kScheme.size()) return {};
  for (size_t i = 0; i < kScheme.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(header[i])) != kScheme[i]) return {};
  }
  return header.substr(kScheme.size());
}

// The fields of one line; a field may stand in double quotes and then hold commas.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

Result<std::vector<TokenEntry>> parse_tokens(std::string_view text) {
  std::vector<TokenEntry> tokens;
  size_t number = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> fields = csv_fields(line);
    if (fields.size() < 3 || fields[0].empty() || fields[1].empty()) {
      return invalid("line " + std::to_string(number) + ": expected token,user,uid[,\"group1,group2\"]");
    }
    if (tokens.size() == kMaxTokens) return invalid("more than " + std::to_string(kMaxTokens) + " tokens");
    TokenEntry entry{.token = fields[0], .user = {.name = fields[1], .uid = fields[2], .groups = {}}};
    if (fields.size() > 3) {
      for (std::string& group : csv_fields(fields[3])) {
        if (!group.empty()) entry.user.groups.push_back(std::move(group));
      }
    }
    tokens.push_back(std::move(entry));
  }
  return tokens;
}

std::optional<api::UserInfo> Authentication::user_of(const net::HttpRequest& request) const {
  if (request.peer.has_certificate && !request.peer.common_name.empty()) {
    api::UserInfo user{.name = request.peer.common_name, .uid = "", .groups = request.peer.organizations};
    user.groups.emplace_back(kEverybody);
    return user;
  }
  const std::string_view token = bearer_token(request);
  if (token.empty()) return std::nullopt;
  const TokenEntry* found = nullptr;
  for (const TokenEntry& entry : tokens_) {
    if (same_secret(entry.token, token)) found = &entry;
  }
  if (found == nullptr) return std::nullopt;
  api::UserInfo user = found->user;
  user.groups.emplace_back(kEverybody);
  return user;
}

}  // namespace basalt::server
