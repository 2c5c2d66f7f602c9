// The commands that show: a list or one object, as a table or in the format of -o, once or for as long as it changes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "programs/cli/vcctl/command_session.h"
#include "programs/cli/vcctl/output_formats.h"
#include "programs/cli/vcctl/text_table.h"

namespace basalt::cli::vcctl {

struct ShowOptions {
  const VcctlKind& kind;
  std::vector<TableColumn> columns, wide;                // `wide` are those that -o wide adds
  ListScope scope = {};                                  // of a list
  std::function<bool(const text::Object&)> filter = {};  // empty: all
  std::function<Result<void>()> prepare = {};            // runs before rows are made; empty: nothing to do
};

// By the flags --output and --watch. A table without rows is "No resources found", which is no failure.
[[nodiscard]] Result<void> show_list(CommandSession& session, ShowOptions shown);

// One object by name, in the same forms.
[[nodiscard]] Result<void> show_one(CommandSession& session, ShowOptions shown, std::string_view namespace_name,
                                    std::string_view name);

// One object as `page` writes it, unless --output asks for a format.
[[nodiscard]] Result<void> show_page(CommandSession& session, const VcctlKind& kind, std::string_view namespace_name,
                                     std::string_view name,
                                     const std::function<Result<void>(const text::Object&)>& page);

// Columns that many tables have.
[[nodiscard]] TableColumn namespace_column(Width width);
[[nodiscard]] TableColumn name_column(Width width);
[[nodiscard]] TableColumn age_column(Width width);
// The text at a path, and "" or a whole number (0 when absent).
[[nodiscard]] TableColumn text_column(std::string_view header, Width width, std::vector<std::string_view> path);
[[nodiscard]] TableColumn number_column(std::string_view header, Width width, std::vector<std::string_view> path);
[[nodiscard]] TableColumn phase_column(std::string_view header, Width width, std::vector<std::string_view> path);

}  // namespace basalt::cli::vcctl
