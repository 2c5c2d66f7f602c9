#include "programs/cli/vcctl/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "kube/client/wall_clock.h"

namespace basalt::cli::vcctl {
namespace {

std::string environment_of_process(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

winsize screen_size() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

struct TonedWord {
  std::string_view word;
  Tone tone;
};

constexpr std::array kTones = {
    TonedWord{"Running", Tone::Good},
    TonedWord{"Completed", Tone::Good},
    TonedWord{"Succeeded", Tone::Good},
    TonedWord{"Succeed", Tone::Good},
    TonedWord{"Open", Tone::Good},
    TonedWord{"Pending", Tone::Busy},
    TonedWord{"Inqueue", Tone::Busy},
    TonedWord{"Restarting", Tone::Busy},
    TonedWord{"Completing", Tone::Busy},
    TonedWord{"Terminating", Tone::Busy},
    TonedWord{"Aborting", Tone::Busy},
    TonedWord{"Closing", Tone::Busy},
    TonedWord{"ContainerCreating", Tone::Busy},
    TonedWord{"SchedulingGated", Tone::Busy},
    TonedWord{"NotReady", Tone::Busy},
    TonedWord{"Failed", Tone::Bad},
    TonedWord{"Aborted", Tone::Bad},
    TonedWord{"Terminated", Tone::Bad},
    TonedWord{"Closed", Tone::Bad},
    TonedWord{"Unknown", Tone::Bad},
    TonedWord{"Error", Tone::Bad},
    TonedWord{"CrashLoopBackOff", Tone::Bad},
    TonedWord{"ImagePullBackOff", Tone::Bad},
    TonedWord{"ErrImagePull", Tone::Bad},
    TonedWord{"OOMKilled", Tone::Bad},
    TonedWord{"Evicted", Tone::Bad},
};

}  // namespace

Terminal real_terminal() {
  const bool screen = isatty(STDOUT_FILENO) != 0;
  const bool plain = !environment_of_process("NO_COLOR").empty() || environment_of_process("TERM") == "dumb";
  return Terminal{
      .out = std::cout,
      .err = std::cerr,
      .in = std::cin,
      .width = screen ? screen_size().ws_col : size_t{0},
      .height = screen ? screen_size().ws_row : size_t{0},
      .color = screen && !plain,
      .now = client::wall_clock,
      .environment = &environment_of_process,
      .pause = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
  };
}

Tone tone_of(std::string_view phase) {
  const auto found =
      std::find_if(kTones.begin(), kTones.end(), [phase](const TonedWord& t) { return t.word == phase; });
  if (found != kTones.end()) return found->tone;
  return phase.starts_with("Init:") ? Tone::Busy : Tone::Plain;
}

std::string painted(const Terminal& terminal, std::string_view text, Tone tone) {
  if (!terminal.color || tone == Tone::Plain || text.empty()) return std::string(text);
  const int colour = tone == Tone::Good ? 32 : tone == Tone::Busy ? 33 : 31;
  return fmt::format("\033[{}m{}\033[0m", colour, text);
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      out += c;
    } else {
      out += '^';
      out += static_cast<char>(byte ^ 0x40U);
    }
  }
  return out;
}

}  // namespace basalt::cli::vcctl
