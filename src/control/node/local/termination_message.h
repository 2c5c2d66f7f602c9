// A container's termination message: its file (terminationMessagePath), and what the status says of it
// (terminationMessagePolicy), as with a kubelet.
//
// The file is one of ours beside the pod's volumes, which every user may write to, bound over the path in the
// container. It is made empty for each run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "kube/text/json.h"

namespace basalt::node {

inline constexpr size_t kMaxTerminationMessage = 4096;  // bytes of the file, from its start
inline constexpr size_t kMaxFallbackBytes = 2048;       // of the log, from its end …
inline constexpr size_t kMaxFallbackLines = 80;         // … and lines

struct TerminationFile {
  std::filesystem::path file;  // on the host; "": the container has none
  std::string path;            // in the container
  std::filesystem::path log;   // of the container
  bool falls_back = false;     // to the log, after a failure without a message
};

// Of a container whose pod has this directory (volume_manager.h). Pure.
[[nodiscard]] TerminationFile termination_of(const text::Object& container, const std::filesystem::path& pod_directory,
                                             const std::filesystem::path& log);

// Makes the file empty, for anybody to write to. Nothing to do without one.
Result<void> prepare(const TerminationFile& termination);

// What the container left, as UTF-8 (other bytes become '?'); "": nothing. Cost: some KiB are read.
[[nodiscard]] std::string termination_message(const TerminationFile& termination, int exit_code);

}  // namespace basalt::node
