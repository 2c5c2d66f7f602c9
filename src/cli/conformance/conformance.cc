#include "cli/conformance/conformance.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/conformance/facts.h"
#include "cli/conformance/probe.h"
#include "cli/conformance/recorded_case.h"
#include "cli/conformance/replay.h"
#include "policy/build_policy.h"

namespace basalt::cli {

namespace {

struct Options {
  std::vector<std::string> paths;
  std::string probe_folder;
  std::string victim_rule = "firstTier";
  bool time = false;
  bool list_failed = false;
};

struct Totals {
  int passed = 0, failed = 0, unsupported = 0;
  Comparison facts;  // without the texts
  Comparison firm;
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
  explicit Run(const Options& options) : options_(options) {}

  void one(const std::string& file) {
    auto recorded = read_case(file);
    if (!recorded) return fail(file, {.differences = {recorded.error().message}});
    const bool probed = !options_.probe_folder.empty() && has_probe(options_.probe_folder, *recorded);
    if (recorded->custom && !probed) recorded->missing.insert(recorded->missing.begin(), "custom: true");
    if (!recorded->missing.empty()) {
      ++totals_.unsupported;
      ++totals_.causes[recorded->missing.front()];
      return;
    }
    set_volcano_ways(recorded->policy, options_.victim_rule);
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
    count_facts(comparison, totals_.facts);
    if (!comparison.all_equal()) return fail(recorded->name, comparison);
    ++totals_.passed;
  }

  int finish() {
    if (!totals_.causes.empty()) fmt::print("unsupported, by first cause:\n");
    for (const auto& [cause, count] : totals_.causes) fmt::print("  {:4}  {}\n", count, cause);
    if (totals_.firm.compared > 0) {
      fmt::print("firm facts of random runs: {}/{} equal\n", totals_.firm.equal, totals_.firm.compared);
    }
    if (options_.list_failed) {
      for (const std::string& name : totals_.failed_names) fmt::print("failed: {}\n", name);
    }
    fmt::print("passed={} failed={} unsupported={} facts={}/{}\n", totals_.passed, totals_.failed, totals_.unsupported,
               totals_.facts.equal, totals_.facts.compared);
    return totals_.failed == 0 ? kOk : kFailed;
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
    ++totals_.failed;
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

  const Options& options_;
  Totals totals_;
};

}  // namespace

int run_conformance(Words words) {
  Options options;
  CLI::App app(
      "Replays recorded Volcano cases and compares the decisions.\nThe last line counts cases and facts; exit 0 "
      "only if no case failed.",
      "basalt conformance");
  app.add_option("PATH", options.paths, "case files, or folders of them")->required();
  app.add_option("--probe", options.probe_folder, "also compare what plugins answer, with the probes in this folder")
      ->type_name("DIR");
  app.add_option("--victim-rule", options.victim_rule,
                 "how plugins' victims combine: firstTier as in Volcano, or everyTier, our default outside of replays")
      ->check(CLI::IsMember({"firstTier", "everyTier"}))
      ->capture_default_str();
  app.add_flag("--time", options.time, "print the milliseconds of each cycle");
  app.add_flag("--list-failed", options.list_failed, "repeat the names of failed cases at the end");
  if (const auto code = parse_words(app, words)) return *code;

  const auto files = find_files(options.paths);
  if (!files) {
    fmt::print(stderr, "basalt conformance: {}\n", files.error().message);
    return kUsage;
  }
  if (files->empty()) {
    fmt::print(stderr, "basalt conformance: no case files (*.json) there\n");
    return kUsage;
  }
  Run run(options);
  for (const std::string& file : *files) run.one(file);
  return run.finish();
}

}  // namespace basalt::cli
