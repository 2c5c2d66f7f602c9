// Where the policy comes from: the conf file, or the ConfigMap, looked at again and again.
//
// 1. A conf that does not load changes nothing. It is told in the log once for each content, not at every look.
// 2. A file that is named wins: what the ConfigMap says does not count then.
// 3. A file that goes away leaves its last policy in force; it is told once. A ConfigMap that is deleted takes its
//    policy with it: the built-in one is in force again.
// 4. The file is read again when its device, inode, size or times of change differ; the path is followed anew each
//    time, so a file that is replaced by a rename, or by swapping a symbolic link above it (how kubelets update mounted
//    ConfigMaps), is seen. After a change it is read once more at the next look: two changes within one tick of the
//    file system's clock look alike.
//
// Cost: look() without a change is one stat() a second, else one comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "control/scheduler/scheduler.h"
#include "control/scheduler/state/active_policy.h"
#include "control/scheduler/state/conf_in_map.h"
#include "kube/text/json.h"

namespace basalt::scheduler {

inline constexpr Duration kConfLookEvery = Duration::seconds(1);
using state::kConfMapKey;
using state::kMaxConfBytes;

// What became of a conf that was looked at, for an event about the ConfigMap that holds it.
inline constexpr std::string_view kRefusedReason = "PolicyRefused";
struct ConfNote {
  bool warning = false;
  std::string_view reason;  // PolicyLoaded, PolicySkipped or PolicyRefused
  std::string message;
};

class ConfSource {
 public:
  // `file` "": none. `map_key`: the key of the ConfigMap's data that holds the conf; "": kConfMapKey, or the first by
  // name that ends in ".conf".
  explicit ConfSource(std::string file, std::string map_key = {});

  // Reads the file; nothing to do without one. An error (there is no such file, it does not load) names the path.
  [[nodiscard]] Result<void> first(state::ActivePolicy& policy);
  // Reads the file again if it changed. Answers whether the policy changed. `log` may be empty.
  bool look(Instant now, state::ActivePolicy& policy, const LogFunction& log);
  // What the API tells about the ConfigMap; null: it is gone. Answers whether the policy changed.
  bool learn(const text::Object* config_map, state::ActivePolicy& policy, const LogFunction& log);
  // The notes about the last conf that was looked at, each once.
  [[nodiscard]] bool has_notes() const { return !notes_.empty(); }
  [[nodiscard]] std::vector<ConfNote> take_notes() { return std::exchange(notes_, {}); }
  // The text of the conf in force; nothing: the built-in policy is.
  [[nodiscard]] const std::optional<std::string>& in_force() const { return in_force_; }
  // The last conf that was looked at is not the one in force.
  [[nodiscard]] bool is_refused() const { return refused_; }
  // When look() has something to do; nothing: never (no file).
  [[nodiscard]] std::optional<Instant> next_due() const;

 private:
  // Which state of which file was read last.
  struct Stamp {
    uint64_t device = 0, inode = 0;
    int64_t size = 0, changed_nanos = 0, status_nanos = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  // Nothing: there is no such file. An error: there is something else.
  [[nodiscard]] Result<std::optional<Stamp>> stamp_now() const;
  Result<void> read_first(state::ActivePolicy& policy);
  bool complain(const std::string& why, const LogFunction& log);  // once; answers false
  bool back_to_built_in(state::ActivePolicy& policy, const LogFunction& log);
  bool take(std::string_view from, std::string_view content, state::ActivePolicy& policy, const LogFunction& log);
  // `content` is in force.
  void note_loaded(std::string_view from, std::string_view content, const state::ActivePolicy& policy);

  std::string file_, map_key_;
  Instant look_at_;
  std::optional<Stamp> stamp_;
  bool settled_ = true;              // the file was read again after the look that saw it change
  std::optional<std::string> seen_;  // the last content, good or bad; nothing: none, or it could not be read
  std::optional<std::string> in_force_;
  std::string told_;  // the last complaint about a conf that could not be read
  bool refused_ = false;
  std::vector<ConfNote> notes_;  // of the last content, so a few
};

}  // namespace basalt::scheduler
