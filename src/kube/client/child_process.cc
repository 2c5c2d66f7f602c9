#include "kube/client/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT: kill()
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>

extern char** environ;  // NOLINT: POSIX has it so

namespace basalt::client {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int64_t kMaxPollMs = 60'000;

std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

// A started program. Killed, if it still runs, and waited for when it is destroyed.
class Child {
 public:
  Child(pid_t process, bool own_group, Descriptor output)
      : process_(process),
        own_group_(own_group),
        output_(std::move(output)),
        ended_(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ < 0) return;
    ::kill(own_group_ ? -process_ : process_, SIGKILL);
    wait();
  }

  Result<ProgramResult> finish(const Program& program, const net::Interrupt* interrupt) {
    if (ended_.number() < 0) return failure(ErrorCode::Io, "pidfd_open: " + reason(errno));
    const auto deadline = Clock::now() + program.timeout;
    ProgramResult end;
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0)
        return failure(ErrorCode::Io, "took longer than " + std::to_string(program.timeout.count()) + " ms");
      std::array<pollfd, 3> entries{
          pollfd{.fd = output_.number(), .events = POLLIN, .revents = 0},
          pollfd{.fd = ended_.number(), .events = POLLIN, .revents = 0},
          pollfd{.fd = interrupt != nullptr ? interrupt->descriptor() : -1, .events = POLLIN, .revents = 0}};
      ::poll(entries.data(), entries.size(), static_cast<int>(std::min<int64_t>(left, kMaxPollMs)));
      if (entries[2].revents != 0) return failure(ErrorCode::Io, "interrupted");
      // What it has printed before it ended is there now: a child of its own that lives on must not hold us up.
      if (auto ok = drain(end.output, program.max_output); !ok) return std::unexpected(ok.error());
      if (entries[1].revents != 0) break;
    }
    end.exit_code = wait();
    return end;
  }

 private:
  Result<void> drain(std::string& into, size_t max_output) {
    std::array<char, 4096> chunk{};
    while (output_.number() >= 0) {
      const auto got = ::read(output_.number(), chunk.data(), chunk.size());
      if (got < 0) return {};  // nothing for now
      if (got == 0) {
        output_.close();
        return {};
      }
      if (into.size() + static_cast<size_t>(got) > max_output) {
        return failure(ErrorCode::Io, "printed more than " + std::to_string(max_output) + " bytes");
      }
      into.append(chunk.data(), static_cast<size_t>(got));
    }
    return {};
  }

  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  pid_t process_;
  bool own_group_;
  Descriptor output_, ended_;
};

std::vector<std::string> whole_environment(const Program& program) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {  // NOLINT
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : program.environment) variables[name] = value;
  std::vector<std::string> list;
  for (const auto& [name, value] : variables) list.push_back(name + "=" + value);
  return list;
}

// The array that exec wants; it points into `strings`.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& text : strings) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

struct SpawnSettings {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

}  // namespace

Result<ProgramResult> run_program(const Program& program, const net::Interrupt* interrupt) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failure(ErrorCode::Io, "pipe: " + reason(errno));
  Descriptor reading(ends[0]), writing(ends[1]);
  ::fcntl(reading.number(), F_SETFL, O_NONBLOCK);
  SpawnSettings settings;
  ::posix_spawn_file_actions_adddup2(&settings.actions, writing.number(), STDOUT_FILENO);
  if (!program.terminal) {
    ::posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    // Killed with all that it has started. With a terminal it stays in our group, or it could not read from it.
    ::posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP);
  }
  std::vector<std::string> words{program.command};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  std::vector<std::string> environment = whole_environment(program);
  pid_t process = -1;
  const int error = ::posix_spawnp(&process, program.command.c_str(), &settings.actions, &settings.attributes,
                                   pointers(words).data(), pointers(environment).data());
  writing.close();
  if (error == ENOENT) return failure(ErrorCode::NotFound, "there is no such program");
  if (error != 0) return failure(ErrorCode::Io, reason(error));
  return Child(process, !program.terminal, std::move(reading)).finish(program, interrupt);
}

}  // namespace basalt::client
