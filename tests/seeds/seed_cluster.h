// A cluster in which the commands of the seed documents are carried out: manifests as `kubectl apply` would, and vcctl
// in process. Nodes and scheduler are LifeCluster's stand-ins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/text/json.h"
#include "lab/life/life_cluster.h"
#include "lab/life/life_kinds.h"

namespace basalt::seeds {

// The document of that number (from 0), by the order of the file names below $BASALT_SEEDS_DIR, or ../shared/seeds; "":
// they are not there.
[[nodiscard]] std::string read_seed(size_t number);

// The text between ```yaml and ``` of a Markdown document, each block.
[[nodiscard]] std::vector<std::string> fenced_yaml(std::string_view document);

class SeedCluster {
 public:
  // The documents of a manifest; where a namespace is not there yet it is made. What the server says against it; "":
  // nothing.
  std::string apply(std::string_view yaml);
  std::string apply(text::Object object);

  // `vcctl WORDS…`: its exit code, and what it printed to both streams.
  struct VcctlResult {
    int code = 0;
    std::string text;
  };
  [[nodiscard]] VcctlResult vcctl(std::string_view words);

  // The value at a JSON path of an object, as text; "": there is none. `kind` is a word of life_kinds.h.
  [[nodiscard]] std::string field(std::string_view kind, std::string_view name, std::string_view path);
  [[nodiscard]] bool there(std::string_view kind, std::string_view name);
  // The job's pods, "name:Phase" with blanks between.
  [[nodiscard]] std::string pods(std::string_view job);
  // All pods of the job that have not ended get this phase; then everything comes to rest.
  void report(std::string_view job, std::string_view phase, int exit_code = 0);
  void report_pod(std::string_view pod, std::string_view phase, int exit_code = 0);
  void settle();

  lab::LifeCluster cluster;
};

}  // namespace basalt::seeds
