// What becomes of a conf file, told on the ConfigMap in which people look for the policy.
//
// In Kubernetes the file is the mounted ConfigMap; in `basalt up --scheduler-conf` the ConfigMap shows the file. Events
// need the object's uid, so it is read first, or written, where it is to show the text in force. No such ConfigMap, or
// we may not read it: nothing is told. A read or write that fails is tried again after kConfMapRetry.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/scheduler/conf_source.h"
#include "control/scheduler/cycle_output.h"

namespace basalt::scheduler {

inline constexpr Duration kConfMapRetry = Duration::seconds(10);

class ConfMapNotes {
 public:
  // `map`: "namespace/name"; "": nothing is told. `shows_conf`: its key kConfMapKey gets the text in force, and its
  // annotation kPolicyRefusedAnnotation what is wrong with the file, while that is not it.
  ConfMapNotes(std::string map, bool shows_conf) : map_(std::move(map)), shows_conf_(shows_conf) {}

  // What `source` has to tell about its file.
  void take(ConfSource& source);
  void write_due(Instant now, CycleOutput& out);
  void answered(const CompletedWrite& answer, Instant now, CycleOutput& out);
  [[nodiscard]] std::optional<Instant> next_due() const;

 private:
  std::string map_;
  bool shows_conf_;
  std::vector<ConfNote> notes_;  // of the last content, so a few
  std::optional<std::string> text_;
  bool asking_ = false;
  bool changed_ = false;  // since the last question
  Instant not_before_;
};

}  // namespace basalt::scheduler
