// `basalt up --detach`: the cluster as a process of its own, and `basalt status` and `basalt down` for it.
//
// The new process is the leader of a session of its own, so that neither Ctrl-C nor the end of the terminal reaches it;
// what it writes goes to <state>/basalt.log. `up --detach` returns when the cluster serves and its nodes are ready.
// Unless --kubeconfig names a file, the user's own kubeconfig gets a context for it (merged_kubeconfig.h), which
// `basalt down` takes out again; the file <state>/merged-kubeconfig notes where.
//
// Exit codes: 0; 1 it did not start, does not answer, did not end, or (status) is not up; 2 wrong words. `up --detach`
// of a cluster that runs and `down` of one that does not say so and end with 0.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "programs/cli/verb.h"

namespace basalt::up {

struct DetachOptions {
  std::filesystem::path state;
  bool state_given = false;          // the words have it
  std::filesystem::path kubeconfig;  // as given; "": none was
  int64_t nodes = 0;                 // how many there will be
};

// `words`: of `basalt up`, with --detach among them.
[[nodiscard]] int start_detached(cli::Words words, const DetachOptions& plan);

// The words of the new process: without --detach in any spelling, with its state and the descriptor that it is to
// answer on.
[[nodiscard]] std::vector<std::string> words_of_child(cli::Words words, const DetachOptions& plan, int ready);

// What the other verbs need to mean the same cluster, as a shell reads it: " --state X"; "" where none was given.
[[nodiscard]] std::string state_flag(const std::filesystem::path& state, bool given);

// In the new process: the cluster serves. `descriptor`: of --ready-descriptor.
void notify_ready(int descriptor);

// The context's name in the user's kubeconfig: "basalt", and "basalt-<directory>" where the state is elsewhere.
[[nodiscard]] std::string context_name(const std::filesystem::path& state);

int run_down(cli::Words words);
int run_status(cli::Words words);

}  // namespace basalt::up
