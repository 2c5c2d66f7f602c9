// tdm: time division. Some nodes are lent to batch work at certain hours and taken back at others.
//
// A node with the label volcano.sh/revocable-zone belongs to that zone; a zone is lent during its window. Pods that say
// they may be revoked (annotation volcano.sh/revocable-zone: "*") can use it.
//
// Arguments:
//   tdm.revocable-zone.<zone>   the window, "HH:MM-HH:MM", both ends included; an end at or before the start is on the
//                               next day, so "22:00-06:00" spans midnight and "00:00-00:00" is always
//   tdm.utc-offset              what to add to UTC to get the windows' time, "+02:00" ("+00:00")
//   tdm.evict.period            how often pods are moved off nodes whose window is over (1m); for the shuffle action
//
//   filter          on nodes of a zone: the window is open, and the pod may be revoked
//   score           +100 there
//   preemptable     for a pod that is neither preemptable nor revocable: running preemptable pods on ordinary nodes, of
//                   each job at most what its budget leaves (tdm_budget.h)
//   job_order       jobs that cannot be preempted first
//   job_pipelined   as the gang is pipelined
//   job_starving    a job that cannot be preempted and has pending pods
//
// Answers change when a window opens or closes. Cost: O(zones) a node of a zone, O(1) elsewhere; open O(nodes).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "engine/core/plugin.h"

namespace basalt::plugins {

class Tdm {
 public:
  static constexpr std::string_view kName = "tdm";
  static Result<Tdm> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  void filter(const engine::FilterCall& call) const;
  void score(const engine::ScoreCall& call) const;
  void sign(model::TaskId task, engine::ClassKey& key) const;
  void sign_epoch(Fingerprint& epoch) const;
  void job_inputs(model::JobId id, Fingerprint& inputs) const;
  engine::Vote victims(model::TaskId preemptor, std::span<const model::TaskId> candidates,
                       std::vector<model::TaskId>& chosen);
  [[nodiscard]] engine::Order job_order(model::JobId a, model::JobId b) const;
  [[nodiscard]] engine::Vote job_pipelined(model::JobId id) const;
  [[nodiscard]] bool job_starving(model::JobId id) const;

  [[nodiscard]] Duration evict_period() const { return evict_period_; }

 private:
  struct Window {
    std::string zone, text;
    int64_t start = 0, end = 0;  // seconds since midnight
    [[nodiscard]] bool covers(int64_t second_of_day) const;
  };
  // A zone that some node is in.
  struct Zone {
    NameId name;
    bool open = false;
    engine::VerdictId closed = engine::kFits;  // the refusal while it is not open
  };
  [[nodiscard]] const Zone& zone_of(NameId name) const;
  void add_zone(engine::Session& session, NameId name, int64_t second_of_day);

  std::vector<Window> windows_;
  Duration utc_offset_;
  Duration evict_period_ = Duration::seconds(60);
  const engine::Session* session_ = nullptr;
  std::vector<Zone> zones_;
  engine::VerdictId not_revocable_ = engine::kFits;
  struct Share {
    model::JobId job;
    int32_t left = 0;
  };
  std::vector<Share> shares_;  // of one victims() call
};

}  // namespace basalt::plugins
