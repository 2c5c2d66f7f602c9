#include "control/node/simulated/behaviour.h"

#include <fmt/format.h>

#include <cmath>

#include "base/fingerprint.h"
#include "base/rng.h"
#include "kube/text/scalar.h"
#include "kube/text/utf8.h"

namespace basalt::node {
namespace {

constexpr int64_t kMaxExitCode = 255;
constexpr size_t kMaxShownText = 60;  // of a wrong annotation

Result<Duration> parse_seconds(std::string_view text) {
  const auto seconds = text::parse_double(text);
  if (!seconds || *seconds < 0 || *seconds > static_cast<double>(kMaxRunSeconds)) {
    return invalid("expected seconds, such as 30 or 0.5");
  }
  return Duration{std::llround(*seconds * 1e9)};
}

Result<int64_t> parse_exit_code(std::string_view text) {
  const auto code = text::parse_int(text);
  if (!code || *code < 0 || *code > kMaxExitCode) return invalid("expected a number from 0 to 255");
  return *code;
}

Result<double> parse_chance(std::string_view text) {
  const auto chance = text::parse_double(text);
  if (!chance || *chance < 0 || *chance > 1) return invalid("expected a number from 0 to 1");
  return *chance;
}

std::string shown(std::string_view text) {
  const std::string_view head = text::utf8_prefix(text, kMaxShownText);
  return std::string(head) + (head.size() < text.size() ? "…" : "");
}

template <class T, class Out>
void read_annotation(api::StringMapView annotations, std::string_view key, Result<T> (*parse)(std::string_view),
                     Out& out, std::vector<std::string>& wrong) {
  const auto found = annotations.find(key);
  if (!found) return;
  const std::string_view text = *found;
  if (auto read = parse(text)) {
    out = *read;
  } else {
    wrong.push_back(fmt::format("annotation {}: \"{}\": {}", key, shown(text), read.error().message));
  }
}

uint64_t seed_of(uint64_t seed, std::string_view uid) { return Fingerprint().add(seed).add(uid).value(); }

}  // namespace

Result<RunRange> parse_run_range(std::string_view text) {
  const size_t dots = text.find("..");
  const auto low = parse_seconds(text.substr(0, std::min(dots, text.size())));
  const auto high = dots == std::string_view::npos ? low : parse_seconds(text.substr(dots + 2));
  if (!low || !high || *high < *low) return invalid("expected seconds, such as 30, or a range of them, such as 10..60");
  return RunRange{.low = *low, .high = *high};
}

Behaviour behaviour_of(api::StringMapView annotations, const std::optional<RunRange>& run) {
  Behaviour behaviour{.run = run};
  std::vector<std::string>& wrong = behaviour.wrong;
  read_annotation(annotations, "basalt.sh/run-seconds", parse_run_range, behaviour.run, wrong);
  read_annotation(annotations, "basalt.sh/start-seconds", parse_seconds, behaviour.start, wrong);
  read_annotation(annotations, "basalt.sh/stop-seconds", parse_seconds, behaviour.stop, wrong);
  read_annotation(annotations, "basalt.sh/exit-code", parse_exit_code, behaviour.exit_code, wrong);
  read_annotation(annotations, "basalt.sh/fail-chance", parse_chance, behaviour.fail_chance, wrong);
  return behaviour;
}

std::optional<Duration> run_length(const Behaviour& behaviour, uint64_t seed, std::string_view uid) {
  if (!behaviour.run) return std::nullopt;
  return Duration{Rng(seed_of(seed, uid)).between(behaviour.run->low.nanos, behaviour.run->high.nanos)};
}

int64_t exit_code_of(const Behaviour& behaviour, uint64_t seed, std::string_view uid, std::string_view container,
                     int64_t restarts) {
  if (behaviour.fail_chance <= 0) return behaviour.exit_code;
  const uint64_t run = Fingerprint().add(seed).add(uid).add(container).add(static_cast<uint64_t>(restarts)).value();
  return Rng(run).chance(behaviour.fail_chance) ? 1 : behaviour.exit_code;
}

}  // namespace basalt::node
