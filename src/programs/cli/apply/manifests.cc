// Reading the files of `basalt apply`.
#include <fmt/format.h>

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "programs/cli/apply/apply.h"
#include "programs/cli/vcctl/manifest.h"

namespace basalt::cli::apply {
namespace {

Result<void> check_one(const text::Field& root) {
  if (auto object = root.as_object(); !object) return std::unexpected(object.error());
  for (const std::string_view key : {"apiVersion", "kind"}) {
    const auto written = root.field(key).string_or("");
    if (!written) return std::unexpected(written.error());
    if (written->empty()) return std::unexpected(root.field(key).error("is missing; every object needs it"));
  }
  const text::Field metadata = root.field("metadata");
  const auto name = metadata.field("name").string_or("");
  if (!name) return std::unexpected(name.error());
  const auto generated = metadata.field("generateName").string_or("");
  if (!generated) return std::unexpected(generated.error());
  if (name->empty() && generated->empty()) return std::unexpected(metadata.field("name").error("is missing"));
  const auto namespace_name = metadata.field("namespace").string_or("");
  if (!namespace_name) return std::unexpected(namespace_name.error());
  return {};
}

bool is_list(const text::Object& object) {
  return api::ObjectView(object).kind() == "List" && api::array_at(object, {"items"}) != nullptr;
}

Result<void> add_object(const text::Field& root, const std::string& place, std::vector<ApplyManifest>& out) {
  if (auto right = check_one(root); !right) return std::unexpected(right.error().within(place));
  if (out.size() >= kMaxManifests) return invalid(fmt::format("more than {} objects; split the input", kMaxManifests));
  out.push_back({.object = **root.as_object(), .place = place});
  return {};
}

Result<void> add_document(const text::Document& document, const std::string& place, std::vector<ApplyManifest>& out) {
  const text::Field root = document.root();
  if (const auto object = root.as_object(); !object || !is_list(**object)) return add_object(root, place, out);
  return root.field("items").each([&](const text::Field& item) { return add_object(item, place, out); });
}

}  // namespace

Result<std::vector<ApplyManifest>> read_objects(const ApplyOptions& options, vcctl::Terminal& terminal) {
  std::vector<ApplyManifest> manifests;
  for (const std::string& path : options.files) {
    const auto documents = vcctl::read_documents(terminal, path);
    if (!documents) return std::unexpected(documents.error());
    for (size_t i = 0; i < documents->size(); ++i) {
      const std::string file = vcctl::place_of(path);
      const std::string place = documents->size() == 1 ? file : fmt::format("{}: document {}", file, i + 1);
      if (auto added = add_document((*documents)[i], place, manifests); !added) return std::unexpected(added.error());
    }
  }
  return manifests;
}

}  // namespace basalt::cli::apply
