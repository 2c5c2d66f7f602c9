// Everything about one job, kept up to date: five watches of the server into one scene.
//
// Each part is listed and then watched from there; a watch that ends is opened again with a list. Threads: those of the
// client only put letters into a mailbox; the scene is touched by the caller of step() alone.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "programs/cli/follow/scene.h"
#include "programs/cli/mailbox.h"
#include "programs/cli/vcctl/session.h"

namespace basalt::cli::follow {

inline constexpr size_t kMaxLetters = 10'000;  // received and not looked at; the client waits when they are many
inline constexpr int kMaxQuietEnds = 5;        // watches that the server ends one after the other without an event

class JobFeed {
 public:
  // Requires: `session` outlives it.
  JobFeed(vcctl::Session& session, std::string namespace_name, std::string job_name);
  ~JobFeed();
  JobFeed(const JobFeed&) = delete;
  JobFeed& operator=(const JobFeed&) = delete;

  // Lists everything and opens the watches. An error: no such job, or the server does not answer.
  [[nodiscard]] Result<void> open();

  // Takes what has come into the scene; waits at most `wait` for the first of it. False: nothing came. An error: the
  // server cannot be followed any more.
  [[nodiscard]] Result<bool> step(std::chrono::milliseconds wait);

  [[nodiscard]] const Scene& scene() const { return scene_; }

 private:
  struct Letter {
    size_t line = 0;
    uint64_t epoch = 0;
    client::WatchEvent event;
  };
  struct Line {
    Part part;
    const vcctl::Kind& kind;
    vcctl::Scope scope;
    std::unique_ptr<client::Watch> watch;
    uint64_t epoch = 0;  // tells letters of this watch from those of a former one
    int quiet_ends = 0;
  };

  void add_line(Part part, const vcctl::Kind& kind, vcctl::Scope scope);
  [[nodiscard]] Result<void> open_line(size_t index);
  [[nodiscard]] Result<void> read(Letter letter);

  vcctl::Session& session_;
  std::string namespace_;
  Scene scene_;
  std::shared_ptr<Mailbox<Letter>> mailbox_;  // shared with the functions that the client calls
  std::vector<Line> lines_;
};

}  // namespace basalt::cli::follow
