// What the pods of a job write, each line shown once, for a command that looks again and again.
//
// 1. Every container is followed, init containers too. Before a line stands whose it is, as far as that is not plain:
//    "[pod] ", "[container] " or "[pod/container] ".
// 2. A look asks for what was written since the last line that was shown (sinceTime), by its timestamp; the API has no
//    offsets into logs. Lines with the same timestamp are counted.
// 3. A pod is known by its uid: one that is made again has logs of its own. A container that was restarted is read to
//    the end of its former log first.
// Cost: for each look one call for each container that may still write, and the bytes that are new.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/instant.h"
#include "kube/api/views/pod_view.h"
#include "programs/cli/vcctl/command_session.h"

namespace basalt::cli::vcctl {

class PodLogFollower {
 public:
  // Requires: `session` outlives it.
  PodLogFollower(CommandSession& session, std::string namespace_name);

  // Shows on `out` what is new; `with_name`: there are several pods.
  void show(const text::Object& object, bool with_name);

 private:
  struct Container {
    std::string name;                 // "": the only one
    api::ContainerStatusView status;  // may be absent
    bool is_init = false;             // one that ends before the others start
  };
  // What was shown of one container.
  struct Shown {
    std::string last;       // timestamp of the last line; "": none has one
    Instant last_time;      // the same
    size_t lines_then = 0;  // that have it
    size_t untimed = 0;     // lines without a timestamp
    int64_t restarts = 0;
    bool whole = false;  // nothing more comes
  };

  [[nodiscard]] static std::vector<Container> containers_of(api::PodView pod);
  void show_container(api::PodView pod, const Container& container, const std::string& prefix);
  void show_lines(std::string_view text, bool is_whole, Shown& shown, const std::string& prefix);

  CommandSession& session_;
  const std::string namespace_name_;
  std::map<std::string, Shown> shown_;  // by "uid/container"
};

}  // namespace basalt::cli::vcctl
