// What a check found in a cluster.
#pragma once

#include <string>
#include <string_view>

namespace basalt::cli::checkup {

struct Finding {
  std::string_view rule;  // one of the names of check_rules.h
  std::string kind;       // "Node", "Pod", …
  std::string object;     // "namespace/name", or the name
  std::string message;    // what is broken, with the numbers
  // Seen once, it is broken: it follows from objects that were read at one moment. Others may come from objects that
  // were read one after the other while the cluster went on, or are about to be repaired; they count when they last.
  bool firm = false;
  // Worth knowing, but nothing is broken: it is told and does not make the check fail.
  bool advice = false;
};

}  // namespace basalt::cli::checkup
