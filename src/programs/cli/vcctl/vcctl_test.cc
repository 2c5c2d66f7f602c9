#include "programs/cli/vcctl/vcctl.h"

#include <cstdlib>
#include <fstream>
#include <set>

#include "programs/cli/vcctl/command_table.h"
#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::vcctl {
namespace {

class Vcctl : public VcctlTest {};

TEST_F(Vcctl, HelpIsNoFailure) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"--help"},
                                                {"help"},
                                                {"job"},
                                                {"job", "-h"},
                                                {"help", "job"},
                                                {"help", "job", "run"},
                                                {"job", "run", "--help"},
                                                {"version", "-h"}}) {
    const CommandResult result = vcctl(words);
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.out.find("Usage:\n  vcctl"), std::string::npos);
    EXPECT_EQ(result.err, "");
  }
  EXPECT_TRUE(api.calls.empty());
}

TEST_F(Vcctl, EveryCommandHasHelpWithExamples) {
  const auto explained = [](const Command& command, const CommandResult& result) {
    EXPECT_EQ(result.code, 0) << command.name;
    EXPECT_NE(result.out.find("Examples:\n  "), std::string::npos) << command.name;
    for (const Flag& flag : flags_of(command)) {
      EXPECT_EQ(result.out.find("--" + std::string(flag.name) + " ") == std::string::npos, flag.hidden) << flag.name;
    }
  };
  for (const Command& command : commands()) {
    std::vector<std::string> words{std::string(command.group), std::string(command.name), "-h"};
    if (command.group.empty()) words.erase(words.begin());
    explained(command, vcctl(words));
  }
  for (const Command& command : tools()) explained(command, tool(std::string(command.name), {"-h"}));
}

TEST_F(Vcctl, RowsAreSound) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto rows : {commands(), tools()}) {
    for (const Command& command : rows) {
      EXPECT_TRUE(seen.emplace(command.group, command.name).second) << command.name;
      EXPECT_NE(command.run == nullptr, command.offline == nullptr) << command.name;
      EXPECT_TRUE(command.group.empty() || find_group(command.group) != nullptr) << command.group;
      std::set<std::string_view> names;
      std::set<char> letters;
      for (const Flag& flag : flags_of(command)) {
        EXPECT_TRUE(names.insert(flag.name).second) << command.name << " " << flag.name;
        EXPECT_TRUE(flag.letter == '\0' || letters.insert(flag.letter).second) << command.name << " -" << flag.letter;
      }
      EXPECT_TRUE(FlagValues::read(flags_of(command), {}, FlagSpelling::Tool).has_value()) << command.name;
    }
  }
}

TEST_F(Vcctl, WrongWordsGoToStandardErrorWithOne) {
  const auto refused = [this](std::vector<std::string> words) {
    const CommandResult result = vcctl(std::move(words));
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, "");
    const size_t at = result.err.find("Error: ");
    return at == std::string::npos ? result.err : result.err.substr(at);
  };
  EXPECT_EQ(refused({"jobb"}), "Error: unknown command \"jobb\" for \"vcctl\"\nRun 'vcctl --help' for usage.\n");
  EXPECT_EQ(refused({"job", "rum"}),
            "Error: unknown command \"rum\" for \"vcctl job\"\nRun 'vcctl job --help' for usage.\n");
  EXPECT_EQ(refused({"--frob"}), "Error: unknown flag: --frob\n");
  EXPECT_EQ(refused({"job", "list", "--frob"}), "Error: unknown flag: --frob\n");
  EXPECT_EQ(refused({"job", "list", "extra"}), "Error: unknown argument \"extra\" for \"vcctl job list\"\n");
  EXPECT_EQ(refused({"job", "view", "a", "b"}), "Error: unknown argument \"b\" for \"vcctl job view\"\n");
  EXPECT_EQ(tool("vsub", {"--frob"}).code, 1);
  EXPECT_TRUE(api.calls.empty());
}

TEST_F(Vcctl, FlagsOfVolcanosLogsAreAccepted) {
  EXPECT_EQ(vcctl({"job", "list", "-v", "4", "--vmodule", "x=1", "--log-flush-frequency=5s"}).code, 0);
}

TEST_F(Vcctl, AServerThatFailsIsShown) {
  api.refusals[api::Verb::List] = api::unavailable("the server is\tshutting down");
  const CommandResult result = vcctl({"queue", "list"});
  EXPECT_EQ(result.code, 255);
  EXPECT_EQ(result.out, "Failed to list queue: the server is^Ishutting down\n");
}

TEST_F(Vcctl, Version) {
  const CommandResult result = vcctl({"version"});
  EXPECT_EQ(result.code, 0);
  for (const char* line : {"API Version: v1alpha1\n",
                           "\nVersion: ", "\nGit SHA: ", "\nBuilt At: ", "\nGo Version: ", "\nGo OS/Arch: linux/"}) {
    EXPECT_NE(result.out.find(line), std::string::npos) << line;
  }
}

// Runs a bash command with the script of `shell` in a file called $1.
int with_script(const std::string& script, const std::string& command) {
  const std::string path = ::testing::TempDir() + "vcctl-completion-" + std::to_string(getpid());
  std::ofstream(path) << script;
  const int status = std::system(("bash -c '" + command + "' - " + path).c_str());
  std::remove(path.c_str());
  return status;
}

TEST_F(Vcctl, CompletionScripts) {
  const std::string bash = vcctl({"completion", "bash"}).out;
  EXPECT_EQ(with_script(bash, "bash -n \"$1\""), 0);
  EXPECT_EQ(with_script(vcctl({"completion", "zsh"}).out, "bash -n \"$1\""), 0);
  EXPECT_NE(vcctl({"completion", "fish"}).out.find("complete -c vcctl"), std::string::npos);
  EXPECT_EQ(vcctl({"completion", "tcsh"}).out, "Failed to completion: name a shell: bash, zsh or fish\n");
  EXPECT_EQ(vcctl({"completion"}).code, 255);
}

TEST_F(Vcctl, BashCompletesWordsFlagsAndValues) {
  const std::string bash = vcctl({"completion", "bash"}).out;
  const auto completes = [&bash](const std::string& words, int at, const std::string& expected) {
    return with_script(bash, "source \"$1\"; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                                 "; _vcctl; [[ \"${COMPREPLY[*]}\" == \"" + expected +
                                 "\" ]] || { echo \"got: ${COMPREPLY[*]}\"; exit 1; }") == 0;
  };
  EXPECT_TRUE(completes("vcctl jobf", 1, "jobflow"));
  EXPECT_TRUE(completes("vcctl queue o", 2, "operate"));
  EXPECT_TRUE(completes("vcctl job list --all", 3, "--all-namespaces"));
  EXPECT_TRUE(completes("vcctl job list -o js", 4, "json"));
  EXPECT_TRUE(completes("vcctl completion z", 2, "zsh"));
  EXPECT_TRUE(completes("vsub --com", 1, "--command"));
}

}  // namespace
}  // namespace basalt::cli::vcctl
