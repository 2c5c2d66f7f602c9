// What a job expands into, against what Volcano's own code made of the same jobs.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "control/volcano/job/expand/pod_factory.h"
#include "control/volcano/job/expand/pod_group_builder.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/text/patch.h"
#include "tests/conformance/recorded.h"

namespace basalt::volcano {
namespace {

using api::rules::part_of;

// Go writes these even when nothing is in them, and never the type of an object.
text::Object bare(text::Object object) {
  for (const std::string_view key : {"apiVersion", "kind", "status"}) object.erase(key);
  text::Object* spec = api::rules::object_at(object, "spec");
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (spec == nullptr) break;
    api::rules::each_object(*spec, list, [](text::Object& container, size_t) {
      if (part_of(container, "resources").empty()) container.erase("resources");
    });
  }
  return object;
}

// Volcano's names of a job's volumes are random: both sides get names by place.
text::Object with_plain_volumes(text::Object pod, std::string_view job) {
  std::map<std::string, std::string, std::less<>> names;
  text::Object* spec = api::rules::object_at(pod, "spec");
  if (spec == nullptr) return pod;
  api::rules::each_object(*spec, "volumes", [&](text::Object& volume, size_t place) {
    const std::string name(api::string_at(volume, "name"));
    if (!volume.contains("persistentVolumeClaim") || !name.starts_with(std::string(job) + "-")) return;
    EXPECT_EQ(name.size(), job.size() + 13) << name;
    names[name] = "volume-" + std::to_string(place);
    volume["name"] = names[name];
  });
  api::rules::each_object(*spec, "containers", [&](text::Object& container, size_t) {
    api::rules::each_object(container, "volumeMounts", [&](text::Object& mount, size_t) {
      const auto found = names.find(api::string_at(mount, "name"));
      if (found != names.end()) mount["name"] = found->second;
    });
  });
  return pod;
}

class Tally {
 public:
  explicit Tally(std::string name) : name_(std::move(name)) {}
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  ~Tally() { std::printf("%s: %zu of %zu facts equal\n", name_.c_str(), equal_, all_); }

  void compare(const text::Value& ours, const text::Value& theirs, const std::string& what) {
    ++all_;
    if (ours == theirs) {
      ++equal_;
    } else {
      ADD_FAILURE() << name_ << " " << what << "\nours:   " << text::to_json(ours)
                    << "\ntheirs: " << text::to_json(theirs);
    }
  }

 private:
  std::string name_;
  size_t all_ = 0, equal_ = 0;
};

text::Object objects_by_kind(const std::vector<text::Object>& objects) {
  const std::map<std::string, std::string, std::less<>> lists = {{"ConfigMap", "configMaps"},
                                                                 {"Service", "services"},
                                                                 {"NetworkPolicy", "networkPolicies"},
                                                                 {"Secret", "secrets"}};
  text::Object out;
  for (const text::Object& object : objects) {
    api::array_in(out, lists.at(std::string(api::string_at(object, "kind")))).push_back(bare(object));
  }
  return out;
}

text::Object bare_lists(text::Object lists) {
  for (auto& list : lists) {
    for (text::Value& object : list.value().get_array()) object = bare(std::move(object.get_object()));
  }
  return lists;
}

void compare_pods(const text::Object& one, const JobView& job, const JobPluginSet& plugins, Tally& tally) {
  api::rules::each_object(one, "pods", [&](const text::Object& pod, size_t) {
    const TaskView* task = job.find_task(api::string_at(pod, "task"));
    ASSERT_NE(task, nullptr);
    const int64_t index = api::int_at(pod, {"index"});
    tally.compare(bare(draft_pod(job, *task, false).make(index)), bare(part_of(pod, "before")), "pod before plugins");
    const auto factory = PodFactory::of(job, *task, plugins);
    if (pod.contains("error")) {
      tally.compare(text::Value(factory ? std::string() : factory.error().message), pod.at("error"), "error");
    } else {
      ASSERT_TRUE(factory.has_value()) << factory.error().message;
      tally.compare(bare(factory->make(index)), bare(part_of(pod, "after")), "pod");
    }
  });
}

text::Object scaled_up(text::Object job) {
  text::Value& first = api::array_in(api::object_in(job, "spec"), "tasks")[0];
  first.get_object()["replicas"] = api::int_at(first.get_object(), {"replicas"}) + 1;
  return job;
}

void compare_objects(const text::Object& one, const text::Object& job_object, const JobPluginSet& plugins,
                     Tally& tally) {
  const auto wanted = plugins.objects(JobView(job_object));
  ASSERT_TRUE(wanted.has_value());
  std::vector<text::Object> made;
  for (const WantedObject& object : *wanted) {
    const auto ready = with_keys(object, []() -> Result<net::SshKeys> {
      return net::SshKeys{.private_pem = "<generated>", .public_line = "<generated>"};
    });
    ASSERT_TRUE(ready.has_value());
    made.push_back(*ready);
  }
  tally.compare(objects_by_kind(made), bare_lists(part_of(one, "createdObjects")), "objects");

  const text::Object larger = scaled_up(job_object);
  const auto wanted_then = plugins.objects(JobView(larger));
  ASSERT_TRUE(wanted_then.has_value());
  for (size_t i = 0; i < made.size(); ++i) {
    if (const auto change = object_change((*wanted_then)[i], made[i])) {
      made[i] = std::move(text::merge_patch(made[i], *change).get_object());
    }
  }
  tally.compare(objects_by_kind(made), bare_lists(part_of(one, "objectsAfterScaleUpFirstTask")), "objects, scaled up");
}

void replay(std::string_view plugin) {
  const auto cases = conformance::recorded_cases("jobplugins/plugin_" + std::string(plugin) + ".json");
  if (!cases) GTEST_SKIP() << conformance::kNotRecorded;
  Tally tally{std::string(plugin)};
  for (const text::Value& value : *cases) {
    const text::Object& one = value.get_object();
    text::Object job_object = part_of(one, "job");
    api::object_in(job_object, "spec")["plugins"] = text::Object{{plugin, one.at("arguments")}};
    const JobView job(job_object);
    const auto plugins = JobPluginSet::of(job);
    ASSERT_TRUE(plugins.has_value()) << plugins.error().message;
    compare_pods(one, job, *plugins, tally);
    compare_objects(one, job_object, *plugins, tally);
    tally.compare(plugins->controlled_resources(),
                  part_of(part_of(part_of(one, "jobAfterOnJobAdd"), "status"), "controlledResources"),
                  "controlledResources");
  }
}

TEST(JobPluginConformance, Env) { replay("env"); }
TEST(JobPluginConformance, Svc) { replay("svc"); }
TEST(JobPluginConformance, Ssh) { replay("ssh"); }
TEST(JobPluginConformance, Pytorch) { replay("pytorch"); }
TEST(JobPluginConformance, Tensorflow) { replay("tensorflow"); }
TEST(JobPluginConformance, Mpi) { replay("mpi"); }
TEST(JobPluginConformance, Ray) { replay("ray"); }
TEST(JobPluginConformance, Hcclrank) { replay("hcclrank"); }

TEST(JobConformance, Pods) {
  const auto cases = conformance::recorded_cases("jobplugins/jobcontroller_createJobPod.json");
  if (!cases) GTEST_SKIP() << conformance::kNotRecorded;
  Tally tally("createJobPod");
  for (const text::Value& value : *cases) {
    const text::Object& in = part_of(value.get_object(), "in");
    // The recorded function takes the task apart from the job.
    text::Object job_object = part_of(in, "job");
    text::Object task = part_of(in, "task");
    task["name"] = in.at("templateName");
    task["template"] = in.at("template");
    api::object_in(job_object, "spec")["tasks"] = text::Array{std::move(task)};
    const JobView job(job_object);
    const text::Object ours =
        draft_pod(job, job.tasks.at(0), api::bool_at(in, {"jobForwarding"})).make(api::int_at(in, {"index"}));
    tally.compare(with_plain_volumes(bare(ours), job.name),
                  with_plain_volumes(bare(part_of(value.get_object(), "out")), job.name), text::to_json(in));
  }
}

TEST(JobConformance, MinResources) {
  const auto cases = conformance::recorded_cases("jobplugins/jobcontroller_calcPGMinResources.json");
  if (!cases) GTEST_SKIP() << conformance::kNotRecorded;
  Tally tally("calcPGMinResources");
  for (const text::Value& value : *cases) {
    const text::Object& job_object = part_of(part_of(value.get_object(), "in"), "job");
    text::Object ours;
    for (const auto& [name, amount] : min_resources(JobView(job_object), [](std::string_view) { return 0; })) {
      ours[name] = amount.to_string();
    }
    tally.compare(ours, part_of(value.get_object(), "out"), text::to_json(job_object));
  }
}

}  // namespace
}  // namespace basalt::volcano
