#include "lab/life/job_drafts.h"

#include <fmt/format.h>

#include <array>

#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_job_view.h"
#include "lab/scenario/line_fields.h"
#include "lab/scenario/scenario_cluster.h"

namespace basalt::lab {
namespace {

using lab::scenario::LineFields;
using lab::scenario::ScriptLine;

// Text and numbers that are only written when the line gives them: what is left out is the server's to default.
void put_text(LineFields& fields, std::string_view key, text::Object& object, std::string_view member) {
  if (fields.has(key)) object[member] = fields.text(key);
}

void put_number(LineFields& fields, std::string_view key, text::Object& object, std::string_view member) {
  if (fields.has(key)) object[member] = fields.number32(key, 0);
}

void put_labels(LineFields& fields, std::string_view key, text::Object& object, std::string_view member) {
  if (!fields.has(key)) return;
  for (const auto& [name, value] : fields.labels(key)) api::object_in(object, member)[name] = value;
}

void put_list(LineFields& fields, std::string_view key, text::Object& object, std::string_view member) {
  if (!fields.has(key)) return;
  for (const std::string& one : fields.list(key)) api::array_in(object, member).emplace_back(one);
}

text::Object container(LineFields& fields) {
  text::Object container{{"name", "main"}, {"image", fields.text("image", "app:1")}};
  text::Object requests;
  put_text(fields, "cpu", requests, "cpu");
  put_text(fields, "memory", requests, "memory");
  if (!requests.empty()) api::object_in(container, "resources")["requests"] = std::move(requests);
  return container;
}

text::Object* named(text::Array& list, std::string_view name) {
  for (text::Value& one : list) {
    if (api::TaskSpecView(one.get_object()).name() == name) return &one.get_object();
  }
  return nullptr;
}

}  // namespace

Result<bool> JobDrafts::take(const ScriptLine& line) {
  struct Row {
    std::string_view verb;
    Result<void> (JobDrafts::*read)(const ScriptLine&);
  };
  static constexpr std::array kRows = {Row{"job", &JobDrafts::job}, Row{"task", &JobDrafts::task},
                                       Row{"policy", &JobDrafts::policy}, Row{"plugin", &JobDrafts::plugin},
                                       Row{"volume", &JobDrafts::volume}};
  for (const Row& row : kRows) {
    if (line.words[0].text != row.verb) continue;
    if (auto read = (this->*row.read)(line); !read) return std::unexpected(read.error());
    return true;
  }
  return false;
}

Result<const text::Object*> JobDrafts::find(const std::string& name) const {
  const auto at = jobs_.find(name);
  if (at == jobs_.end()) {
    return failure(ErrorCode::NotFound, fmt::format("no job is called {}; write \"job {} …\" above", name, name));
  }
  return &at->second;
}

Result<text::Object*> JobDrafts::spec_of(const ScriptLine& line) {
  const auto name = lab::scenario::subject(line, fmt::format("{} j1 …", line.words[0].text));
  if (!name) return std::unexpected(name.error());
  if (auto there = find(*name); !there) return std::unexpected(there.error());
  return &api::object_in(jobs_[*name], "spec");
}

Result<void> JobDrafts::job(const ScriptLine& line) {
  const auto name = lab::scenario::subject(line, "job j1 min=2");
  if (!name) return std::unexpected(name.error());
  LineFields fields(line, 2);
  text::Object job{{"apiVersion", "batch.volcano.sh/v1alpha1"}, {"kind", "Job"}};
  text::Object& metadata = api::metadata_of(job);
  metadata["name"] = *name;
  metadata["namespace"] = fields.text("namespace", "default");
  put_labels(fields, "labels", metadata, "labels");
  put_labels(fields, "annotations", metadata, "annotations");
  text::Object& spec = api::object_in(job, "spec");
  put_number(fields, "min", spec, "minAvailable");
  put_number(fields, "min-success", spec, "minSuccess");
  put_number(fields, "max-retry", spec, "maxRetry");
  put_number(fields, "ttl", spec, "ttlSecondsAfterFinished");
  put_text(fields, "queue", spec, "queue");
  put_text(fields, "priority", spec, "priorityClassName");
  put_text(fields, "scheduler", spec, "schedulerName");
  api::array_in(spec, "tasks");
  jobs_[*name] = std::move(job);
  return fields.finish();
}

Result<void> JobDrafts::task(const ScriptLine& line) {
  auto spec = spec_of(line);
  if (!spec) return std::unexpected(spec.error());
  if (line.words.size() < 3 || line.words[2].has_value) {
    return invalid("the task has no name; write: task j1 worker replicas=2");
  }
  LineFields fields(line, 3);
  text::Object task{{"name", line.words[2].text}, {"replicas", fields.number32("replicas", 1)}};
  put_number(fields, "min", task, "minAvailable");
  put_number(fields, "max-retry", task, "maxRetry");
  if (fields.has("depends")) {
    text::Object& depends = api::object_in(task, "dependsOn");
    put_list(fields, "depends", depends, "name");
    put_text(fields, "iteration", depends, "iteration");
  }
  if (fields.has("partitions")) {
    text::Object& partitions = api::object_in(task, "partitionPolicy");
    put_number(fields, "partitions", partitions, "totalPartitions");
    put_number(fields, "partition-size", partitions, "partitionSize");
    put_number(fields, "min-partitions", partitions, "minPartitions");
  }
  text::Object pod{{"restartPolicy", fields.text("restart", "Never")}, {"containers", text::Array{container(fields)}}};
  put_text(fields, "priority", pod, "priorityClassName");
  put_text(fields, "hostname", pod, "hostname");
  text::Object& pod_template = api::object_in(task, "template");
  text::Object metadata;
  put_labels(fields, "labels", metadata, "labels");
  put_labels(fields, "annotations", metadata, "annotations");
  if (!metadata.empty()) pod_template["metadata"] = std::move(metadata);
  pod_template["spec"] = std::move(pod);
  api::array_in(**spec, "tasks").emplace_back(std::move(task));
  return fields.finish();
}

Result<void> JobDrafts::policy(const ScriptLine& line) {
  auto spec = spec_of(line);
  if (!spec) return std::unexpected(spec.error());
  LineFields fields(line, 2);
  text::Object policy;
  const std::vector<std::string> events = fields.list("event");
  if (events.size() == 1) policy["event"] = events[0];
  if (events.size() > 1) put_list(fields, "event", policy, "events");
  put_text(fields, "action", policy, "action");
  put_number(fields, "exit", policy, "exitCode");
  put_text(fields, "timeout", policy, "timeout");
  text::Object* owner = *spec;
  if (fields.has("task")) {
    const std::string task = fields.text("task");
    owner = named(api::array_in(**spec, "tasks"), task);
    if (owner == nullptr) return invalid(fmt::format("no task is called {}; write its line above", task));
  }
  api::array_in(*owner, "policies").emplace_back(std::move(policy));
  return fields.finish();
}

Result<void> JobDrafts::plugin(const ScriptLine& line) {
  auto spec = spec_of(line);
  if (!spec) return std::unexpected(spec.error());
  if (line.words.size() < 3) return invalid("the plugin has no name; write: plugin j1 svc");
  text::Array& arguments = api::array_in(api::object_in(**spec, "plugins"), line.words[2].text);
  for (size_t at = 3; at < line.words.size(); ++at) arguments.emplace_back(line.words[at].text);
  return {};
}

Result<void> JobDrafts::volume(const ScriptLine& line) {
  auto spec = spec_of(line);
  if (!spec) return std::unexpected(spec.error());
  LineFields fields(line, 2);
  text::Object volume{{"mountPath", fields.text("mount", "/data")}};
  put_text(fields, "claim", volume, "volumeClaimName");
  if (fields.has("size")) {
    volume["volumeClaim"] =
        text::Object{{"accessModes", text::Array{"ReadWriteOnce"}},
                     {"resources", text::Object{{"requests", text::Object{{"storage", fields.text("size")}}}}}};
  }
  api::array_in(**spec, "volumes").emplace_back(std::move(volume));
  return fields.finish();
}

}  // namespace basalt::lab
