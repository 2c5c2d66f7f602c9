#include "tests/seeds/flat_yaml.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace basalt::seeds {
namespace {

using Keys = std::map<std::string, std::string, std::less<>>;  // key → shape of its value; "": a scalar

// Shapes of values. A shape that starts with "[" is a list of the shape behind it.
const std::map<std::string, Keys, std::less<>>& shapes() {
  static const Keys kAmounts = {{"cpu", ""}, {"memory", ""}, {"nvidia.com/gpu", ""}};
  static const Keys kHead = {{"apiVersion", ""}, {"kind", ""}, {"metadata", "Meta"}};
  const auto with_spec = [](const std::string& spec) {
    Keys keys = kHead;
    keys["spec"] = spec;
    return keys;
  };
  static const std::map<std::string, Keys, std::less<>> kShapes = {
      {"Queue", with_spec("QueueSpec")},
      {"Job", with_spec("JobSpec")},
      {"PodGroup", with_spec("GroupSpec")},
      {"PriorityClass",
       {{"apiVersion", ""},
        {"kind", ""},
        {"metadata", "Meta"},
        {"value", ""},
        {"globalDefault", ""},
        {"description", ""}}},
      {"Meta", {{"name", ""}, {"namespace", ""}}},
      {"QueueSpec",
       {{"weight", ""},
        {"reclaimable", ""},
        {"priority", ""},
        {"parent", ""},
        {"capability", "Amounts"},
        {"deserved", "Amounts"},
        {"guarantee", "Guarantee"}}},
      {"Guarantee", {{"resource", "Amounts"}}},
      {"Amounts", kAmounts},
      {"GroupSpec", {{"minMember", ""}, {"minResources", "Amounts"}, {"queue", ""}, {"priorityClassName", ""}}},
      {"JobSpec",
       {{"minAvailable", ""},
        {"schedulerName", ""},
        {"queue", ""},
        {"priorityClassName", ""},
        {"maxRetry", ""},
        {"ttlSecondsAfterFinished", ""},
        {"policies", "[Policy"},
        {"plugins", "Plugins"},
        {"tasks", "[Task"}}},
      {"Policy", {{"event", ""}, {"action", ""}}},
      {"Plugins", {{"env", ""}, {"svc", ""}, {"ssh", ""}}},
      {"Task", {{"name", ""}, {"replicas", ""}, {"policies", "[Policy"}, {"template", "Template"}}},
      {"Template", {{"spec", "PodSpec"}}},
      {"PodSpec",
       {{"containers", "[Container"}, {"volumes", "[Volume"}, {"restartPolicy", ""}, {"priorityClassName", ""}}},
      {"Container",
       {{"name", ""},
        {"image", ""},
        {"command", ""},
        {"args", "[Text"},
        {"resources", "Resources"},
        {"volumeMounts", "[Mount"}}},
      {"Resources", {{"requests", "Amounts"}, {"limits", "Amounts"}}},
      {"Mount", {{"name", ""}, {"mountPath", ""}}},
      {"Volume", {{"name", ""}, {"emptyDir", "EmptyDir"}}},
      {"EmptyDir", {{"medium", ""}, {"sizeLimit", ""}}},
      {"Fragment", {{"policies", "[Policy"}, {"plugins", "Plugins"}}},
  };
  return kShapes;
}

struct Frame {
  std::string shape;
  std::set<std::string, std::less<>> seen;
};

struct Line {
  std::string text, key;  // key: "" of a list item that is a text
  bool is_item = false;
  bool has_value = false;
};

Line read_line(const std::string& text) {
  static const std::regex kForm(R"(^(- )?(?:([A-Za-z0-9./_-]+):(?:\s+(.*))?)?$)");
  Line line{.text = text};
  std::smatch parts;
  line.is_item = text.starts_with("- ");
  if (!std::regex_match(text, parts, kForm)) return line;
  line.key = parts[2];
  const std::string value = parts[3];
  line.has_value = !value.empty() && !value.starts_with('#');
  return line;
}

// Puts line `at` and all below it; false: they do not fit.
bool place(const std::vector<Line>& lines, size_t at, std::vector<Frame> frames, std::string& out) {
  if (at == lines.size()) return true;
  const Line& line = lines[at];
  for (size_t depth = frames.size(); depth-- > 0;) {
    std::vector<Frame> here(frames.begin(), frames.begin() + static_cast<ptrdiff_t>(depth) + 1);
    const bool is_list = here.back().shape.starts_with('[');
    if (is_list != line.is_item) continue;
    if (is_list && line.key.empty() && here.back().shape != "[Text") continue;
    std::string written = std::string(2 * depth, ' ') + line.text + "\n";
    if (is_list && here.back().shape == "[Text") {
      if (place(lines, at + 1, here, written)) {
        out += written;
        return true;
      }
      continue;
    }
    if (is_list) here.push_back({.shape = here.back().shape.substr(1), .seen = {}});
    const Keys& keys = shapes().at(here.back().shape);
    const auto child = keys.find(line.key);
    if (child == keys.end() || !here.back().seen.insert(line.key).second) continue;
    if (!child->second.empty() && !line.has_value) here.push_back({.shape = child->second, .seen = {}});
    if (place(lines, at + 1, std::move(here), written)) {
      out += written;
      return true;
    }
  }
  return false;
}

std::string indented(const std::vector<std::string>& texts, const std::string& shape) {
  std::vector<Line> lines;
  for (const std::string& text : texts) lines.push_back(read_line(text));
  std::string out;
  return place(lines, 0, {{.shape = shape, .seen = {}}}, out) ? out : "";
}

// Lines without comments and without headings that were glued to their ends; what continues "[" is joined.
std::vector<std::string> clean_lines(std::string_view text) {
  static const std::regex kGlued(R"((Step \d+: .*|Common Issues.*|Issue \d+: .*)$)");
  std::vector<std::string> lines;
  bool open = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = std::regex_replace(std::string(text.substr(at, end - at)), kGlued, "");
    at = end + 1;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (open) {
      lines.back() += " " + line;
    } else {
      lines.push_back(line);
    }
    const std::string& last = lines.back();
    open = last.find(": [") != std::string::npos && std::ranges::count(last, '[') > std::ranges::count(last, ']') &&
           last.size() < 1000;
  }
  return lines;
}

bool is_comment(const std::string& line) { return line.starts_with('#'); }

bool may_stand_in_a_manifest(const std::string& line) {
  const Line read = read_line(line);
  return !read.key.empty() || read.is_item;
}

// The lines of the manifest that begins at `at`; moves `at` behind them.
std::vector<std::string> take(const std::vector<std::string>& lines, size_t& at) {
  std::vector<std::string> taken;
  for (; at < lines.size(); ++at) {
    if (is_comment(lines[at])) continue;
    const bool next = !taken.empty() && lines[at].starts_with("apiVersion:");
    if (next || !may_stand_in_a_manifest(lines[at])) break;
    taken.push_back(lines[at]);
  }
  return taken;
}

}  // namespace

std::vector<std::string> manifests_in_flat_text(std::string_view text) {
  const std::vector<std::string> lines = clean_lines(text);
  std::vector<std::string> manifests;
  for (size_t at = 0; at < lines.size();) {
    if (!lines[at].starts_with("apiVersion:")) {
      ++at;
      continue;
    }
    const std::vector<std::string> taken = take(lines, at);
    const std::string kind = taken.size() > 1 && taken[1].starts_with("kind: ") ? taken[1].substr(6) : "";
    if (shapes().contains(kind)) manifests.push_back(indented(taken, kind));
  }
  return manifests;
}

std::string fragment_in_flat_text(std::string_view text, std::string_view key) {
  const std::vector<std::string> lines = clean_lines(text);
  for (size_t at = 0; at < lines.size();) {
    if (lines[at].starts_with("apiVersion:")) {
      (void)take(lines, at);
    } else if (lines[at] == key) {
      // What stands below may look like a list of the fragment and be one of the text.
      std::vector<std::string> taken = take(lines, at);
      while (!taken.empty() && indented(taken, "Fragment").empty()) taken.pop_back();
      return taken.empty() ? "" : indented(taken, "Fragment");
    } else {
      ++at;
    }
  }
  return "";
}

}  // namespace basalt::seeds
