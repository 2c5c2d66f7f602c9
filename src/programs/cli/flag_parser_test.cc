#include "programs/cli/flag_parser.h"

#include <gmock/gmock.h>

namespace basalt::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Given {
  std::string name = "a", mode = "Running", ports = "declared";
  std::vector<std::string> files;
  std::optional<int64_t> gpus;
  std::optional<std::string> length;
  uint16_t port = 6443;
  unsigned threads = 2;
  size_t kept = 7;
  int descriptor = -1;
  bool force = false, update = false;
  size_t ports_given = 0;
};

struct Parsed {
  std::optional<int> code;
  Given given;
  std::string out, err;
};

Parsed parse(std::vector<std::string> words) {
  Parsed parsed;
  Given& given = parsed.given;
  FlagParser parser("What it is for.", "basalt sample");
  parser.add_option("FILE", given.files, "files to read");
  parser.add_option("--name,-n", given.name, "a name")->capture_default_str();
  parser.add_option("--mode", given.mode, "when to end")->one_of_any_case({"Running", "Completed"});
  parser.add_option("--gpus", given.gpus, "GPUs")->range(int64_t{0}, int64_t{8});
  parser.add_option("--length", given.length, "how long")->type_name("TIME");
  parser.add_option("--port", given.port, "port")->capture_default_str();
  parser.add_option("--threads", given.threads, "threads")->range(1U, 256U)->capture_default_str();
  parser.add_option("--kept", given.kept)->one_of({"7", "9"});
  parser.add_option("--own-ports", given.ports)->one_of({"declared", "all", "none"})->value_optional();
  parser.add_option("--descriptor", given.descriptor)->hidden();
  FlagOption* update = parser.add_flag("--update", given.update, "write");
  parser.add_flag("--force", given.force, "take over")->excludes(update);
  std::vector<char*> spelt;
  for (std::string& word : words) spelt.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  parsed.code = parse_words(parser, spelt);
  parsed.out = testing::internal::GetCapturedStdout();
  parsed.err = testing::internal::GetCapturedStderr();
  given.ports_given = parser.count("--port");
  return parsed;
}

TEST(FlagParsers, ValuesReachTheirVariables) {
  const Parsed parsed = parse({"x.yaml", "--name", "b", "--gpus=3", "--length", "5s", "--port", "80", "--threads", "4",
                               "--kept", "9", "--descriptor", "5", "--force", "y.yaml"});
  ASSERT_EQ(parsed.code, std::nullopt) << parsed.err;
  const Given& given = parsed.given;
  EXPECT_THAT(given.files, ElementsAre("x.yaml", "y.yaml"));
  EXPECT_EQ(given.name, "b");
  EXPECT_EQ(given.gpus, 3);
  EXPECT_EQ(given.length, "5s");
  EXPECT_EQ(given.port, 80);
  EXPECT_EQ(given.threads, 4U);
  EXPECT_EQ(given.kept, 9U);
  EXPECT_EQ(given.descriptor, 5);
  EXPECT_TRUE(given.force);
  EXPECT_EQ(given.ports_given, 1U);
}

TEST(FlagParsers, WhatIsNotGivenStays) {
  const Parsed parsed = parse({});
  EXPECT_EQ(parsed.code, std::nullopt);
  EXPECT_EQ(parsed.given.name, "a");
  EXPECT_EQ(parsed.given.gpus, std::nullopt);
  EXPECT_EQ(parsed.given.ports_given, 0U);
}

TEST(FlagParsers, AWordInAnyCaseIsTakenAsItIsWritten) {
  EXPECT_EQ(parse({"--mode", "completed"}).given.mode, "Completed");
  EXPECT_EQ(parse({"--mode", "never"}).code, kUsage);
}

TEST(FlagParsers, AValueMayBeOptional) {
  EXPECT_EQ(parse({}).given.ports, "declared");
  EXPECT_EQ(parse({"--own-ports", "none"}).given.ports, "none");
  EXPECT_EQ(parse({"--own-ports=all", "--force"}).given.ports, "all");
  for (const std::vector<std::string>& alone : {std::vector<std::string>{"--own-ports"}, {"--own-ports", "--force"}}) {
    const Parsed parsed = parse(alone);
    EXPECT_EQ(parsed.code, std::nullopt) << parsed.err;
    EXPECT_EQ(parsed.given.ports, "");
  }
  const Parsed wrong = parse({"--own-ports", "some"});
  EXPECT_EQ(wrong.code, kUsage);
  EXPECT_THAT(wrong.err, HasSubstr("--own-ports: some not in {declared,all,none}"));
}

TEST(FlagParsers, WrongWordsAreUsageErrorsWithAReason) {
  EXPECT_THAT(parse({"--gpus", "9"}).err, HasSubstr("--gpus"));
  EXPECT_EQ(parse({"--gpus", "9"}).code, kUsage);
  EXPECT_EQ(parse({"--threads", "0"}).code, kUsage);
  EXPECT_EQ(parse({"--port", "many"}).code, kUsage);
  EXPECT_EQ(parse({"--kept", "8"}).code, kUsage);
  EXPECT_EQ(parse({"--nonsense"}).code, kUsage);
  EXPECT_THAT(parse({"--force", "--update"}).err, HasSubstr("excludes"));
}

TEST(FlagParsers, HelpShowsWhatThereIs) {
  const Parsed parsed = parse({"--help"});
  EXPECT_EQ(parsed.code, kOk);
  for (const char* part : {"What it is for.", "basalt sample", "-n,--name TEXT=a", "UINT in [1 - 256]=2",
                           "INT in [0 - 8]", "--length TIME", "--port UINT=6443"}) {
    EXPECT_THAT(parsed.out, HasSubstr(part));
  }
  EXPECT_EQ(parsed.out.find("descriptor"), std::string::npos);
}

}  // namespace
}  // namespace basalt::cli
