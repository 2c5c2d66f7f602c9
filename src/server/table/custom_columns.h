// The columns of a kind that a CustomResourceDefinition defines: its name, then its additionalPrinterColumns.
//
// Paths are parsed once, when the columns are made. A path that can not be read gives empty cells: the definition was
// accepted long ago, and a list must not fail for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "kube/api/api_resource.h"
#include "kube/text/json.h"
#include "kube/text/json_path.h"

namespace basalt::server {

class CustomColumns {
 public:
  // A definition without columns has the age of its objects.
  explicit CustomColumns(const api::ApiResource& resource);

  // The column definitions of a Table.
  [[nodiscard]] text::Array definitions() const;
  [[nodiscard]] text::Array cells(const text::Value& object, Instant now) const;

 private:
  struct Entry {
    api::PrinterColumn column;
    std::optional<text::JsonPath> path;
  };
  std::vector<Entry> entries_;
};

}  // namespace basalt::server
