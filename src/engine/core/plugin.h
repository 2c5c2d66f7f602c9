// What a plugin is, and how it is bound.
//
// A plugin is a copyable class:
//   static constexpr std::string_view kName = "binpack";
//   static Result<Binpack> make(const Arguments&);   // parses its arguments once, when the conf is read
//   void open(Session&, HookBinder&);                // once a cycle, on a fresh copy: binds hooks, builds its accounts
//   void close(Session&);                            // optional: after the actions, to report
// open() is the only place where hooks are bound, so it shows the plugin's whole surface.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/core/arguments.h"
#include "engine/core/hook_table.h"

namespace basalt::engine {

class Session;

// Adds hooks of one plugin to the table, at its tier and only where its switches allow.
class HookBinder {
 public:
  HookBinder(HookTable& table, const FlagSet& flags, uint16_t tier) : table_(table), flags_(flags), tier_(tier) {}

  [[nodiscard]] bool enabled(PluginFlag flag) const {
    return flag == PluginFlag::Always || flags_[static_cast<size_t>(flag)];
  }

  // bind<&Gang::job_ready>(&HookTable::job_ready, *this)
  template <auto Method, class Sig, class Rule, class Plugin>
  void bind(Slot<Sig, Rule> HookTable::* slot, Plugin& plugin) {
    Slot<Sig, Rule>& target = table_.*slot;
    if (!enabled(target.flag)) return;
    target.entries.push_back({.hook = Hook<Sig>::template to<Method>(plugin), .tier = tier_});
    if constexpr (std::same_as<Slot<Sig, Rule>, decltype(HookTable::filter)>) {
      if (enabled(PluginFlag::Preemptable) || enabled(PluginFlag::Allocatable)) table_.filters_see_evictions = true;
    }
  }
  // A scaled score: Raw fills raw values, ReachOf says how far a placement reaches for this class.
  template <auto Raw, auto ReachOf, class Plugin>
  void bind_scaled(double (*scale)(int64_t, int64_t, int64_t), double weight, Plugin& plugin) {
    if (!enabled(PluginFlag::NodeOrder)) return;
    table_.scaled_scores.push_back({.part = {.raw = Hook<void(const RawCall&)>::template to<Raw>(plugin),
                                             .reach = Hook<Reach(TaskId)>::template to<ReachOf>(plugin),
                                             .scale = scale,
                                             .weight = weight},
                                    .tier = tier_});
  }

  // Answers change with time alone, so a cycle without events is not idle.
  void depends_on_time() { table_.depends_on_time = true; }

 private:
  HookTable& table_;
  const FlagSet& flags_;
  uint16_t tier_;
};

template <class P>
concept Plugin = std::copy_constructible<P> && requires(P p, const Arguments& a, Session& s, HookBinder& b) {
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::make(a) } -> std::same_as<Result<P>>;
  p.open(s, b);
};

// One cycle's copy of a plugin.
class PluginRun {
 public:
  PluginRun() = default;
  PluginRun(const PluginRun&) = delete;
  PluginRun& operator=(const PluginRun&) = delete;
  virtual ~PluginRun() = default;
  virtual void open(Session& session, HookBinder& binder) = 0;
  virtual void close(Session& session) = 0;
};
using PluginMaker = std::function<std::unique_ptr<PluginRun>()>;

// A row of the registry: the name and how to make a configured maker from arguments.
struct PluginEntry {
  std::string_view name;
  Result<PluginMaker> (*configure)(const Arguments& arguments) = nullptr;
};

template <Plugin P>
constexpr PluginEntry plugin_entry() {
  return {.name = P::kName, .configure = [](const Arguments& arguments) -> Result<PluginMaker> {
            class Run final : public PluginRun {
             public:
              explicit Run(const P& prototype) : plugin_(prototype) {}
              void open(Session& session, HookBinder& binder) override { plugin_.open(session, binder); }
              void close(Session& session) override {
                if constexpr (requires { plugin_.close(session); }) plugin_.close(session);
              }

             private:
              P plugin_;
            };
            Result<P> prototype = P::make(arguments);
            if (!prototype) return std::unexpected(prototype.error());
            return PluginMaker([made = std::move(*prototype)] { return std::make_unique<Run>(made); });
          }};
}

}  // namespace basalt::engine
