// What a command of vcctl writes to and reads from; injectable, so that tests can use strings and their own clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace basalt::cli::vcctl {

struct Terminal {
  std::ostream& out;
  std::ostream& err;
  std::istream& in;
  size_t width = 0;    // of the screen, in columns; 0: there is no screen
  size_t height = 0;   // in lines; 0: there is no screen
  bool color = false;  // `out` is a screen, and nobody asked for plain text
  std::function<Instant()> now;
  std::function<std::string(const std::string& name)> environment;  // "": not set
  // Waits for a while, for commands that look again and again (--wait). Empty: does not wait.
  std::function<void(std::chrono::milliseconds)> pause = {};
  bool volcano_output = false;  // exactly Volcano's texts, streams and exit codes (--volcano-output)
};

// This process's own streams, environment and clock. Colours only on a screen without NO_COLOR and with a TERM that is
// not "dumb".
[[nodiscard]] Terminal real_terminal();

enum class Tone : uint8_t { Plain, Good, Busy, Bad };

// How a phase, state or status of a job, queue, group, flow or pod sounds; Plain for a word that is not known.
[[nodiscard]] Tone tone_of(std::string_view phase);

// `text` in the colour of its tone, where colours are wanted.
[[nodiscard]] std::string painted(const Terminal& terminal, std::string_view text, Tone tone);

// `text` with control characters spelt out (^[ for escape): what comes from a server must not steer a screen.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace basalt::cli::vcctl
