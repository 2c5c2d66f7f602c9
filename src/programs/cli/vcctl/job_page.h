// The page that `job view` and `vjobs -n` show of one job.
#pragma once

#include <span>
#include <string>

#include "base/instant.h"
#include "kube/client/object_client.h"

namespace basalt::cli::vcctl {

struct JobPageOptions {
  bool conditions = true;  // job view shows them, vjobs does not
  bool volcano = false;    // exactly Volcano's lines: also those about what is not set, which say 0, [] or year 1
};

// Volcano's lines in Volcano's order; keys of maps by name. Unless Volcano's lines are wanted exactly, a line about
// what the job does not have is left out, and API version and kind, plugins besides env and ssh (by name), queue,
// priority, all resources and the message of the state are there too.
[[nodiscard]] std::string job_page(const text::Object& job, JobPageOptions page);

// The part below: the events of the job in their order. Requires: every pointer is an object.
[[nodiscard]] std::string events_page(std::span<const client::ObjectPtr> events, Instant now, bool volcano);

}  // namespace basalt::cli::vcctl
