// A pod's volumes as directories of this machine.
//
//   DIRECTORY/pods/<pod uid>/volumes/<volume>   of the pod, gone with it
//   DIRECTORY/claims/<claim uid>                of a PersistentVolumeClaim without a path of its own; stays
//
// 1. set_up_volumes() may be repeated, and should be when an object changed that the pod refers to (pod_references.h):
//    files of ConfigMaps, Secrets, the downward API and projections are then replaced all at once (atomic_files.h);
//    emptyDirs and claims keep their content.
// 2. No name, key or path leads out of the volume's directory; what would is refused.
// 3. An error is for an event FailedMount: `MountVolume.SetUp failed for volume "x" : configmap "y" not found`. It may
//    be gone the next time.
// 4. As root, spec.securityContext.fsGroup owns what is made here, and what claims and local volumes hold
//    (fs_group.h), when the pod sees them first.
// 5. No hostPath leads into what is hidden.
//
// Threads: all functions from any thread; layouts are made one at a time.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "control/node/local/object_lookup.h"

namespace basalt::node {

inline constexpr size_t kMaxVolumes = 1'000;  // of a pod

struct PodVolumes {
  struct Volume {
    std::filesystem::path path;  // a directory; a file or a device with some hostPaths
    bool read_only = false;
    bool from_objects = false;  // a ConfigMap, Secret, projection or downward API: read-only too
  };
  std::map<std::string, Volume, std::less<>> by_name;
  std::vector<std::string> notes;  // what is not quite as asked for
};

class VolumeManager {
 public:
  // Requires: a canonical path of a directory that is ours. `hidden`: what no pod sees, beside it.
  explicit VolumeManager(std::filesystem::path directory, std::vector<std::filesystem::path> hidden = {})
      : directory_(std::move(directory)), hidden_(std::move(hidden)), mutex_(std::make_unique<std::mutex>()) {
    hidden_.push_back(directory_);
  }

  // DIRECTORY/pods/<uid>, made when it is not there; also for other files of the pod (its hosts file).
  // An error: a uid that is no plain word, or the disk.
  [[nodiscard]] Result<std::filesystem::path> pod_directory(std::string_view uid) const;

  [[nodiscard]] Result<PodVolumes> set_up_volumes(const text::Object& pod, const PodPlacement& place,
                                                  const PodObjectLookup& lookup) const;
  // The pod's directory and all in it. A directory of that name may be made again at once.
  [[nodiscard]] Result<void> remove(std::string_view uid) const;
  // The uids that have a directory, to remove those of pods that are no more.
  [[nodiscard]] std::vector<std::string> uids() const;

  // The same for claims that were deleted.
  [[nodiscard]] Result<void> remove_claim(std::string_view uid) const;
  [[nodiscard]] std::vector<std::string> claim_uids() const;

 private:
  std::filesystem::path directory_;
  std::vector<std::filesystem::path> hidden_;
  std::unique_ptr<std::mutex> mutex_;  // apart, so that this can be moved
};

}  // namespace basalt::node
