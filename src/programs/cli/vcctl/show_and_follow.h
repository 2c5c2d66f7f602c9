// Showing objects, and going on showing those that change (--watch).
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "programs/cli/vcctl/command_session.h"

namespace basalt::cli::vcctl {

inline constexpr size_t kMaxWaitingEvents =
    10'000;                                 // received and not printed yet; the receiver waits when they are many
inline constexpr size_t kMaxQuietEnds = 5;  // watches that the server ends one after the other without an event

struct WatchOptions {
  const VcctlKind& kind;
  ListScope scope;
  std::function<bool(const text::Object&)> filter = {};  // empty: all
  // The objects that were there / later ones that came, changed or went, in order. An error ends the watch.
  std::function<Result<void>(std::span<const client::ObjectPtr>)> first, later;
};

// Shows what there is; with `follow` it then returns only when something fails: the server, the connection, or the
// stream that is written to. A watch that has become too old starts anew with a list, of which only what changed is
// shown.
[[nodiscard]] Result<void> show_and_follow(CommandSession& session, const WatchOptions& watched, bool follow);

}  // namespace basalt::cli::vcctl
