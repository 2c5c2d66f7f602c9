#include "lab/conformance/probe_comparison.h"

#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "engine/core/cycle.h"
#include "engine/core/node_search.h"
#include "engine/core/session.h"
#include "kube/text/read_file.h"
#include "lab/conformance/probe_answers.h"
#include "lab/conformance/replay.h"

namespace basalt::lab {

namespace {

using engine::Session;
using text::Array;
using text::Object;
using text::Value;

std::string probe_path(const std::string& folder, const RecordedCase& recorded) {
  const std::filesystem::path file(recorded.file);
  for (const std::filesystem::path& path :
       {std::filesystem::path(folder) / file.parent_path().filename() / file.filename(),
        std::filesystem::path(folder) / file.filename()}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path.string();
  }
  return "";
}

// Calls `look` with the session right after it opened.
class AfterOpen final : public engine::CycleObserver {
 public:
  explicit AfterOpen(std::function<void(Session&)> look) : look_(std::move(look)) {}
  void phase(std::string_view /*name*/) override {}
  void opened(Session& session) override { look_(session); }

 private:
  std::function<void(Session&)> look_;
};

// Opens a session on a fresh copy of the cluster and shows it; the actions do nothing.
Result<void> open_session(const RecordedCase& recorded, engine::Policy policy, std::function<void(Session&)> look) {
  auto replay = Replay::start(recorded);
  if (!replay) return std::unexpected(replay.error());
  for (engine::Policy::Action& action : policy.actions) action.run = [](Session&) {};
  AfterOpen observer(std::move(look));
  Rng rng(1);
  engine::run_cycle((*replay)->state(), policy, kReplayStart, rng, {.observer = &observer, .use_memory = false});
  return {};
}

const Value& member_or_empty(const Value& value, std::string_view key) {
  static const Value kEmpty = Object();
  const Value* member = text::find_member(value, key);
  return member == nullptr || !member->is_object() ? kEmpty : *member;
}

// name → row[key] for all rows that have it.
Value pick(const Value& rows, std::string_view key) {
  Object out;
  for (const auto& row : rows.as_object()) {
    if (const Value* value = text::find_member(row.value(), key)) out[row.key()] = *value;
  }
  return out;
}

template <class Change>
Value map_rows(const Value& rows, Change change) {
  Object out;
  for (const auto& row : rows.as_object()) out[row.key()] = change(row.value());
  return out;
}

void compare_queues_and_jobs(const Value& probe, const Session& session, Comparison& out) {
  if (const Value* order = text::find_member(probe, "queueOrder"); order != nullptr && order->is_array()) {
    out.add("probe queueOrder", in_order(order->get_array()), queue_order(session, order->get_array()));
  }
  const auto ordered = [](const Value& list) { return list.is_array() ? in_order(list.get_array()) : Value(); };
  const Value& queues = member_or_empty(probe, "queues");
  out.add("probe jobOrder", map_rows(pick(queues, "jobOrder"), ordered), job_orders(session));
  out.add("probe overused", pick(queues, "overused"), overused_queues(session));
  const Value& jobs = member_or_empty(probe, "jobs");
  for (const char* level :
       {"priority", "minAvailable", "phase", "valid", "ready", "pipelined", "starving", "enqueueable"}) {
    out.add("probe " + std::string(level), pick(jobs, level), job_answers(session, level));
  }
  out.add("probe pendingTaskOrder", map_rows(pick(jobs, "pendingTaskOrder"), ordered),
          job_answers(session, "pendingTaskOrder"));
}

void compare_amounts(const Value& probe, const Session& session, Comparison& out) {
  out.add("probe resreq", map_rows(pick(member_or_empty(probe, "pendingTasks"), "resreq"), parse_amounts),
          pending_requests(session));
  for (const char* level : {"allocatable", "idle", "used", "releasing", "pipelined"}) {
    out.add("probe node " + std::string(level), map_rows(pick(member_or_empty(probe, "nodes"), level), parse_amounts),
            node_amounts(session, level));
  }
}

std::map<std::string, model::TaskId> tasks_by_name(const Session& session) {
  std::map<std::string, model::TaskId> out;
  for (const model::JobId job : session.jobs()) {
    for (const model::TaskId task : session.state.job(job).tasks) {
      const model::Task& row = session.state.task(task);
      out[std::string(session.state.names.text(row.ns)) + "/" + row.name] = task;
    }
  }
  return out;
}

// Calls visit(pod, task, its recorded rows by node) for every pending task that we know too.
template <class Visit>
void each_task(const Value& probe, const Session& session, Visit visit) {
  const auto tasks = tasks_by_name(session);
  for (const auto& row : member_or_empty(probe, "pendingTasks").as_object()) {
    const auto task = tasks.find(std::string(row.key()));
    if (task != tasks.end()) visit(task->first, task->second, member_or_empty(row.value(), "nodes").as_object());
  }
}

void compare_predicates(const Value& probe, Session& session, Comparison& out) {
  Object recorded, ours, recorded_reasons, our_reasons;
  const model::ClusterState& state = session.state;
  each_task(probe, session, [&](const std::string& pod, model::TaskId task, const Object& nodes) {
    const engine::VerdictId refused = engine::pre_filter(session, task);
    for (const auto& row : nodes) {
      const model::NodeId node = state.find_node(std::string_view(row.key()));
      const std::string key = pod + " on " + std::string(row.key());
      const Value* predicate = text::find_member(row.value(), "predicate");
      if (!node.valid() || predicate == nullptr) continue;
      const engine::VerdictId verdict = refused != engine::kFits ? refused : engine::filter_node(session, task, node);
      recorded[key] = *predicate;
      ours[key] = verdict == engine::kFits;
      Array texts;
      for (const engine::ReasonId reason : session.memory.verdicts[verdict].reasons) {
        texts.emplace_back(session.memory.verdicts.text(reason));
      }
      const Value* reasons = text::find_member(row.value(), "reasons");
      if (reasons != nullptr) recorded_reasons[key] = *reasons;
      if (!texts.empty()) our_reasons[key] = std::move(texts);
    }
  });
  if (recorded.empty()) return;
  out.add("probe predicate", recorded, ours);
  out.add("probe predicate reasons", recorded_reasons, our_reasons);
}

// The score of one plugin on one node, or the sum of all (plugin empty); nothing if none was recorded.
Value recorded_score(const Value& row, const std::string& plugin) {
  if (plugin.empty()) {
    const Value* score = text::find_member(row, "score");
    return score == nullptr ? Value() : *score;
  }
  double sum = 0;
  bool any = false;
  for (const char* part : {"order", "batch"}) {
    const Value* score = text::find_member(member_or_empty(row, part), plugin);
    if (score == nullptr || !score->is_number()) continue;
    any = true;
    sum += score->to_number<double>();
  }
  return any ? Value(sum) : Value();
}

// Scores are normalised over the candidates: the nodes that passed when it was recorded.
void compare_scores(const Value& probe, Session& session, const std::string& plugin, Comparison& out) {
  Object recorded, ours;
  each_task(probe, session, [&](const std::string& pod, model::TaskId task, const Object& nodes) {
    std::vector<model::NodeId> candidates;
    for (const auto& row : nodes) {
      const model::NodeId node = session.state.find_node(std::string_view(row.key()));
      if (!node.valid() || recorded_score(row.value(), "").is_null()) continue;
      Value score = recorded_score(row.value(), plugin);
      if (score.is_null()) continue;
      recorded[pod + " on " + std::string(row.key())] = std::move(score);
      candidates.push_back(node);
    }
    const std::vector<double> scores = engine::score_nodes(session, task, candidates);
    for (size_t i = 0; i < candidates.size(); ++i) {
      ours[pod + " on " + session.state.node(candidates[i]).name] = scores[i];
    }
  });
  if (!recorded.empty()) out.add("probe score" + (plugin.empty() ? "" : " of " + plugin), recorded, ours);
}

std::set<std::string> scoring_plugins(const Value& probe) {
  std::set<std::string> names;
  for (const auto& task : member_or_empty(probe, "pendingTasks").as_object()) {
    for (const auto& node : member_or_empty(task.value(), "nodes").as_object()) {
      for (const char* part : {"order", "batch"}) {
        for (const auto& score : member_or_empty(node.value(), part).as_object()) names.insert(score.key());
      }
    }
  }
  return names;
}

engine::Policy only(const engine::Policy& policy, const std::string& plugin) {
  engine::Policy out = policy;
  std::erase_if(out.plugins, [&](const engine::Policy::Plugin& entry) { return entry.name != plugin; });
  return out;
}

}  // namespace

bool has_probe(const std::string& folder, const RecordedCase& recorded) {
  return !probe_path(folder, recorded).empty();
}

Result<Comparison> compare_probe(const std::string& folder, const RecordedCase& recorded,
                                 const engine::Policy& policy) {
  const std::string path = probe_path(folder, recorded);
  const auto content = text::read_file(path);
  if (!content) return std::unexpected(content.error());
  const auto probe = text::parse_json(*content);
  if (!probe) return std::unexpected(probe.error().within(path));

  Comparison out;
  auto done = open_session(recorded, policy, [&](Session& session) {
    compare_queues_and_jobs(*probe, session, out);
    compare_amounts(*probe, session, out);
    compare_predicates(*probe, session, out);
    compare_scores(*probe, session, "", out);
  });
  if (!done) return std::unexpected(done.error());
  for (const std::string& plugin : scoring_plugins(*probe)) {
    done = open_session(recorded, only(policy, plugin),
                        [&](Session& session) { compare_scores(*probe, session, plugin, out); });
    if (!done) return std::unexpected(done.error());
  }
  return out;
}

}  // namespace basalt::lab
