#include "control/node/local/safe_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "kube/text/document_path.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

Result<fs::path> clean(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return invalid(fmt::format("path {}: {}", text::in_quotes(text), why));
  };
  if (text.empty()) return wrong("is empty");
  if (text.size() > kMaxPathBytes) return wrong(fmt::format("is longer than {} bytes", kMaxPathBytes));
  if (text.find('\0') != std::string_view::npos) return wrong("has a zero byte");
  fs::path out = text.starts_with('/') ? "/" : "";
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('/', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") return wrong("must not contain '..'");
    if (part.size() > kMaxPathPartBytes) return wrong(fmt::format("a part is longer than {} bytes", kMaxPathPartBytes));
    out /= part;
  }
  return out;
}

}  // namespace

bool is_plain_word(std::string_view word) {
  if (word.empty() || word.size() > kMaxPathPartBytes || word == "." || word == "..") return false;
  return std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

Result<fs::path> relative_path(std::string_view text) {
  auto path = clean(text);
  if (!path) return path;
  if (path->is_absolute()) return invalid(fmt::format("path {}: must be relative", text::in_quotes(text)));
  if (path->empty()) return invalid(fmt::format("path {}: names no file", text::in_quotes(text)));
  return path;
}

Result<fs::path> absolute_path(std::string_view text) {
  auto path = clean(text);
  if (path && !path->is_absolute()) return invalid(fmt::format("path {}: must be absolute", text::in_quotes(text)));
  return path;
}

Result<fs::path> resolve_beneath(const fs::path& directory, const fs::path& below) {
  std::error_code error;
  const fs::path base = fs::canonical(directory, error);
  if (error) return failure(ErrorCode::Io, fmt::format("{}: {}", directory.string(), error.message()));
  const fs::path full = fs::weakly_canonical(base / below, error);
  if (error) return failure(ErrorCode::Io, fmt::format("{}: {}", below.string(), error.message()));
  const auto [end, rest] = std::ranges::mismatch(base, full);
  if (end != base.end()) {
    return invalid(fmt::format("path {}: a symbolic link leads out of the volume", text::in_quotes(below.string())));
  }
  // weakly_canonical stops where something is not there, so a link to nowhere may be among what it kept.
  fs::path at = base;
  fs::path inside;
  for (auto part = rest; part != full.end(); ++part) {
    at /= *part;
    inside /= *part;
    if (!fs::is_symlink(fs::symlink_status(at, error))) continue;
    return invalid(fmt::format("path {}: a symbolic link leads nowhere", text::in_quotes(below.string())));
  }
  return inside;
}

}  // namespace basalt::node
