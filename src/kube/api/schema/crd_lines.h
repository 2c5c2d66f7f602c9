// The `crd` and `column` lines of the type language; see type_language.h.
#pragma once

#include "kube/api/schema/type_language.h"
#include "kube/api/schema/type_lines.h"

namespace basalt::api {

// All but CrdRow::type, which the caller finds by the kind. Requires: the line starts with "crd".
[[nodiscard]] Result<CrdRow> read_crd_line(const TypeLine& line);

[[nodiscard]] Result<CrdColumn> read_column_line(const TypeLine& line);

}  // namespace basalt::api
