#include "lab/bench/bench_kubernetes_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "kube/api/object_fields.h"

namespace basalt::lab {
namespace {

constexpr double kMbPerMib = 1.048576;
constexpr const char* kIdle = ".idlePercent";  // names of figures, behind a role
constexpr const char* kIdleWithMisfits = ".idleWithMisfitsPercent";
constexpr double kMostOverNull = 1.2, kPart = 0.1, kMostP99Seconds = 5, kMostIdlePercent = 0.5;

// What Volcano 1.x needed on a machine with 2 cores for everything, kube-apiserver and etcd without fsync, KWOK nodes.
// Of a range the better end counts.
struct VolcanoRow {
  std::string_view load, what;  // what: as the table names it
  size_t gangs, size, nodes;
  std::string_view bound, waits, scheduler, controllers;  // as measured
  double scheduler_cpu, scheduler_mb;
};
constexpr std::array<VolcanoRow, 4> kVolcano = {{
    {"gangs", "100 PodGroups × 50 pods", 100, 50, 1000, "55–69 s", "18–22 s / 25–40 s", "42–55 s, 380–470 MB", "–", 42,
     380},
    {"jobs", "100 vcjobs × 50 replicas", 100, 50, 1000, "56–78 s", "17–23 s / 30–46 s", "40–58 s, 430–460 MB",
     "10–13 s, 155–180 MB", 40, 430},
    {"gangs", "100 PodGroups × 50 pods", 100, 50, 5000, "67–70 s", "26 s / 48 s", "60 s, 530 MB", "–", 60, 530},
    {"singles", "10,000 PodGroups of one pod", 10000, 1, 5000, "202–213 s", "83 s / 122 s", "170 s, 1,160 MB", "–", 170,
     1160},
}};

struct LoadKey {
  std::string load;
  int64_t gangs, size, nodes;
  friend auto operator<=>(const LoadKey&, const LoadKey&) = default;
};

// The results of one load, by figure.
using Figures = std::map<std::string, std::vector<double>>;
struct LoadResults {
  Figures ours, null;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> figure(const Figures& figures, const std::string& name) {
  const auto at = figures.find(name);
  return at == figures.end() ? std::optional<double>() : median(at->second);
}

void add_number(Figures& figures, const std::string& name, const text::Value* value) {
  if (value == nullptr || !value->is_number()) return;
  figures[name].push_back(value->to_number<double>());
}

void add_result(Figures& figures, const text::Object& result) {
  for (const char* name : {"createsPerSecond", "bindsPerSecond", "allBoundSeconds", "p50Seconds", "p99Seconds"}) {
    add_number(figures, name, result.if_contains(name));
  }
  const text::Array* processes = api::array_at(result, {"processes"});
  if (processes == nullptr) return;
  const char* idle = api::int_at(result, {"unschedulable"}) > 0 ? kIdleWithMisfits : kIdle;
  for (const text::Value& process : *processes) {
    if (!process.is_object()) continue;
    const std::string role(api::string_at(process.get_object(), "role"));
    for (const char* name : {"cpuSeconds", "residentMib", "peakMib"}) {
      add_number(figures, role + "." + name, process.get_object().if_contains(name));
    }
    add_number(figures, role + idle, process.get_object().if_contains("idlePercent"));
  }
}

const VolcanoRow* volcano_of(const LoadKey& key) {
  const auto at = std::ranges::find_if(kVolcano, [&](const VolcanoRow& row) {
    return row.load == key.load && static_cast<int64_t>(row.gangs) == key.gangs &&
           static_cast<int64_t>(row.size) == key.size && static_cast<int64_t>(row.nodes) == key.nodes;
  });
  return at == kVolcano.end() ? nullptr : at;
}

std::string one_process(const Figures& figures, const std::string& role) {
  const auto cpu = figure(figures, role + ".cpuSeconds");
  if (!cpu) return "–";
  return fmt::format("{:.1f} s, {:.0f} MB (peak {:.0f})", *cpu,
                     figure(figures, role + ".residentMib").value_or(0) * kMbPerMib,
                     figure(figures, role + ".peakMib").value_or(0) * kMbPerMib);
}

std::string bench_row_of(std::string_view who, const Figures& figures) {
  const size_t runs = figures.contains("allBoundSeconds") ? figures.at("allBoundSeconds").size() : 0;
  return fmt::format("| {} ({} run{}) | {:.1f} s | {:.2f} s / {:.2f} s | {} | {} |\n", who, runs, runs == 1 ? "" : "s",
                     figure(figures, "allBoundSeconds").value_or(0), figure(figures, "p50Seconds").value_or(0),
                     figure(figures, "p99Seconds").value_or(0), one_process(figures, "scheduler"),
                     one_process(figures, "controllers"));
}

// "ok" or "MISSED", and how far.
std::string verdict(std::string_view what, double value, double most, std::string_view unit) {
  return fmt::format("- {}: {} {:.2f}{} of at most {:.2f}{}\n", value <= most ? "ok" : "MISSED", what, value, unit,
                     most, unit);
}

void add_verdicts(std::string& out, const LoadResults& results, const VolcanoRow* volcano) {
  const Figures& ours = results.ours;
  const auto bound = figure(ours, "allBoundSeconds");
  const auto null_bound = figure(results.null, "allBoundSeconds");
  if (bound && null_bound && *null_bound > 0) {
    out += verdict("all bound, to the null scheduler's time", *bound / *null_bound, kMostOverNull, "");
  }
  if (const auto p99 = figure(ours, "p99Seconds")) out += verdict("create→bound p99", *p99, kMostP99Seconds, " s");
  if (const auto used = figure(ours, "scheduler.cpuSeconds"); used && volcano != nullptr) {
    out += verdict("scheduler CPU", *used, volcano->scheduler_cpu * kPart, " s");
    out += verdict("scheduler memory", figure(ours, "scheduler.residentMib").value_or(0) * kMbPerMib,
                   volcano->scheduler_mb * kPart, " MB");
  }
  if (const auto idle = figure(ours, std::string("scheduler") + kIdle)) {
    out += verdict("scheduler idle, of a core (Volcano: 25 %)", *idle, kMostIdlePercent, " %");
  }
  if (const auto idle = figure(ours, std::string("scheduler") + kIdleWithMisfits)) {
    out += verdict("scheduler idle with unschedulable pods, of a core (Volcano: 60 %)", *idle, kMostIdlePercent, " %");
  }
}

void add_load(std::string& out, const LoadKey& key, const LoadResults& results) {
  const VolcanoRow* volcano = volcano_of(key);
  out += fmt::format(
      "\n{}, {} nodes\n\n",
      volcano != nullptr ? std::string(volcano->what) : fmt::format("{} {} × {}", key.gangs, key.load, key.size),
      key.nodes);
  if (const auto binds = figure(results.ours, "bindsPerSecond")) {
    out += fmt::format("raw: {:.0f} creates/s, then {:.0f} binds/s (with Volcano's load program: 545–880, 650–1,050)\n",
                       figure(results.ours, "createsPerSecond").value_or(0), *binds);
    return;
  }
  out += "| | all bound | create→bound p50 / p99 | scheduler CPU, memory | controllers CPU, memory |\n";
  out += "|---|---|---|---|---|\n";
  if (volcano != nullptr) {
    out += fmt::format("| Volcano | {} | {} | {} | {} |\n", volcano->bound, volcano->waits, volcano->scheduler,
                       volcano->controllers);
  }
  if (!results.null.empty()) out += bench_row_of("null scheduler", results.null);
  if (results.ours.empty()) return;
  out += bench_row_of("basalt", results.ours) + "\n";
  add_verdicts(out, results, volcano);
}

}  // namespace

Result<std::string> comparison(std::string_view text) {
  std::map<LoadKey, LoadResults> loads;
  std::istringstream lines{std::string(text)};
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    const auto result = text::parse_json(line);
    if (!result || !result->is_object()) {
      return invalid(
          fmt::format("line {} is no result of a bench{}", number, result ? "" : ": " + result.error().message));
    }
    const text::Object& root = result->get_object();
    const std::string_view label = api::string_at(root, "label");
    LoadKey key{.load = std::string(api::string_at(root, "load")),
                .gangs = api::int_at(root, {"gangs"}),
                .size = api::int_at(root, {"size"}),
                .nodes = api::int_at(root, {"nodes"})};
    if (root.contains("bindsPerSecond")) key.load = "raw " + key.load;
    LoadResults& results = loads[std::move(key)];
    add_result(label == "null" ? results.null : results.ours, root);
  }
  std::string out;
  for (const auto& [key, results] : loads) add_load(out, key, results);
  return out;
}

Result<std::string> comparison_table(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) return failure(ErrorCode::NotFound, fmt::format("{}: cannot be read", file));
  if (text.str().size() > kMaxTableBytes) return invalid(fmt::format("{}: is too large", file));
  auto table = comparison(text.str());
  if (!table) return std::unexpected(table.error().within(file));
  return table;
}

std::string result_json(const KubeBenchOptions& bench, const KubeBenchResult& measured) {
  text::Array processes;
  for (const MeasuredProcess& process : measured.processes) {
    text::Object row{{"role", process.role},
                     {"cpuSeconds", process.cpu_seconds},
                     {"residentMib", process.resident_mib},
                     {"peakMib", process.peak_mib}};
    if (process.idle_percent) {
      row["idlePercent"] = *process.idle_percent;
      row["idleResidentMib"] = process.idle_mib;
    }
    processes.emplace_back(std::move(row));
  }
  text::Object root{{"label", bench.label},
                    {"load", bench.load_name},
                    {"gangs", bench.load.gangs},
                    {"size", bench.load.size},
                    {"nodes", bench.nodes},
                    {"createsPerSecond", measured.sent.per_second()},
                    {"createSeconds", measured.sent.seconds}};
  if (bench.misfits > 0) root["unschedulable"] = bench.misfits;
  if (measured.binds) {
    root["bindsPerSecond"] = measured.binds->per_second();
  } else {
    root["allBoundSeconds"] = measured.all_bound;
    root["allRunningSeconds"] = measured.all_running;
    root["p50Seconds"] = measured.bound_p50;
    root["p99Seconds"] = measured.bound_p99;
    root["benchCpuSeconds"] = measured.bench_cpu;
  }
  root["processes"] = std::move(processes);
  return text::to_json(root);
}

std::string result_text(const KubeBenchOptions& bench, const KubeBenchResult& measured) {
  std::string out =
      fmt::format("{} {} × {} pods, {} nodes\n  {:.0f} creates/s ({:.2f} s)", bench.load.gangs, bench.load_name,
                  bench.load.size, bench.nodes, measured.sent.per_second(), measured.sent.seconds);
  if (measured.binds) return out + fmt::format(", then {:.0f} binds/s", measured.binds->per_second());
  out += fmt::format("\n  all bound {:.2f} s   all running {:.2f} s", measured.all_bound, measured.all_running);
  out += fmt::format("\n  create→bound p50 {:.2f} s   p99 {:.2f} s", measured.bound_p50, measured.bound_p99);
  for (const MeasuredProcess& process : measured.processes) {
    out += fmt::format("\n  {}: {:.2f} s CPU, {:.1f} MiB resident, {:.1f} MiB at its peak", process.role,
                       process.cpu_seconds, process.resident_mib, process.peak_mib);
    if (process.idle_percent) {
      out += fmt::format(", idle {:.2f} % of a core and {:.1f} MiB", *process.idle_percent, process.idle_mib);
    }
  }
  return out + fmt::format("\n  the bench itself, with the nodes: {:.2f} s CPU", measured.bench_cpu);
}

}  // namespace basalt::lab
