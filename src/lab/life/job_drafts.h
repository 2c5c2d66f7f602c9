// Jobs of a life-cycle scenario before they are submitted: what its lines say about them, as objects.
//
//   job j min=2 queue=q        task j worker replicas=2 min=1        policy j event=PodFailed action=RestartJob
//   plugin j svc "--x"         volume j mount=/data size=1Gi
// A line about a job that was submitted changes only the draft, for the next submit.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "kube/text/json.h"
#include "lab/scenario/scenario_script.h"

namespace basalt::lab {

class JobDrafts {
 public:
  // Whether the line is one of those above; an error if it is and is wrong.
  [[nodiscard]] Result<bool> take(const lab::scenario::ScriptLine& line);
  // An error if no line "job NAME" was there.
  [[nodiscard]] Result<const text::Object*> find(const std::string& name) const;

 private:
  Result<void> job(const lab::scenario::ScriptLine& line);
  Result<void> task(const lab::scenario::ScriptLine& line);
  Result<void> policy(const lab::scenario::ScriptLine& line);
  Result<void> plugin(const lab::scenario::ScriptLine& line);
  Result<void> volume(const lab::scenario::ScriptLine& line);
  [[nodiscard]] Result<text::Object*> spec_of(const lab::scenario::ScriptLine& line);

  std::map<std::string, text::Object> jobs_;
};

}  // namespace basalt::lab
