#include "lab/scenario/scenario_verb.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kube/text/read_file.h"
#include "lab/scenario/scenario_script.h"
#include "programs/cli/flag_parser.h"

namespace basalt::lab {

namespace {

namespace fs = std::filesystem;

struct ScenarioOptions {
  std::vector<std::string> paths;
  std::string kubeconfig;  // "": in memory
  bool trace = false;
  bool update = false;
};

struct Colours {
  std::string_view good, bad, dim, off;
};

Colours colours() {
  if (isatty(STDOUT_FILENO) == 0) return {};
  return {.good = "\033[32m", .bad = "\033[31m", .dim = "\033[2m", .off = "\033[0m"};
}

Result<std::vector<std::string>> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const size_t before = files.size();
    for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      if (at->path().extension() == ".scn" && at->is_regular_file(error)) files.push_back(at->path().string());
    }
    if (error) return failure(ErrorCode::Io, path + ": " + error.message());
    if (files.size() == before) return failure(ErrorCode::NotFound, path + ": no file below it ends in .scn");
    std::sort(files.begin() + static_cast<ptrdiff_t>(before), files.end());
  }
  return files;
}

Result<void> write_lines(const std::string& path, const std::vector<std::string>& lines) {
  // A whole new file beside the old one first: an interrupted update leaves the scenario as it was.
  const std::string fresh = path + ".new";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  for (const std::string& line : lines) out << line << '\n';
  out.close();
  std::error_code error;
  if (out) fs::rename(fresh, path, error);
  if (!out || error) return failure(ErrorCode::Io, path + ": cannot be written; check that the folder is writable");
  return {};
}

std::string indented(std::string_view text, std::string_view indent) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += std::string(indent) + std::string(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

class Show {
 public:
  Show(const ScenarioOptions& options, std::span<const scenario::ScenarioKind> others)
      : options_(options), others_(others) {}

  void play(const std::string& path) {
    auto content = text::read_file(path, scenario::kMaxScriptBytes);
    if (!content) return unusable(path, content.error().message);
    const auto script = scenario::parse_script(path, *content);
    if (!script) return unusable(path, script.error().message);
    const scenario::ScenarioKind& kind = kind_of(*script);
    const bool live = !options_.kubeconfig.empty();
    if (live && kind.play_at == nullptr) return unusable(path, "is decided without a server; leave out --kubeconfig");
    const scenario::ScenarioResult played =
        live ? kind.play_at(*script, options_.trace, options_.kubeconfig) : kind.play(*script, options_.trace);
    const bool good = played.passed();
    fmt::print("{}{}{} {}\n", good ? colours_.good : colours_.bad, good ? "ok    " : "FAILED", colours_.off,
               script->title);
    fmt::print("{}", indented(played.trace, "  "));
    for (const scenario::Failure& failure : played.failures) {
      fmt::print("  {}:{}: this {} went otherwise\n", path, failure.line, kind.step);
      for (const std::string& difference : failure.differences) fmt::print("{}", indented(difference, "    "));
    }
    if (played.error) return unusable("", played.error->message);
    ++(good ? passed_ : failed_);
    if (!options_.update || played.rewritten == script->text) return;
    if (auto done = write_lines(path, played.rewritten); !done) return unusable("", done.error().message);
    fmt::print("  {}: expectations rewritten; read the difference before you keep it\n", path);
    ++updated_;
  }

  int finish() const {
    if (updated_ > 0) fmt::print("{} rewritten\n", updated_);
    fmt::print("{} passed, {} failed\n", passed_, failed_);
    if (unusable_ > 0) return cli::kUsage;
    return failed_ == 0 ? cli::kOk : cli::kFailed;
  }

 private:
  void unusable(std::string_view title, std::string_view message) {
    if (!title.empty()) fmt::print("{}FAILED{} {}\n", colours_.bad, colours_.off, title);
    fmt::print("  {}\n", message);
    ++failed_;
    ++unusable_;
  }

  [[nodiscard]] const scenario::ScenarioKind& kind_of(const scenario::Script& script) const {
    static constexpr scenario::ScenarioKind kCycles{.first_word = "", .step = "cycle", .play = &scenario::play};
    for (const scenario::ScenarioKind& kind : others_) {
      if (!script.lines.empty() && script.lines[0].words[0].text == kind.first_word) return kind;
    }
    return kCycles;
  }

  const ScenarioOptions& options_;
  const std::span<const scenario::ScenarioKind> others_;
  const Colours colours_ = colours();
  int passed_ = 0, failed_ = 0, unusable_ = 0, updated_ = 0;
};

}  // namespace

int run_scenario(cli::Words words, std::span<const scenario::ScenarioKind> others) {
  ScenarioOptions options;
  cli::FlagParser app("Plays scenario files: a small cluster in, decisions out, compared with what the file expects.",
                      "basalt scenario");
  app.add_option("PATH", options.paths, "scenario files, or folders with *.scn below them")->required();
  app.add_flag("--trace", options.trace, "tell each cycle: the cluster, what plugins saw, every decision and why");
  cli::FlagOption* update =
      app.add_flag("--update", options.update, "rewrite the expect lines of cycles that went otherwise");
  app.add_option(
         "--kubeconfig", options.kubeconfig,
         "play life-cycle scenarios on this API server, which is emptied for each; it has to be marked for that")
      ->excludes(update);
  if (const auto code = cli::parse_words(app, words)) return *code;
  const auto files = files_of(options.paths);
  if (!files) {
    fmt::print(stderr, "basalt scenario: {}\n", files.error().message);
    return cli::kUsage;
  }
  Show show(options, others);
  for (const std::string& file : *files) show.play(file);
  return show.finish();
}

}  // namespace basalt::lab
