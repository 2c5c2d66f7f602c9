#include "kube/api/crd_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "kube/api/object_fields.h"
#include "kube/api/schema/pattern.h"
#include "kube/api/schema/value_path.h"

namespace basalt::api {
namespace {

class Budget {
 public:
  explicit Budget(Causes& causes) : causes_(causes) {}

  // False: the budget is spent. Requires: a parsed document, so the depth is bounded.
  bool spend(const text::Object& schema, const ValuePath& at) {
    if (++nodes_ > kMaxSchemaNodes) {
      causes_.forbidden(at.bracket_text(),
                        fmt::format("the schemas of all versions together may have at most {} nodes: "
                                    "use x-kubernetes-preserve-unknown-fields for parts of it",
                                    kMaxSchemaNodes));
      return false;
    }
    if (!spend_pattern(string_at(schema, "pattern"), at)) return false;
    for (const char* key : {"items", "additionalProperties", "not"}) {
      const text::Object* below = object_at(schema, {key});
      if (below != nullptr && !spend(*below, at.member(key))) return false;
    }
    for (const char* junctor : {"allOf", "anyOf", "oneOf"}) {
      if (!spend_list(array_at(schema, {junctor}), at.member(junctor))) return false;
    }
    const text::Object* properties = object_at(schema, {"properties"});
    if (properties == nullptr) return true;
    const ValuePath below = at.member("properties");
    return std::ranges::all_of(*properties, [&](const auto& property) {
      const text::Object* field = property.value().if_object();
      return field == nullptr || spend(*field, below.entry(property.key()));
    });
  }

 private:
  bool spend_list(const text::Array* schemas, const ValuePath& at) {
    for (size_t i = 0; schemas != nullptr && i < schemas->size(); ++i) {
      const text::Object* one = (*schemas)[i].if_object();
      if (one != nullptr && !spend(*one, at.element(i))) return false;
    }
    return true;
  }

  bool spend_pattern(std::string_view pattern, const ValuePath& at) {
    if (pattern.empty() || !patterns_.insert(pattern).second) return true;
    const auto compiled = Pattern::compile(pattern);
    if (compiled) {
      pattern_sizes_ += std::max((*compiled)->size(), kMinPatternSize);
    } else if (compiled.error().code == ErrorCode::Unsupported) {
      pattern_sizes_ += kMaxPatternSizes / 2;  // to find that out took as long as compiling the largest
    }
    if (pattern_sizes_ <= kMaxPatternSizes) return true;
    causes_.forbidden(at.member("pattern").bracket_text(),
                      "the patterns of all versions together are too large when compiled: use fewer different ones, or "
                      "smaller counts in {}");
    return false;
  }

  Causes& causes_;
  size_t nodes_ = 0;
  size_t pattern_sizes_ = 0;
  std::set<std::string_view> patterns_;
};

}  // namespace

bool check_crd_budget(const text::Object& crd, Causes& causes) {
  const text::Array* versions = array_at(crd, {"spec", "versions"});
  if (versions == nullptr) return true;
  if (versions->size() > kMaxDefinitionVersions) {
    causes.too_many("spec.versions", versions->size(), kMaxDefinitionVersions);
    return false;
  }
  Budget budget(causes);
  const ValuePath all = ValuePath::root("spec.versions");
  for (size_t i = 0; i < versions->size(); ++i) {
    const text::Object* version = (*versions)[i].if_object();
    if (version == nullptr) continue;
    const ValuePath at = all.element(i);
    const ValuePath below = at.member("schema");
    const text::Object* schema = object_at(*version, {"schema", "openAPIV3Schema"});
    if (schema != nullptr && !budget.spend(*schema, below.member("openAPIV3Schema"))) return false;
    const text::Array* columns = array_at(*version, {"additionalPrinterColumns"});
    if (columns == nullptr || columns->size() <= kMaxPrinterColumns) continue;
    causes.too_many(at.member("additionalPrinterColumns").bracket_text(), columns->size(), kMaxPrinterColumns);
    return false;
  }
  return true;
}

}  // namespace basalt::api
