#include "control/scheduler/shadow_text.h"

#include <fmt/format.h>

#include <cmath>

#include "kube/text/prometheus.h"
#include "kube/text/rfc3339.h"

namespace basalt::scheduler {
namespace {

double seconds_of(Duration length) { return static_cast<double>(length.nanos) / 1e9; }

bool has_ahead(ShadowVerdict verdict) {
  return verdict == ShadowVerdict::SameNode || verdict == ShadowVerdict::OtherNode ||
         verdict == ShadowVerdict::EvictedBoth;
}

std::string ahead_text(Duration ahead) {
  return fmt::format("{:.1f} s {}", std::abs(seconds_of(ahead)), ahead.nanos < 0 ? "later" : "earlier");
}

void add_given(text::Object& object, std::string_view name, const std::string& value) {
  if (!value.empty()) object[name] = value;
}

}  // namespace

std::string finding_json(const ShadowFinding& finding) {
  const bool gang = finding.verdict == ShadowVerdict::GangPartly;
  text::Object line{{"time", text::format_micro_time(finding.at)}, {"difference", to_text(finding.verdict)}};
  line[gang ? "group" : "pod"] = finding.key;
  add_given(line, "group", finding.group);
  add_given(line, "ours", finding.ours);
  add_given(line, "theirs", finding.theirs);
  if (has_ahead(finding.verdict)) line["aheadSeconds"] = seconds_of(finding.ahead);
  if (gang) {
    line["placed"] = finding.bound;
    line["minMember"] = finding.wanted;
  }
  return text::to_json(line);
}

std::string finding_text(const ShadowFinding& finding) {
  switch (finding.verdict) {
    case ShadowVerdict::SameNode:
      return fmt::format("pod {}: both chose node {}, we {}", finding.key, finding.ours, ahead_text(finding.ahead));
    case ShadowVerdict::OtherNode:
      return fmt::format("pod {}: they chose node {}, we would have chosen {}, {}", finding.key, finding.theirs,
                         finding.ours, ahead_text(finding.ahead));
    case ShadowVerdict::TheyFirst:
      return fmt::format("pod {}: they chose node {} before we came to it", finding.key, finding.theirs);
    case ShadowVerdict::OnlyThey:
      return fmt::format("pod {}: they chose node {}, we would have let it wait", finding.key, finding.theirs);
    case ShadowVerdict::OnlyWe:
      return fmt::format("pod {}: they let it wait, we would have chosen node {}", finding.key, finding.ours);
    case ShadowVerdict::EvictedBoth:
      return fmt::format("pod {}: both evict it, we {}", finding.key, ahead_text(finding.ahead));
    case ShadowVerdict::EvictedOnlyWe:
      return fmt::format("pod {}: we would have evicted it, they did not", finding.key);
    case ShadowVerdict::EvictedOnlyThey:
      return fmt::format("pod {}: they evict it, we would not have", finding.key);
    case ShadowVerdict::GangPartly:
      return fmt::format("group {}: they placed {} of at least {} pods and no more since", finding.key, finding.bound,
                         finding.wanted);
  }
  return "";
}

std::string summary_json(const ShadowSummary& summary, Instant now) {
  text::Object counts;
  for (size_t i = 0; i < kShadowVerdicts; ++i) counts[to_text(static_cast<ShadowVerdict>(i))] = summary.counts[i];
  return text::to_json(text::Object{{"time", text::format_micro_time(now)},
                                    {"summary", std::move(counts)},
                                    {"waiting", summary.waiting},
                                    {"untracked", summary.untracked},
                                    {"agreement", summary.agreement()},
                                    {"sameNode", summary.same_node()},
                                    {"aheadSeconds", text::Object{{"p10", summary.ahead_p10},
                                                                  {"p50", summary.ahead_p50},
                                                                  {"p90", summary.ahead_p90},
                                                                  {"p99", summary.ahead_p99}}}});
}

std::string summary_text(const ShadowSummary& summary) {
  using enum ShadowVerdict;
  const auto of = [&](ShadowVerdict verdict) { return summary.of(verdict); };
  std::string text = fmt::format(
      "shadow: {:.1f} % of placements in agreement ({} by both, {} only by them, {} only by us), {:.1f} % of those by "
      "both on the same node; they were first with {}",
      100 * summary.agreement(), of(SameNode) + of(OtherNode), of(OnlyThey), of(OnlyWe), 100 * summary.same_node(),
      of(TheyFirst));
  if (of(SameNode) + of(OtherNode) > 0) {
    text += fmt::format("; we would have been faster by {:.2f} s (p10 {:.2f}, p90 {:.2f}, p99 {:.2f})",
                        summary.ahead_p50, summary.ahead_p10, summary.ahead_p90, summary.ahead_p99);
  }
  if (of(EvictedBoth) + of(EvictedOnlyWe) + of(EvictedOnlyThey) > 0) {
    text += fmt::format("; evicted by both {}, only by us {}, only by them {}", of(EvictedBoth), of(EvictedOnlyWe),
                        of(EvictedOnlyThey));
  }
  if (of(GangPartly) > 0) text += fmt::format("; {} gangs partly placed by them", of(GangPartly));
  text += fmt::format("; {} pods wait", summary.waiting);
  if (summary.untracked > 0) text += fmt::format("; {} were too many to follow", summary.untracked);
  return text;
}

std::string summary_metrics(const ShadowSummary& summary) {
  std::string out;
  text::append_family(out, "basalt_shadow_verdicts", "gauge",
                      "Placements and evictions by how the two schedulers compare; only-we can shrink.");
  for (size_t i = 0; i < kShadowVerdicts; ++i) {
    std::string labels;
    text::append_label(labels, "verdict", to_text(static_cast<ShadowVerdict>(i)));
    text::append_series(out, "basalt_shadow_verdicts", labels, static_cast<double>(summary.counts[i]));
  }
  const auto gauge = [&](std::string_view name, std::string_view help, double value) {
    text::append_family(out, name, "gauge", help);
    text::append_series(out, name, "", value);
  };
  gauge("basalt_shadow_waiting_pods", "Pods that neither scheduler's verdict is known of.",
        static_cast<double>(summary.waiting));
  gauge("basalt_shadow_untracked", "Pods and groups that were too many to follow.",
        static_cast<double>(summary.untracked));
  gauge("basalt_shadow_agreement_ratio", "Of the pods that one or the other placed, the part that both did.",
        summary.agreement());
  gauge("basalt_shadow_same_node_ratio", "Of the pods that both placed, the part on the same node.",
        summary.same_node());
  gauge("basalt_shadow_ahead_p50_seconds", "How much earlier we placed pods, at the median.", summary.ahead_p50);
  return out;
}

}  // namespace basalt::scheduler
