#include "lab/conformance/conformance_verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/policy/build_policy.h"
#include "kube/text/read_file.h"
#include "lab/conformance/outcome_comparison.h"
#include "lab/conformance/probe_comparison.h"
#include "lab/conformance/recorded_case.h"
#include "lab/conformance/replay.h"
#include "lab/conformance/topics.h"
#include "programs/cli/flag_parser.h"

namespace basalt::lab {

namespace {

struct ConformanceOptions {
  std::vector<std::string> paths;
  std::string probe_folder;
  std::string victim_rule = "firstTier";
  std::string floor_file;
  bool own_defaults = false;
  bool time = false;
  bool list_failed = false;
};

struct Totals {
  Tallies topics;
  Comparison firm;                    // without the texts
  std::map<std::string, int> causes;  // of being unsupported
  std::vector<std::string> failed_names;
};

Result<std::vector<std::string>> find_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      if (!std::filesystem::exists(path, error)) return failure(ErrorCode::NotFound, path + ": no such file or folder");
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    std::filesystem::recursive_directory_iterator at(path, error);
    for (; !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
      const std::filesystem::path& file = at->path();
      if (file.extension() == ".json" && file.filename() != "index.json") found.push_back(file.string());
    }
    if (error) return failure(ErrorCode::Io, path + ": " + error.message());
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

void count_facts(const Comparison& from, Comparison& total) {
  total.compared += from.compared;
  total.equal += from.equal;
}

Result<std::vector<CycleOutcome>> play(const RecordedCase& recorded, const engine::Policy& policy) {
  auto replay = Replay::start(recorded);
  if (!replay) return std::unexpected(replay.error());
  std::vector<CycleOutcome> outcomes;
  for (int i = 0; i < recorded.cycles; ++i) {
    if (i > 0) {
      if (auto ok = (*replay)->settle(); !ok) return std::unexpected(ok.error());
    }
    outcomes.push_back((*replay)->run_cycle(policy));
  }
  return outcomes;
}

class Run {
 public:
  explicit Run(const ConformanceOptions& options) : options_(options) {}

  void one(const std::string& file) {
    tally_ = &totals_.topics[topic_of(file)];
    auto recorded = read_case(file);
    if (!recorded) return fail(file, {.differences = {recorded.error().message}});
    const bool probed = !options_.probe_folder.empty() && has_probe(options_.probe_folder, *recorded);
    if (recorded->custom && !probed) recorded->missing.insert(recorded->missing.begin(), "custom: true");
    for (const std::string& fact : unknown_facts(recorded->root)) recorded->missing.push_back("fact " + fact);
    if (!recorded->missing.empty()) {
      ++tally_->not_covered;
      ++totals_.causes[recorded->missing.front()];
      return;
    }
    if (!options_.own_defaults) use_volcano_defaults(recorded->policy, options_.victim_rule);
    const auto policy = policy::build_policy(recorded->policy);
    if (!policy) return fail(recorded->name, {.differences = {policy.error().message}});
    Comparison comparison;
    if (!recorded->custom) {
      if (auto ok = compare_decisions(*recorded, *policy, comparison); !ok) {
        return fail(recorded->name, {.differences = {ok.error().message}});
      }
    }
    if (probed) {
      auto probe = compare_probe(options_.probe_folder, *recorded, *policy);
      if (!probe) return fail(recorded->name, {.differences = {probe.error().message}});
      comparison.add(*probe);
    }
    tally_->facts += comparison.compared;
    tally_->equal_facts += comparison.equal;
    if (comparison.compared == 0) comparison.differences = {"nothing to compare: the case has no fact that we know"};
    if (comparison.compared == 0 || !comparison.all_equal()) return fail(recorded->name, comparison);
    ++tally_->passed;
  }

  int finish(const Floors* floors) {
    fmt::print("{}", topics_text(totals_.topics));
    if (!totals_.causes.empty()) fmt::print("unsupported, by first cause:\n");
    for (const auto& [cause, count] : totals_.causes) fmt::print("  {:4}  {}\n", count, cause);
    if (totals_.firm.compared > 0) {
      fmt::print("firm facts of random runs: {}/{} equal\n", totals_.firm.equal, totals_.firm.compared);
    }
    if (options_.list_failed) {
      for (const std::string& name : totals_.failed_names) fmt::print("failed: {}\n", name);
    }
    const FloorVerdict verdict = floors == nullptr ? FloorVerdict() : compare_with_floors(totals_.topics, *floors);
    for (const std::string& line : verdict.above) fmt::print("the floor can be raised: {}\n", line);
    for (const std::string& line : verdict.below) fmt::print("BELOW THE FLOOR {}\n", line);
    Tally all;
    for (const auto& [topic, tally] : totals_.topics) {
      all.passed += tally.passed;
      all.failed += tally.failed;
      all.not_covered += tally.not_covered;
      all.facts += tally.facts;
      all.equal_facts += tally.equal_facts;
    }
    fmt::print("passed={} failed={} unsupported={} facts={}/{}\n", all.passed, all.failed, all.not_covered,
               all.equal_facts, all.facts);
    return all.failed == 0 && verdict.below.empty() ? cli::kOk : cli::kFailed;
  }

 private:
  Result<void> compare_decisions(const RecordedCase& recorded, const engine::Policy& policy, Comparison& out) {
    const auto outcomes = play(recorded, policy);
    if (!outcomes) return std::unexpected(outcomes.error());
    out = compare_with_name_ties(recorded, *outcomes);
    count_facts(compare_with_firm_facts(recorded, *outcomes), totals_.firm);
    if (options_.time) {
      std::string times;
      for (const CycleOutcome& outcome : *outcomes) times += fmt::format(" {:.3f}", outcome.milliseconds);
      fmt::print("{}:{} ms\n", recorded.name, times);
    }
    return {};
  }

  void fail(const std::string& name, const Comparison& comparison) {
    ++tally_->failed;
    totals_.failed_names.push_back(name);
    fmt::print("FAILED {}\n", name);
    constexpr size_t kMaxShownFacts = 12;
    for (size_t i = 0; i < comparison.differences.size(); ++i) {
      if (i == kMaxShownFacts) {
        fmt::print("  … {} more facts differ\n", comparison.differences.size() - i);
        break;
      }
      fmt::print("  {}\n", comparison.differences[i]);
    }
  }

  const ConformanceOptions& options_;
  Totals totals_;
  Tally* tally_ = nullptr;  // of the case at hand
};

Result<Floors> read_floor_file(const std::string& file) {
  const auto content = text::read_file(file);
  if (!content) return std::unexpected(content.error());
  auto floors = read_floors(*content);
  if (!floors) return std::unexpected(floors.error().within(file));
  return floors;
}

}  // namespace

int run_conformance(cli::Words words) {
  ConformanceOptions options;
  cli::FlagParser app(
      "Replays recorded Volcano cases and compares the decisions.\nThe last line counts cases and facts; exit 0 "
      "only if no case failed and no topic is below its floor.",
      "basalt conformance");
  app.add_option("PATH", options.paths, "case files, or folders of them")->required();
  app.add_option("--probe", options.probe_folder, "also compare what plugins answer, with the probes in this folder")
      ->type_name("DIR");
  app.add_option("--victim-rule", options.victim_rule,
                 "how plugins' victims combine: firstTier as in Volcano, or everyTier, our default outside of replays")
      ->one_of({"firstTier", "everyTier"})
      ->capture_default_str();
  app.add_flag("--own-defaults", options.own_defaults,
               "keep our defaults where they differ from Volcano's, instead of asking for Volcano's ways");
  app.add_option("--floors", options.floor_file, "fail below these numbers of passed cases and equal facts by topic")
      ->type_name("FILE");
  app.add_flag("--time", options.time, "print the milliseconds of each cycle");
  app.add_flag("--list-failed", options.list_failed, "repeat the names of failed cases at the end");
  if (const auto code = cli::parse_words(app, words)) return *code;

  const auto files = find_files(options.paths);
  if (!files) {
    fmt::print(stderr, "basalt conformance: {}\n", files.error().message);
    return cli::kUsage;
  }
  if (files->empty()) {
    fmt::print(stderr, "basalt conformance: no case files (*.json) there\n");
    return cli::kUsage;
  }
  std::optional<Floors> floors;
  if (!options.floor_file.empty()) {
    auto read = read_floor_file(options.floor_file);
    if (!read) {
      fmt::print(stderr, "basalt conformance: --floors {}\n", read.error().message);
      return cli::kUsage;
    }
    floors = std::move(*read);
  }
  Run run(options);
  for (const std::string& file : *files) run.one(file);
  return run.finish(floors ? &*floors : nullptr);
}

}  // namespace basalt::lab
