// Jobs for the tests of expand/ and plugins/, written as JSON.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "control/volcano/job/expand/job_view.h"
#include "control/volcano/job/expand/pod_factory.h"
#include "kube/text/json.h"

namespace basalt::volcano::tests {

inline text::Object parsed(std::string_view json) {
  auto value = text::parse_json(json);
  EXPECT_TRUE(value.has_value()) << (value ? "" : value.error().message);
  return value && value->is_object() ? value->get_object() : text::Object();
}

// A Job called "train" in "lab" with uid "u-1", whose spec and status are as written.
inline text::Object job_with(std::string_view spec, std::string_view status = "{}") {
  text::Object job{{"metadata", text::Object{{"name", "train"}, {"namespace", "lab"}, {"uid", "u-1"}}}};
  job["spec"] = parsed(spec);
  job["status"] = parsed(status);
  return job;
}

// The pod of that index in a task.
inline text::Object pod_of(const text::Object& job_object, std::string_view task, int64_t index,
                           bool forwarded = false) {
  const JobView job(job_object);
  const auto plugins = JobPluginSet::of(job);
  EXPECT_TRUE(plugins.has_value());
  const auto factory = PodFactory::of(job, *job.find_task(task), *plugins, forwarded);
  EXPECT_TRUE(factory.has_value()) << (factory ? "" : factory.error().message);
  return factory->make(index);
}

inline std::string to_text(const text::Object& object) { return text::to_json(object); }

}  // namespace basalt::volcano::tests
