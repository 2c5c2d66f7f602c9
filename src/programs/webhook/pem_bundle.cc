#include "programs/webhook/pem_bundle.h"

#include <algorithm>

#include "kube/net/certificates.h"

namespace basalt::webhook {
namespace {

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
constexpr size_t kLineLength = 64;

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string in_one_form(std::string_view base64) {
  std::string text(kBegin);
  size_t column = kLineLength;
  for (const char c : base64) {
    if (is_blank(c)) continue;
    if (column == kLineLength) {
      text += '\n';
      column = 0;
    }
    text += c;
    ++column;
  }
  return text.append("\n").append(kEnd).append("\n");
}

}  // namespace

Authorities pem_blocks_in(std::string_view pem) {
  Authorities found;
  size_t at = 0;
  while (found.size() < kMaxAuthorities && (at = pem.find(kBegin, at)) != std::string_view::npos) {
    at += kBegin.size();
    const size_t end = pem.find(kEnd, at);
    if (end == std::string_view::npos) break;
    std::string one = in_one_form(pem.substr(at, end - at));
    at = end + kEnd.size();
    if (std::ranges::find(found, one) == found.end()) found.push_back(std::move(one));
  }
  return found;
}

Authorities authorities_in(std::string_view pem) {
  Authorities found = pem_blocks_in(pem);
  std::erase_if(found, [](const std::string& one) { return !net::valid_until(one); });
  return found;
}

std::string bundle_of(const Authorities& authorities) {
  std::string text;
  for (const std::string& one : authorities) text += one;
  return text;
}

bool has_all(const Authorities& present, const Authorities& own) {
  return std::ranges::all_of(own,
                             [&](const std::string& one) { return std::ranges::find(present, one) != present.end(); });
}

std::optional<std::string> next_bundle(std::string_view present, const Authorities& own, bool keep_others) {
  const Authorities there = authorities_in(present);
  Authorities next = own;
  for (const std::string& one : there) {
    if (!keep_others || next.size() >= kMaxAuthorities) break;
    if (std::ranges::find(next, one) == next.end()) next.push_back(one);
  }
  if (next.size() == there.size() && has_all(there, next)) return std::nullopt;
  return bundle_of(next);
}

}  // namespace basalt::webhook
