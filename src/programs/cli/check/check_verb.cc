#include "programs/cli/check/check_verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <ostream>
#include <set>
#include <thread>
#include <tuple>

#include "kube/text/go_duration.h"
#include "programs/cli/flag_parser.h"
#include "programs/cli/server_flags.h"

namespace basalt::cli {
namespace checkup {
namespace {

bool has_unproven(const std::vector<Finding>& findings) { return !std::ranges::all_of(findings, &Finding::firm); }

// The same complaint about the same object, with whatever numbers.
using Complaint = std::tuple<std::string_view, std::string_view, std::string_view>;
Complaint complaint_of(const Finding& finding) { return {finding.rule, finding.kind, finding.object}; }

// What counts after one more look: firm complaints of both, and the others that both have, as they are now.
std::vector<Finding> lasting(const std::vector<Finding>& before, const std::vector<Finding>& now) {
  std::set<Complaint> known, told;
  for (const Finding& finding : before) known.insert(complaint_of(finding));
  std::vector<Finding> lasts;
  for (const Finding& finding : now) {
    told.insert(complaint_of(finding));
    if (finding.firm || known.contains(complaint_of(finding))) lasts.push_back(finding);
  }
  for (const Finding& finding : before) {
    if (finding.firm && !told.contains(complaint_of(finding))) lasts.push_back(finding);
  }
  return lasts;
}

auto broken_of(const CheckReport& report) {
  return std::ranges::count_if(report.findings, [](const Finding& finding) { return !finding.advice; });
}

text::Value json_of(const CheckReport& report) {
  text::Array findings;
  for (const Finding& finding : report.findings) {
    findings.push_back(text::Object{
        {"rule", finding.rule}, {"kind", finding.kind}, {"object", finding.object}, {"message", finding.message}});
  }
  const CheckedCluster& cluster = report.cluster;
  text::Object checked{{"nodes", cluster.nodes.size()},
                       {"queues", cluster.queues.size()},
                       {"podGroups", cluster.groups.size()},
                       {"jobs", cluster.jobs.size()},
                       {"pods", cluster.pods.size()}};
  return text::Object{{"checked", std::move(checked)}, {"findings", std::move(findings)}};
}

std::string text_of(const CheckReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    text += fmt::format("{}: {} {}: {}\n", finding.rule, finding.kind, vcctl::printable(finding.object),
                        vcctl::printable(finding.message));
  }
  const CheckedCluster& cluster = report.cluster;
  text += fmt::format("checked {} nodes, {} queues, {} PodGroups, {} jobs, {} pods: ", cluster.nodes.size(),
                      cluster.queues.size(), cluster.groups.size(), cluster.jobs.size(), cluster.pods.size());
  const auto count = broken_of(report);
  text += count == 0 ? "nothing is broken\n" : fmt::format("{} finding{}\n", count, count == 1 ? "" : "s");
  return text;
}

}  // namespace

Result<CheckReport> check_until_stable(client::ObjectClient& client, const CheckVerbOptions& options,
                                       const std::function<Instant()>& now) {
  CheckReport report;
  const Instant began = now();
  for (bool again = false;; again = true) {
    auto cluster = read_cluster(client, options.policy);
    if (!cluster) return std::unexpected(cluster.error());
    auto found = check_cluster(*cluster, {.now = now(), .gang_patience = options.gang_patience});
    report.findings = again ? lasting(report.findings, found) : std::move(found);
    report.cluster = std::move(*cluster);
    if (!has_unproven(report.findings) || now() - began >= options.patience) return report;
    options.pause(kReadAgainAfter);
  }
}

int check_and_print(client::ObjectClient& client, const CheckVerbOptions& options, vcctl::Terminal& terminal) {
  const auto report = check_until_stable(client, options, terminal.now);
  if (!report) {
    terminal.err << "basalt check: " << report.error().message << '\n';
    return kUsage;
  }
  terminal.out << (options.json ? text::to_pretty_json(json_of(*report)) + "\n" : text_of(*report));
  terminal.out.flush();
  return broken_of(*report) == 0 ? kOk : kFailed;
}

}  // namespace checkup

int run_check(Words words) {
  checkup::CheckVerbOptions options;
  ServerFlags server;
  std::string patience = text::format_duration(options.patience);
  std::string gang_patience = text::format_duration(options.gang_patience);
  FlagParser app("Find what is broken in a cluster: read the API and compare it with itself.", "basalt check");
  app.add_flag("--json", options.json, "the findings as JSON");
  app.add_option("--patience", patience, "how long the cluster may take to repair what is found")
      ->capture_default_str();
  app.add_option("--gang-patience", gang_patience, "how long a gang may be partly bound while nothing of it moves")
      ->capture_default_str();
  app.add_option("--scheduler-conf-map", options.policy.map, "the ConfigMap of the scheduler's conf, namespace/name")
      ->capture_default_str();
  app.add_option("--scheduler-conf-key", options.policy.key,
                 "its key (default: volcano-scheduler.conf, or the first that ends in .conf)");
  add_server_flags(app, server);
  if (const auto over = parse_words(app, words); over) return *over;
  vcctl::Terminal terminal = vcctl::real_terminal();
  for (const auto& [flag, text, out] : {std::tuple{"--patience", &patience, &options.patience},
                                        {"--gang-patience", &gang_patience, &options.gang_patience}}) {
    const auto length = text::parse_duration(*text);
    if (!length || *length < Duration{}) {
      terminal.err << fmt::format("basalt check: {} {}: expected a length of time, such as 10s\n", flag, *text);
      return kUsage;
    }
    *out = *length;
  }
  const size_t slash = options.policy.map.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == options.policy.map.size()) {
    terminal.err << fmt::format("basalt check: --scheduler-conf-map {}: expected namespace/name\n", options.policy.map);
    return kUsage;
  }
  options.pause = [](Duration length) { std::this_thread::sleep_for(std::chrono::nanoseconds(length.nanos)); };
  std::signal(SIGPIPE, SIG_IGN);  // a connection that the server closed is an error, not a reason to die
  const auto client = connect(server, "basalt-check");
  if (!client) {
    terminal.err << "basalt check: " << client.error().message << '\n';
    return kUsage;
  }
  return checkup::check_and_print(**client, options, terminal);
}

}  // namespace basalt::cli
