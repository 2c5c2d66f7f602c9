// What a controller answers about one item: the writes to make, the questions to ask, what to tell people, and when to
// look again.
//
// A plan is a pure function of what was observed and the time; run again on the state that its writes brought about, it
// answers nothing. So losing a wake-up is the only way to lose work, waking too often only costs time, and a crash
// between any two writes is repaired by the next plan.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "kube/api/call.h"
#include "kube/text/json.h"

namespace basalt::loop {

// An event to be shown with an object (`kubectl describe`).
struct EventNote {
  text::Object regarding;  // apiVersion, kind, namespace, name, uid
  bool warning = false;
  std::string reason, message;
};

// Does somebody listen there, and answer well?
struct Probe {
  std::string host;
  uint16_t port = 0;
  bool http = false;  // GET `path`, 2xx or 3xx is good; else a connection is good
  std::string path, header_name, header_value;
  friend auto operator<=>(const Probe&, const Probe&) = default;
};

using Ask = std::variant<api::Call, Probe>;

// Told when the write at this place of a plan has succeeded, and never when it was refused.
struct WriteNote {
  size_t stage = 0, place = 0;
  EventNote note;
};

struct WritePlan {
  using Stage = std::vector<api::Call>;

  std::vector<Stage> stages;           // a stage is sent when the one before it succeeded
  std::vector<Ask> asks;               // answered, Reconciler::answered says what follows
  std::vector<EventNote> notes;        // told with the plan, whatever becomes of its writes
  std::vector<WriteNote> write_notes;  // in the order of their writes
  Instant again = kNever;              // look again then, even if nothing changes

  void write(api::Call call) {
    if (stages.empty()) stages.emplace_back();
    stages.back().push_back(std::move(call));
  }
  // The same, and what to tell once it is done.
  void write(api::Call call, EventNote done) {
    write(std::move(call));
    write_notes.push_back({.stage = stages.size() - 1, .place = stages.back().size() - 1, .note = std::move(done)});
  }
  // What is written from here on waits for what was written so far.
  void then() {
    if (!stages.empty() && !stages.back().empty()) stages.emplace_back();
  }
  void look_again(Instant at) {
    if (at.is_set() && (!again.is_set() || at < again)) again = at;
  }
};

}  // namespace basalt::loop
