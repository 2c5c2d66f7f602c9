#include "server/rest/continue_token.h"

#include <charconv>

#include "kube/text/base64.h"

namespace basalt::server {

Result<ContinueToken> ContinueToken::parse(std::string_view text) {
  const auto plain = text::decode_base64(text);
  if (!plain) return std::unexpected(plain.error());
  ContinueToken token;
  const auto [end, error] = std::from_chars(plain->data(), plain->data() + plain->size(), token.revision);
  const auto used = static_cast<size_t>(end - plain->data());
  if (error != std::errc() || used >= plain->size() || (*plain)[used] != '/' || token.revision == 0) {
    return invalid("it was not made by this server: start the list again without it");
  }
  token.after = plain->substr(used + 1);
  return token;
}

std::string ContinueToken::text() const { return text::encode_base64(std::to_string(revision) + "/" + after); }

}  // namespace basalt::server
