#include "control/volcano/job/controlled_resources.h"

#include <fmt/format.h>

#include "kube/api/object_view.h"

namespace basalt::volcano {

std::string_view remembered(const JobView& job, std::string_view key) {
  return api::StringMapView(job.controlled_resources)[key];
}

std::string object_key(std::string_view plural, std::string_view name) {
  return fmt::format("{}{}-{}", kObjectPrefix, plural, name);
}

std::string evicted_key(std::string_view pod) { return fmt::format("{}{}", kEvictedPrefix, pod); }

std::string fingerprint_text(uint64_t fingerprint) { return fmt::format("{:016x}", fingerprint); }

std::string generation_text(const JobView& job) {
  const int64_t generation = api::ObjectView(*job.object).metadata().generation();
  return generation > 0 ? std::to_string(generation) : std::string();
}

}  // namespace basalt::volcano
