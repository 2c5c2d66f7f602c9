#include "control/volcano/controller_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "control/volcano/cron_job/cron_job_controller.h"
#include "control/volcano/gc/gc_controller.h"
#include "control/volcano/hyper_node/hyper_node_controller.h"
#include "control/volcano/job/job_controller.h"
#include "control/volcano/job_flow/job_flow_controller.h"
#include "control/volcano/job_template/job_template_controller.h"
#include "control/volcano/pod_group/pod_group_controller.h"
#include "control/volcano/queue/queue_controller.h"

namespace basalt::volcano {
namespace {

// Volcano's, which we do not have: naming them in the flag is no error, so that its manifests keep working.
constexpr std::array kLeftOut = {std::string_view("colocation-config-controller"),
                                 std::string_view("sharding-controller")};

std::vector<std::string_view> words_of(std::string_view flag) {
  std::vector<std::string_view> words;
  while (!flag.empty()) {
    const size_t end = std::min(flag.find(','), flag.size());
    if (end > 0) words.push_back(flag.substr(0, end));
    flag.remove_prefix(std::min(end + 1, flag.size()));
  }
  return words;
}

std::string_view bare(std::string_view word) {
  return word.starts_with('+') || word.starts_with('-') ? word.substr(1) : word;
}

bool is_chosen(const std::vector<std::string_view>& words, std::string_view name) {
  for (const std::string_view word : words) {
    if (bare(word) == name) return !word.starts_with('-');
  }
  return std::ranges::find(words, "*") != words.end();
}

std::string all_names() {
  std::string names;
  for (const VolcanoController& controller : all_controllers())
    fmt::format_to(std::back_inserter(names), " {}", controller.name);
  return names;
}

}  // namespace

std::span<const VolcanoController> all_controllers() {
  static const std::array kAll = {
      job_controller(),      queue_controller(),    pod_group_controller(),    gc_controller(),
      cron_job_controller(), job_flow_controller(), job_template_controller(), hyper_node_controller(),
  };
  return kAll;
}

Result<std::vector<VolcanoController>> choose_controllers(std::string_view flag) {
  const std::vector<std::string_view> words = words_of(flag);
  std::set<std::string_view> named;
  for (const std::string_view word : words) {
    const std::string_view name = bare(word);
    const bool known = name == "*" || std::ranges::find(kLeftOut, name) != kLeftOut.end() ||
                       std::ranges::find(all_controllers(), name, &VolcanoController::name) != all_controllers().end();
    if (!known)
      return invalid(fmt::format("--controllers: there is no controller {:?}; there are:{}", name, all_names()));
    if (!named.insert(name).second) {
      return invalid(fmt::format("--controllers: {:?} is named twice; name each controller once", name));
    }
  }
  std::vector<VolcanoController> chosen;
  for (const VolcanoController& controller : all_controllers()) {
    if (is_chosen(words, controller.name)) chosen.push_back(controller);
  }
  return chosen;
}

}  // namespace basalt::volcano
