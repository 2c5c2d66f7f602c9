#include "programs/cli/verb.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace basalt::cli {
namespace {

struct Parsed {
  std::optional<int> code;
  std::string err;
};

Parsed parse(std::vector<std::string> texts) {
  std::vector<std::string> nodes;
  bool stop = false;
  int hidden = 0;
  CLI::App app("test", "basalt up");
  app.add_option("--simulated-nodes", nodes);
  app.add_flag("--stop-pods", stop);
  app.add_option("--count", hidden);
  app.add_option("--ready-descriptor", hidden)->group("");
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  testing::internal::CaptureStderr();
  const auto code = parse_words(app, words);
  return {.code = code, .err = testing::internal::GetCapturedStderr()};
}

TEST(Verb, AnUnknownFlagIsNamedFirstWithTheNearest) {
  const Parsed value = parse({"--simulated-node", "3"});
  EXPECT_EQ(value.code, kUsage);
  EXPECT_EQ(value.err,
            "basalt up: unknown flag --simulated-node; did you mean --simulated-nodes?\n"
            "Run 'basalt up --help' for its flags.\n");
  EXPECT_EQ(parse({"--stoppods"}).err,
            "basalt up: unknown flag --stoppods; did you mean --stop-pods?\nRun 'basalt up --help' for its flags.\n");
  EXPECT_EQ(parse({"extra", "--simulated-node=3"}).err, value.err);
  EXPECT_EQ(parse({"--stop-pods"}).code, std::nullopt);
  EXPECT_EQ(parse({"--simulated-node", "3", "--count", "many"}).err, value.err) << "the first cause";
}

TEST(Verb, AHiddenFlagIsNotOffered) {
  EXPECT_EQ(parse({"--ready-descripto", "3"}).err,
            "basalt up: unknown flag --ready-descripto\nRun 'basalt up --help' for its flags.\n");
}

TEST(Verb, AWordTooManyIsNamed) {
  const Parsed extra = parse({"now"});
  EXPECT_EQ(extra.code, kUsage);
  EXPECT_EQ(extra.err, "basalt up: unexpected argument \"now\"\nRun 'basalt up --help' for its flags.\n");
}

TEST(Verb, OtherWrongWordsAreUsageErrorsToo) { EXPECT_EQ(parse({"--simulated-nodes"}).code, kUsage); }

}  // namespace
}  // namespace basalt::cli
