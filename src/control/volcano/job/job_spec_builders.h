// Short words for the jobs that tests are about.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "control/volcano/job/job_fixture.h"

namespace basalt::volcano {

// One entry of spec.tasks. `more`: further members, "minAvailable: 1, policies: […]".
inline std::string task(std::string_view name, int replicas, std::string_view more = "") {
  return fmt::format("{{name: {}, replicas: {}, {}{} template: {{spec: {{containers: [{{name: c, image: i}}]}}}}}}",
                     name, replicas, more, more.empty() ? "" : ",");
}

// A spec. `tasks`: entries by commas.
inline std::string job_of(int min_available, std::string_view tasks, std::string_view more = "") {
  return fmt::format("{{minAvailable: {}, {}{} tasks: [{}]}}", min_available, more, more.empty() ? "" : ",", tasks);
}

// Two workers, all of which are needed, and policies by commas.
inline std::string workers(std::string_view policies = "") {
  return job_of(2, task("w", 2), fmt::format("policies: [{}]", policies));
}

// A job whose pods all run.
inline std::unique_ptr<JobFixture> running(std::string_view spec) {
  auto fixture = std::make_unique<JobFixture>(spec);
  fixture->settle();
  fixture->admit();
  fixture->settle();
  fixture->all_pods("Running");
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Running");
  return fixture;
}

}  // namespace basalt::volcano
