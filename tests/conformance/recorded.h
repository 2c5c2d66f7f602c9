// Cases recorded from Volcano: third-party data that lives outside the tree, in $BASALT_CONFORMANCE_DIR or
// ../shared/conformance beside the project. A test that needs them says loudly that it did not run without them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "text/file.h"
#include "text/json.h"

namespace basalt::conformance {

inline std::string recorded_folder() {
  const char* given = std::getenv("BASALT_CONFORMANCE_DIR");
  return given != nullptr ? given : "../shared/conformance";
}

// The list in `file` ("jobplugins/plugin_env.json"); nothing when the recorded cases are not there.
inline std::optional<text::Array> recorded_cases(std::string_view file) {
  const auto content = text::read_file(recorded_folder() + "/" + std::string(file));
  if (!content) return std::nullopt;
  auto value = text::parse_json(*content);
  EXPECT_TRUE(value.has_value()) << file << ": " << (value ? "" : value.error().message);
  if (!value || !value->is_array()) return std::nullopt;
  return std::move(value->get_array());
}

inline constexpr std::string_view kNotRecorded =
    "*** SKIPPED: no recorded Volcano cases here. Nothing was compared with Volcano. Set BASALT_CONFORMANCE_DIR. ***";

}  // namespace basalt::conformance
