// Words that no flag of a verb takes: what is said about them.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "programs/cli/flag_parser.h"

namespace basalt::cli {
namespace {

struct Complaint {
  std::optional<int> code;
  std::string err;
};

Complaint parse_as_up(std::vector<std::string> texts) {
  std::vector<std::string> nodes;
  bool stop = false;
  int hidden = 0;
  FlagParser parser("test", "basalt up");
  parser.add_option("--simulated-nodes", nodes);
  parser.add_flag("--stop-pods", stop, "");
  parser.add_option("--count", hidden);
  parser.add_option("--ready-descriptor", hidden)->hidden();
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  testing::internal::CaptureStderr();
  const auto code = parse_words(parser, words);
  return {.code = code, .err = testing::internal::GetCapturedStderr()};
}

TEST(UnknownFlag, AnUnknownFlagIsNamedFirstWithTheNearest) {
  const Complaint value = parse_as_up({"--simulated-node", "3"});
  EXPECT_EQ(value.code, kUsage);
  EXPECT_EQ(value.err,
            "basalt up: unknown flag --simulated-node; did you mean --simulated-nodes?\n"
            "Run 'basalt up --help' for its flags.\n");
  EXPECT_EQ(parse_as_up({"--stoppods"}).err,
            "basalt up: unknown flag --stoppods; did you mean --stop-pods?\nRun 'basalt up --help' for its flags.\n");
  EXPECT_EQ(parse_as_up({"extra", "--simulated-node=3"}).err, value.err);
  EXPECT_EQ(parse_as_up({"--stop-pods"}).code, std::nullopt);
  EXPECT_EQ(parse_as_up({"--simulated-node", "3", "--count", "many"}).err, value.err) << "the first cause";
}

TEST(UnknownFlag, AHiddenFlagIsNotOffered) {
  EXPECT_EQ(parse_as_up({"--ready-descripto", "3"}).err,
            "basalt up: unknown flag --ready-descripto\nRun 'basalt up --help' for its flags.\n");
}

TEST(UnknownFlag, AWordTooManyIsNamed) {
  const Complaint extra = parse_as_up({"now"});
  EXPECT_EQ(extra.code, kUsage);
  EXPECT_EQ(extra.err, "basalt up: unexpected argument \"now\"\nRun 'basalt up --help' for its flags.\n");
}

TEST(UnknownFlag, OtherWrongWordsAreUsageErrorsToo) { EXPECT_EQ(parse_as_up({"--simulated-nodes"}).code, kUsage); }

}  // namespace
}  // namespace basalt::cli
