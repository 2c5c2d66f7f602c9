#include "kube/api/volcano_go_types.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kube/api/schema/struct_reader.h"
#include "kube/api/schema/type_language.h"

namespace basalt::api {
namespace {

const TypeLibrary& volcano_library() {
  static const TypeLibrary kLibrary = [] {
    auto library = parse_types(volcano_type_texts(), &builtin_schemas());
    check(library.has_value(), library ? "" : library.error().message);
    return *std::move(library);
  }();
  return kLibrary;
}

}  // namespace

const Schema* volcano_type(std::string_view group, std::string_view version, std::string_view plural) {
  if (group.empty() && version == "v1" && plural == "pods") return builtin_schemas().find("io.k8s.api.core.v1.Pod");
  const std::vector<CrdRow>& rows = volcano_library().crds;
  const auto found = std::ranges::find_if(
      rows, [&](const CrdRow& row) { return row.group == group && row.version == version && row.plural == plural; });
  return found == rows.end() ? nullptr : found->type;
}

std::string decode_fault(const Schema& type, const text::Object& object) {
  std::vector<std::string> unknown;
  StructReader reader(unknown);
  return reader.can_read(type, object, ValuePath::root(), 0) ? "" : reader.error();
}

}  // namespace basalt::api
