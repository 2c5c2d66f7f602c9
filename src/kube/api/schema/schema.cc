#include "kube/api/schema/schema.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace basalt::api {

const SchemaField* Schema::find(std::string_view field) const {
  const auto at = std::ranges::lower_bound(fields, field, {}, &SchemaField::name);
  return at != fields.end() && at->name == field ? &*at : nullptr;
}

Schema& SchemaSet::add(std::string name) {
  Schema& schema = schemas_.emplace_back();
  if (!name.empty()) {
    const bool fresh = by_name_.emplace(name, &schema).second;
    check(fresh, "a type is added once");
    schema.name = std::move(name);
  }
  return schema;
}

const Schema* SchemaSet::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : at->second;
}

}  // namespace basalt::api
