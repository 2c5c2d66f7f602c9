// Objects as JSON, YAML or names, as kubectl shows them: without managedFields, keys sorted.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "kube/client/object_client.h"
#include "programs/cli/vcctl/terminal.h"
#include "programs/cli/vcctl/vcctl_kinds.h"

namespace basalt::cli::vcctl {

enum class Format : uint8_t { Table, Wide, Json, Yaml, Name };

inline constexpr std::string_view kFormats = "json yaml wide name";

// "": Table. Refused: a word that is not among kFormats.
[[nodiscard]] Result<Format> read_format(std::string_view word);

// `object` without managedFields, with apiVersion and kind (lists of built-in kinds leave them out), keys sorted.
[[nodiscard]] text::Value shown(const VcctlKind& kind, const text::Object& object);

// Requires: the format is Json, Yaml or Name, and every pointer is an object.
// One object / a v1 List of them / one object after another, as a watch delivers them.
void print_one(Terminal& terminal, Format format, const VcctlKind& kind, const text::Object& object);
void print_list(Terminal& terminal, Format format, const VcctlKind& kind, std::span<const client::ObjectPtr> objects);
void print_later(Terminal& terminal, Format format, const VcctlKind& kind, std::span<const client::ObjectPtr> objects);

}  // namespace basalt::cli::vcctl
