// Cases recorded from Volcano: third-party data that lives outside the tree, in $BASALT_CONFORMANCE_DIR or
// ../shared/conformance beside the project. A test that needs them says loudly that it did not run without them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "kube/text/json.h"
#include "kube/text/read_file.h"

namespace basalt::conformance {

inline std::string recorded_folder() {
  const char* given = std::getenv("BASALT_CONFORMANCE_DIR");
  return given != nullptr ? given : "../shared/conformance";
}

// How many cases a file has at least: with fewer a test would compare less and pass all the same.
struct RecordedFloor {
  std::string_view file;
  size_t cases;
};
inline constexpr RecordedFloor kRecordedFloors[] = {
    {"jobplugins/jobcontroller_applyPolicies.json", 12},
    {"jobplugins/jobcontroller_calcPGMinResources.json", 24},
    {"jobplugins/jobcontroller_createJobPod.json", 23},
    {"jobplugins/jobcontroller_statemachine.json", 9240},
    {"jobplugins/plugin_env.json", 2},
    {"jobplugins/plugin_hcclrank.json", 6},
    {"jobplugins/plugin_mpi.json", 8},
    {"jobplugins/plugin_pytorch.json", 20},
    {"jobplugins/plugin_ray.json", 6},
    {"jobplugins/plugin_ssh.json", 10},
    {"jobplugins/plugin_svc.json", 15},
    {"jobplugins/plugin_tensorflow.json", 12},
};

// The list in `file` ("jobplugins/plugin_env.json"); nothing when the recorded cases are not there. Fewer cases than
// its floor, or a file without one, is a failure.
inline std::optional<text::Array> recorded_cases(std::string_view file) {
  const auto content = text::read_file(recorded_folder() + "/" + std::string(file));
  if (!content) return std::nullopt;
  auto value = text::parse_json(*content);
  EXPECT_TRUE(value.has_value()) << file << ": " << (value ? "" : value.error().message);
  if (!value || !value->is_array()) return std::nullopt;
  const auto* floor = std::ranges::find(kRecordedFloors, file, &RecordedFloor::file);
  EXPECT_NE(floor, std::ranges::end(kRecordedFloors)) << file << " has no floor: add it";
  if (floor == std::ranges::end(kRecordedFloors)) return std::nullopt;
  EXPECT_GE(value->get_array().size(), floor->cases) << file;
  return std::move(value->get_array());
}

inline constexpr std::string_view kNotRecorded =
    "*** SKIPPED: no recorded Volcano cases here. Nothing was compared with Volcano. Set BASALT_CONFORMANCE_DIR. ***";

}  // namespace basalt::conformance
