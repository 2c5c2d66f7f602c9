#include "lab/scenario/explain_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "engine/core/combine.h"
#include "engine/core/node_search.h"
#include "engine/model/resource_units.h"
#include "kube/text/quantity.h"

namespace basalt::lab::scenario {

namespace {

using engine::HookTable;
using engine::Session;
using model::JobId;
using model::NodeId;
using model::QueueId;
using model::TaskId;

constexpr size_t kMaxNodesShown = 20;
constexpr size_t kMaxPodsShown = 12;

// One plugin, bound alone.
struct Lone {
  std::string name;
  std::unique_ptr<engine::PluginRun> run;
  std::unique_ptr<HookTable> table = std::make_unique<HookTable>();
};

std::vector<Lone> open_alone(Session& session) {
  std::vector<Lone> plugins;
  for (const engine::Policy::Plugin& plugin : session.policy.plugins) {
    Lone lone{.name = plugin.name, .run = plugin.make()};
    engine::HookBinder binder(*lone.table, plugin.flags, plugin.tier);
    lone.run->open(session, binder);
    plugins.push_back(std::move(lone));
  }
  return plugins;
}

// Asks the engine with only this plugin's hooks in force.
template <class Question>
auto asked_alone(Session& session, const Lone& plugin, Question question) {
  std::swap(session.hooks, *plugin.table);
  auto answer = question();
  std::swap(session.hooks, *plugin.table);
  return answer;
}

class Explanation {
 public:
  explicit Explanation(Session& session) : session_(session), plugins_(open_alone(session)) {}

  std::string text() {
    sort_jobs();
    queues();
    jobs();
    pods();
    return std::move(out_);
  }

 private:
  void sort_jobs() {
    for (const JobId job : session_.jobs()) by_queue_[session_.state.job(job).queue_id].push_back(job);
    for (auto& [queue, jobs] : by_queue_) {
      std::sort(jobs.begin(), jobs.end(), [&](JobId a, JobId b) { return session_.job_before(a, b); });
      queues_.push_back(queue);
    }
    std::sort(queues_.begin(), queues_.end(), [&](QueueId a, QueueId b) { return session_.queue_before(a, b); });
  }

  // Who sees a difference first; creation time and name if nobody does.
  template <class Slot, class Id>
  std::string decider(Slot HookTable::* slot, Id a, Id b) const {
    for (const Lone& plugin : plugins_) {
      if (engine::first_nonzero(plugin.table.get()->*slot, a, b) != 0) return plugin.name;
    }
    return "age, name";
  }

  template <class Slot, class Id, class Name>
  std::string chain(Slot HookTable::* slot, const std::vector<Id>& ids, Name name) const {
    std::string text;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (i > 0) text += fmt::format(", then ({}) ", decider(slot, ids[i - 1], ids[i]));
      text += name(ids[i]);
    }
    return text;
  }

  void queues() {
    if (queues_.size() < 2) return;
    out_ += fmt::format("  queue order  {}\n", chain(&HookTable::queue_order, queues_, [&](QueueId id) {
                          return session_.state.queue(id).name + (session_.overused(id) ? " (overused)" : "");
                        }));
  }

  void jobs() {
    for (const QueueId queue : queues_) {
      const auto& jobs = by_queue_[queue];
      if (jobs.size() < 2) continue;
      out_ += fmt::format("  job order    {}: {}\n", session_.state.queue(queue).name,
                          chain(&HookTable::job_order, jobs, [&](JobId id) { return session_.state.job(id).name; }));
    }
  }

  void pods() {
    size_t shown = 0;
    for (const QueueId queue : queues_) {
      for (const JobId job : by_queue_[queue]) {
        std::vector<TaskId> tasks = session_.state.job(job).tasks;
        std::erase_if(tasks,
                      [&](TaskId task) { return session_.state.task(task).status != model::TaskStatus::Pending; });
        std::sort(tasks.begin(), tasks.end(), [&](TaskId a, TaskId b) { return session_.task_before(a, b); });
        // Pods of one shape and role see the same.
        std::vector<std::pair<model::ShapeId, NameId>> seen;
        for (const TaskId task : tasks) {
          const std::pair kind{session_.state.task(task).shape, session_.state.task(task).role};
          if (std::find(seen.begin(), seen.end(), kind) != seen.end()) continue;
          seen.push_back(kind);
          if (shown++ < kMaxPodsShown) pod(task);
        }
      }
    }
  }

  void pod(TaskId task) {
    const auto all = session_.state.nodes_by_name();
    out_ += fmt::format("  nodes for {}\n", session_.state.task(task).name);
    std::vector<NodeId> fitting;
    for (const NodeId node : all) {
      if (refusal(task, node).empty()) fitting.push_back(node);
    }
    const std::vector<double> scores = engine::score_nodes(session_, task, fitting);
    size_t next = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string why = refusal(task, all[i]);
      if (i < kMaxNodesShown) {
        out_ += fmt::format("    {:<8} {}\n", session_.state.node(all[i]).name,
                            why.empty() ? offer(task, fitting, next, scores[next]) : why);
      }
      if (why.empty()) ++next;
    }
    if (all.size() > kMaxNodesShown) out_ += fmt::format("    … and {} more\n", all.size() - kMaxNodesShown);
  }

  // Why the node does not take the task even when what is being released is free; "" if it does.
  std::string refusal(TaskId task, NodeId node) {
    const model::Demand& request = session_.state.shape_of(task).request;
    const auto room = session_.state.future_idle(node);
    if (const model::ResourceId missing = model::first_insufficient(request, room); missing.valid()) {
      return fmt::format("no: Insufficient {} ({} free)", session_.state.schema.name(missing),
                         amount_text(session_.state.schema.name(missing), room[missing.index()]));
    }
    for (const Lone& plugin : plugins_) {
      const engine::VerdictId verdict =
          asked_alone(session_, plugin, [&] { return engine::filter_node(session_, task, node); });
      if (verdict == engine::kFits) continue;
      std::string text;
      for (const engine::ReasonId reason : session_.memory.verdicts[verdict].reasons) {
        text += (text.empty() ? "" : ", ") + std::string(session_.memory.verdicts.text(reason));
      }
      return fmt::format("no: {} ({})", text, plugin.name);
    }
    return "";
  }

  std::string offer(TaskId task, const std::vector<NodeId>& fitting, size_t index, double total) {
    std::string parts;
    for (const Lone& plugin : plugins_) {
      if (plugin.table->score.entries.empty() && plugin.table->scaled_scores.empty()) continue;
      const auto scores = asked_alone(session_, plugin, [&] { return engine::score_nodes(session_, task, fitting); });
      parts += fmt::format("{}{} {:.4g}", parts.empty() ? "" : " + ", plugin.name, scores[index]);
    }
    const bool now = model::fits(session_.state.shape_of(task).request, session_.state.idle(fitting[index]));
    return fmt::format("{} score {:.6g}{}", now ? "yes," : "later (resources are being released),", total,
                       parts.empty() ? "" : " = " + parts);
  }

  Session& session_;
  std::vector<Lone> plugins_;
  std::map<QueueId, std::vector<JobId>> by_queue_;
  std::vector<QueueId> queues_;
  std::string out_;
};

}  // namespace

std::string explain_session(Session& session) { return Explanation(session).text(); }

std::string amount_text(std::string_view resource, model::Amount amount) {
  using text::Quantity;
  if (model::is_in_bytes(resource)) return Quantity::from_units(amount, text::QuantityFormat::BinarySI).to_string();
  if (model::is_whole(resource)) return Quantity::from_units(amount).to_string();
  return Quantity::from_milli(amount).to_string();
}

}  // namespace basalt::lab::scenario
