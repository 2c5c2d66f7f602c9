// What `vcctl --volcano-output` prints, against a recorded session with Volcano's own vcctl. The objects are those that
// kubectl printed in the same session.
#include <gtest/gtest.h>

#include <regex>
#include <vector>

#include "programs/cli/vcctl/vcctl_fixture.h"
#include "tests/conformance/recorded.h"

namespace basalt::cli::vcctl {
namespace {

constexpr size_t kFewestSamples = 19;  // of vcctl: with fewer the test would compare less and pass all the same
constexpr std::string_view kPrompt = "$ ";

struct Sample {
  std::string line, output;  // without blank lines at its end
};

std::string without_end(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

std::vector<Sample> samples_of(const std::string& session) {
  std::vector<Sample> samples;
  std::istringstream in(session);
  bool open = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kPrompt)) {
      samples.push_back({.line = line.substr(kPrompt.size()), .output = {}});
      open = true;
    } else if (line.starts_with("#####")) {
      open = false;  // a heading
    } else if (open) {
      samples.back().output += line + '\n';
    }
  }
  for (Sample& sample : samples) sample.output = without_end(std::move(sample.output));
  return samples;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// What is about the program itself and not about what it says (docs/compat.md), and versions that a server counts.
std::string masked(const std::string& text) {
  static const std::regex kOwn(R"((^|\n)(Version|Go Version|Go OS/Arch): [^\n]*)");
  static const std::regex kCounted(R"((Resource Version:  \t)\d+)");
  return std::regex_replace(std::regex_replace(text, kOwn, "$1$2: …"), kCounted, "$1…");
}

class RecordedVcctl : public VcctlTest {
 protected:
  void SetUp() override {
    const auto session = text::read_file(conformance::recorded_folder() + "/cli/volcano-output.txt");
    if (!session) GTEST_SKIP() << conformance::kNotRecorded;
    samples = samples_of(*session);
    environment.clear();
    api.put("jobs", json_of("kubectl get vcjob test-job -o yaml"));
    api.put("queues", json_of("kubectl get queue default -o yaml"));
    api.put("queues", "{metadata: {name: root}, spec: {weight: 1}, status: {state: Open}}");
    const text::Value groups = yaml_of("kubectl get podgroup -o yaml");
    api.put("podgroups", text::to_json(groups.at("items").at(0)));
    put_pods();
    put_job("Running", 3, 0);
  }

  text::Value yaml_of(std::string_view line) {
    for (const Sample& sample : samples) {
      if (sample.line != line) continue;
      auto parsed = text::parse_yaml(sample.output);
      EXPECT_TRUE(parsed.has_value()) << line << ": " << (parsed ? "" : parsed.error().message);
      return parsed ? std::move(parsed->value) : text::Value(text::Object{});
    }
    ADD_FAILURE() << "the session has no " << line;
    return text::Object{};
  }
  std::string json_of(std::string_view line) { return text::to_json(yaml_of(line)); }

  // The job as it was when it was looked at; kubectl printed it at the end of the session.
  void put_job(std::string_view phase, int running, int retries) {
    text::Value job = yaml_of("kubectl get vcjob test-job -o yaml");
    text::Object& status = job.as_object()["status"].as_object();
    status["state"] = text::Object{{"phase", phase}};
    status["running"] = running;
    status["retryCount"] = retries;
    text::Array conditions;
    for (const std::string_view entered : {"Pending", "Running"}) {
      conditions.push_back(text::Object{{"status", entered}, {"lastTransitionTime", "2026-11-15T18:46:30Z"}});
    }
    status["conditions"] = std::move(conditions);
    api.put("jobs", text::to_json(job));
  }

  // Three of them, 4 s old by the clock of the fixture.
  void put_pods() {
    text::Value pod = yaml_of("kubectl get pod test-job-nginx-0 -o yaml");
    for (const char* name : {"test-job-nginx-0", "test-job-nginx-1", "test-job-nginx-2"}) {
      text::Object& metadata = pod.as_object()["metadata"].as_object();
      metadata["name"] = name;
      metadata["creationTimestamp"] = "2026-11-15T18:46:29Z";
      api.put("pods", text::to_json(pod));
    }
  }

  std::vector<Sample> samples;
};

TEST_F(RecordedVcctl, SaysWhatVolcanosSaid) {
  size_t compared = 0;
  for (const Sample& sample : samples) {
    std::vector<std::string> words = words_of(sample.line);
    if (words.empty() || words[0] != "vcctl") continue;
    words.erase(words.begin());
    words.emplace_back("--volcano-output");
    const CommandResult result = vcctl(words);
    EXPECT_EQ(masked(without_end(result.out + result.err)), masked(sample.output)) << "$ " << sample.line;
    ++compared;
    // What the controllers made of it.
    if (sample.line == "vcctl job suspend -N test-job") put_job("Aborted", 0, 0);
    if (sample.line == "vcctl job resume -N test-job") put_job("Running", 3, 1);
  }
  EXPECT_GE(compared, kFewestSamples);
}

}  // namespace
}  // namespace basalt::cli::vcctl
