#include "programs/cli/vcctl/manifest.h"

#include <fmt/format.h>

#include <istream>

#include "kube/text/document_path.h"
#include "kube/text/read_file.h"

namespace basalt::cli::vcctl {
namespace {

Result<std::string> read_stream(std::istream& in) {
  std::string text(kMaxManifestBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kMaxManifestBytes) {
    return invalid(fmt::format("more than {} bytes; split the input", kMaxManifestBytes));
  }
  return text;
}

// `field` must be absent or say what is expected.
Result<void> expect(const text::Field& field, std::string_view expected) {
  const auto written = field.string_or(expected);
  if (!written) return std::unexpected(written.error());
  if (*written == expected) return {};
  return std::unexpected(
      field.error(fmt::format("is {}, and this command takes {}", text::in_quotes(*written), expected)));
}

Result<VcctlManifest> read_one(const text::Document& document, const VcctlKind& kind) {
  const text::Field root = document.root();
  const auto object = root.as_object();
  if (!object) return std::unexpected(object.error());
  if (auto right = expect(root.field("kind"), kind.kind); !right) return std::unexpected(right.error());
  if (auto right = expect(root.field("apiVersion"), kind.api_version()); !right) return std::unexpected(right.error());
  const auto name = root.field("metadata").field("name").string_or("");
  if (!name) return std::unexpected(name.error());
  const auto namespace_name = root.field("metadata").field("namespace").string_or("");
  if (!namespace_name) return std::unexpected(namespace_name.error());
  VcctlManifest manifest{.object = **object, .name = *name, .namespace_name = *namespace_name};
  manifest.object["apiVersion"] = kind.api_version();
  manifest.object["kind"] = kind.kind;
  return manifest;
}

}  // namespace

std::string place_of(const std::string& path) { return path == "-" ? "standard input" : path; }

Result<std::vector<text::Document>> read_documents(Terminal& terminal, const std::string& path) {
  const std::string file = place_of(path);
  const auto text = path == "-" ? read_stream(terminal.in) : text::read_file(path, kMaxManifestBytes);
  if (!text) return path == "-" ? std::unexpected(text.error().within(file)) : std::unexpected(text.error());
  auto documents = text::parse_documents(*text);
  if (!documents) return std::unexpected(documents.error().within(file));
  if (documents->empty()) return invalid(file + ": there is no object in it");
  return documents;
}

Result<std::vector<VcctlManifest>> read_manifests(Terminal& terminal, const std::string& path, const VcctlKind& kind) {
  const auto documents = read_documents(terminal, path);
  if (!documents) return std::unexpected(documents.error());
  const std::string file = place_of(path);
  std::vector<VcctlManifest> manifests;
  for (size_t i = 0; i < documents->size(); ++i) {
    std::string place = documents->size() == 1 ? file : fmt::format("{}: document {}", file, i + 1);
    auto manifest = read_one((*documents)[i], kind);
    if (!manifest) return std::unexpected(manifest.error().within(place));
    manifest->place = std::move(place);
    manifests.push_back(std::move(*manifest));
  }
  return manifests;
}

}  // namespace basalt::cli::vcctl
