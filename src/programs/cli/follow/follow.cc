#include "programs/cli/follow/follow.h"

#include <fmt/format.h>

#include <csignal>
#include <ostream>
#include <set>

#include "kube/api/object_fields.h"
#include "kube/text/rfc3339.h"
#include "programs/cli/flag_parser.h"
#include "programs/cli/follow/job_watcher.h"
#include "programs/cli/server_flags.h"

namespace basalt::cli {
namespace follow {
namespace {

constexpr std::chrono::milliseconds kTick{1000};

// The board at one place of the screen: each drawing covers the one before.
class Screen {
 public:
  explicit Screen(vcctl::Terminal& terminal) : terminal_(terminal) {}

  void show(const JobObjects& objects) {
    const auto lines = dashboard_lines(objects, terminal_);
    if (drawn_ > 0) terminal_.out << fmt::format("\033[{}A\r", drawn_);
    for (const std::string& line : lines) terminal_.out << line << "\033[K\n";
    terminal_.out << "\033[J" << std::flush;
    drawn_ = lines.size();
  }

 private:
  vcctl::Terminal& terminal_;
  size_t drawn_ = 0;  // lines on the screen now
};

// One line per change, for pipes and logs.
class Journal {
 public:
  explicit Journal(vcctl::Terminal& terminal) : terminal_(terminal) {}

  void show(const JobObjects& objects) {
    if (std::string line = state_line(objects); line != last_) {
      write(line);
      last_ = std::move(line);
    }
    std::set<std::string> now;
    for (const text::Object* event : objects.events()) {
      std::string line = event_line(*event);
      if (!told_.contains(line)) write("  " + line);
      now.insert(std::move(line));
    }
    told_ = std::move(now);  // bounded as the objects is; an event that is gone from it does not come again
  }

 private:
  void write(const std::string& line) {
    const std::string time = text::format_time(terminal_.now());
    terminal_.out << time << ' ' << line << '\n' << std::flush;
  }

  vcctl::Terminal& terminal_;
  std::string last_;
  std::set<std::string> told_;
};

int fail(vcctl::Terminal& terminal, const std::string& why) {
  terminal.err << "basalt follow: " << why << '\n';
  return kFailed;
}

template <class View>
int follow_in(View view, JobWatcher& feed, const FollowOptions& options, vcctl::Terminal& terminal) {
  const Instant began = terminal.now();
  for (;;) {
    view.show(feed.objects());
    if (feed.objects().job() == nullptr) return fail(terminal, fmt::format("job {} was deleted", options.job));
    if (const auto over = reached(feed.objects(), options.goal); over) return *over ? kOk : kFailed;
    if (!terminal.out) return kFailed;
    if (options.timeout && terminal.now() - began >= Duration::seconds(options.timeout->count())) {
      const std::string phase = feed.objects().phase();
      return fail(terminal,
                  fmt::format("job {} is still {} after {} s", options.job,
                              phase.empty() ? "without a phase" : vcctl::printable(phase), options.timeout->count()));
    }
    const auto came = feed.step(kTick);
    if (!came) return fail(terminal, came.error().message);
  }
}

}  // namespace

int follow_job(client::ObjectClient& client, const FollowOptions& options, vcctl::Terminal& terminal) {
  const FlagValues none;
  vcctl::CommandSession session{.flags = none, .api = client, .terminal = terminal};
  JobWatcher feed(session, options.namespace_name, options.job);
  if (const auto opened = feed.open(); !opened) return fail(terminal, opened.error().message);
  const bool screen = terminal.width > 0 && terminal.height > 0;
  return screen ? follow_in(Screen(terminal), feed, options, terminal)
                : follow_in(Journal(terminal), feed, options, terminal);
}

}  // namespace follow

int run_follow(Words words) {
  follow::FollowOptions options;
  ServerFlags server;
  std::string kind, until = "Running";
  int64_t timeout = 0;
  FlagParser app("Show a job live until it runs or is over.", "basalt follow");
  app.add_option("KIND", kind, "what to follow: job")->required()->one_of({"job", "vcjob"});
  app.add_option("NAME", options.job, "its name")->required();
  app.add_option("--namespace,-n", options.namespace_name)->capture_default_str();
  app.add_option("--until", until, "when to end")->one_of_any_case({"Running", "Completed"})->capture_default_str();
  app.add_option("--timeout", timeout, "seconds after which to give up; 0: never")
      ->range(int64_t{0}, int64_t{1'000'000})
      ->capture_default_str();
  add_server_flags(app, server);
  if (const auto over = parse_words(app, words); over) return *over;
  options.goal = until == "Completed" ? follow::FollowGoal::Completed : follow::FollowGoal::Running;
  if (timeout > 0) options.timeout = std::chrono::seconds(timeout);
  std::signal(SIGPIPE, SIG_IGN);  // a connection that the server closed is an error, not a reason to die
  vcctl::Terminal terminal = vcctl::real_terminal();
  const auto client = connect(server, "basalt-follow");
  if (!client) return follow::fail(terminal, client.error().message);
  return follow::follow_job(**client, options, terminal);
}

}  // namespace basalt::cli
