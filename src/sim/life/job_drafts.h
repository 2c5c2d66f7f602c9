// Jobs of a life-cycle scenario before they are submitted: what its lines say about them, as objects.
//
//   job j min=2 queue=q        task j worker replicas=2 min=1        policy j event=PodFailed action=RestartJob
//   plugin j svc "--x"         volume j mount=/data size=1Gi
// A line about a job that was submitted changes only the draft, for the next submit.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "cli/scenario/script.h"
#include "text/json.h"

namespace basalt::sim {

class JobDrafts {
 public:
  // Whether the line is one of those above; an error if it is and is wrong.
  [[nodiscard]] Result<bool> take(const cli::scenario::Line& line);
  // An error if no line "job NAME" was there.
  [[nodiscard]] Result<const text::Object*> find(const std::string& name) const;

 private:
  Result<void> job(const cli::scenario::Line& line);
  Result<void> task(const cli::scenario::Line& line);
  Result<void> policy(const cli::scenario::Line& line);
  Result<void> plugin(const cli::scenario::Line& line);
  Result<void> volume(const cli::scenario::Line& line);
  [[nodiscard]] Result<text::Object*> spec_of(const cli::scenario::Line& line);

  std::map<std::string, text::Object> jobs_;
};

}  // namespace basalt::sim
