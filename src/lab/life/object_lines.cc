// Lines that make, change and remove objects.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/text/yaml.h"
#include "lab/life/life_interpreter.h"
#include "lab/scenario/line_fields.h"
#include "lab/scenario/scenario_cluster.h"

namespace basalt::lab {
namespace {

using lab::scenario::LineFields;
using lab::scenario::subject;

text::Object head(std::string_view kind_word, const std::string& text) {
  const LifeKind& kind = **life_kind(kind_word);
  const auto [ns, name] = life_name(kind, text);
  text::Object object{{"apiVersion", kind.api_version()}, {"kind", kind.kind}};
  text::Object& metadata = api::metadata_of(object);
  metadata["name"] = name;
  if (kind.namespaced) metadata["namespace"] = ns;
  return object;
}

// "cpu=4,memory=8Gi" as a list of quantities.
void put_amounts(LineFields& fields, std::string_view key, text::Object& into, std::string_view member) {
  if (!fields.has(key)) return;
  for (const auto& [name, amount] : fields.labels(key)) api::object_in(into, member)[name] = amount;
}

// "a.b.c" = value as {"a":{"b":{"c":value}}}, merged into `patch`.
void put_path(text::Object& patch, std::string_view path, text::Value value) {
  text::Object* at = &patch;
  for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    at = &api::object_in(*at, path.substr(0, dot));
    path.remove_prefix(dot + 1);
  }
  (*at)[path] = std::move(value);
}

}  // namespace

Result<void> LifeInterpreter::add_queue(const ScriptLine& line) {
  const auto name = subject(line, "queue q1 weight=2");
  if (!name) return std::unexpected(name.error());
  LineFields fields(line, 2);
  text::Object queue = head("queue", *name);
  text::Object& spec = api::object_in(queue, "spec");
  spec["weight"] = fields.number32("weight", 1);
  if (fields.has("parent")) spec["parent"] = fields.text("parent");
  if (fields.has("reclaimable")) spec["reclaimable"] = fields.boolean("reclaimable", true);
  if (fields.has("priority")) spec["priority"] = fields.number32("priority", 0);
  put_amounts(fields, "capability", spec, "capability");
  put_amounts(fields, "deserved", spec, "deserved");
  if (fields.has("guarantee")) put_amounts(fields, "guarantee", api::object_in(spec, "guarantee"), "resource");
  if (fields.has("extend-cluster")) {
    api::array_in(spec, "extendClusters").emplace_back(text::Object{{"name", fields.text("extend-cluster")}});
  }
  if (auto done = fields.finish(); !done) return done;
  return create(**life_kind("queue"), std::move(queue));
}

Result<void> LifeInterpreter::add_namespace(const ScriptLine& line) {
  const auto name = subject(line, "namespace team");
  if (!name) return std::unexpected(name.error());
  return create(**life_kind("namespace"), head("namespace", *name));
}

Result<void> LifeInterpreter::add_priority_class(const ScriptLine& line) {
  const auto name = subject(line, "priorityclass high 1000");
  if (!name) return std::unexpected(name.error());
  text::Object object = head("priorityclass", *name);
  const text::Value value = line.words.size() == 3 ? text::plain_scalar(line.words[2].text) : text::Value();
  if (!value.is_int64()) return invalid("the class has no value; write: priorityclass high 1000");
  object["value"] = value;
  return create(**life_kind("priorityclass"), std::move(object));
}

Result<void> LifeInterpreter::submit(const ScriptLine& line) {
  const auto name = subject(line, "submit j1");
  if (!name) return std::unexpected(name.error());
  for (const std::string& one : bare_words(line, 1)) {
    const auto draft = drafts_.find(one);
    if (!draft) return std::unexpected(draft.error());
    if (auto done = create(**life_kind("job"), **draft); !done) return done;
  }
  return {};
}

Result<void> LifeInterpreter::add_cron(const ScriptLine& line) {
  const auto name = subject(line, "cron nightly job=j1 schedule=\"0 3 * * *\"");
  if (!name) return std::unexpected(name.error());
  LineFields fields(line, 2);
  const auto draft = drafts_.find(fields.text("job"));
  if (!draft) return std::unexpected(draft.error());
  text::Object cron = head("cronjob", *name);
  text::Object& spec = api::object_in(cron, "spec");
  spec["schedule"] = fields.text("schedule");
  if (fields.has("zone")) spec["timeZone"] = fields.text("zone");
  if (fields.has("concurrency")) spec["concurrencyPolicy"] = fields.text("concurrency");
  if (fields.has("deadline")) spec["startingDeadlineSeconds"] = fields.number32("deadline", 0);
  if (fields.has("successes")) spec["successfulJobsHistoryLimit"] = fields.number32("successes", 0);
  if (fields.has("failures")) spec["failedJobsHistoryLimit"] = fields.number32("failures", 0);
  if (fields.has("suspend")) spec["suspend"] = fields.boolean("suspend", false);
  api::object_in(spec, "jobTemplate")["spec"] = *api::VolcanoJobView(**draft).spec().json();
  if (auto done = fields.finish(); !done) return done;
  return create(**life_kind("cronjob"), std::move(cron));
}

Result<void> LifeInterpreter::add_template(const ScriptLine& line) {
  const auto name = subject(line, "template j1");
  if (!name) return std::unexpected(name.error());
  const auto draft = drafts_.find(*name);
  if (!draft) return std::unexpected(draft.error());
  text::Object object = head("jobtemplate", *name);
  object["spec"] = *api::VolcanoJobView(**draft).spec().json();
  return create(**life_kind("jobtemplate"), std::move(object));
}

Result<void> LifeInterpreter::apply_text(const ScriptLine& line) {
  if (!line.has_text) return invalid("no object; write \"apply <<END\", YAML below it, and a line END");
  const auto documents = text::parse_documents(line.text);
  if (!documents) return std::unexpected(documents.error());
  for (const text::Document& document : *documents) {
    if (!document.value.is_object()) return invalid("a document is no object; write apiVersion, kind, metadata …");
    text::Object object = document.value.get_object();
    const auto kind = life_kind_of(api::ObjectView(object).api_version(), api::ObjectView(object).kind());
    if (!kind) return std::unexpected(kind.error());
    const std::string ns(api::namespace_of(object).empty() ? kLifeNamespace : api::namespace_of(object));
    const std::string name(api::name_of(object));
    if (cluster_.get((*kind)->resource(), (*kind)->namespaced ? ns : "", name) == nullptr) {
      if (auto done = create(**kind, std::move(object)); !done) return done;
      continue;
    }
    api::Call call{.verb = api::Verb::Patch, .resource = (*kind)->resource()};
    if ((*kind)->namespaced) call.namespace_name = ns;
    call.name = name;
    call.body = std::move(object);
    call.patch = api::PatchType::Apply;
    call.force = true;
    call.field_manager = "scenario";
    if (auto done = ask(std::move(call)); !done) return done;
  }
  return {};
}

Result<void> LifeInterpreter::edit(const ScriptLine& line) {
  constexpr std::string_view kExample = "edit job j1 spec.minAvailable=1";
  if (line.words.size() < 3) return invalid(fmt::format("nothing to edit; write: {}", kExample));
  const auto kind = life_kind(line.words[1].text);
  if (!kind) return std::unexpected(kind.error());
  const client::ObjectPtr seen = object(**kind, line.words[2].text);
  if (seen == nullptr) return invalid(fmt::format("there is no {} {}", (*kind)->word, line.words[2].text));
  text::Object patch;
  for (size_t at = 3; at < line.words.size(); ++at) {
    const lab::scenario::ScriptWord& word = line.words[at];
    if (!word.has_value) return invalid(fmt::format("\"{}\" is no path=value; write: {}", word.text, kExample));
    put_path(patch, word.key, word.quoted ? text::Value(word.value) : text::plain_scalar(word.value));
  }
  if (line.has_text) {
    const auto document = text::parse_yaml(line.text);
    if (!document) return std::unexpected(document.error());
    if (!document->value.is_object()) return invalid("the text below is no object; write members");
    patch = document->value.get_object();
  }
  api::Call call{.verb = api::Verb::Patch, .resource = (*kind)->resource()};
  call.namespace_name = api::namespace_of(seen->get_object());
  call.name = api::name_of(seen->get_object());
  call.body = std::move(patch);
  return ask(std::move(call));
}

Result<void> LifeInterpreter::scale(const ScriptLine& line) {
  constexpr std::string_view kExample = "scale j1 worker 5";
  if (line.words.size() < 4) return invalid(fmt::format("what to scale, and to how many? write: {}", kExample));
  const LifeKind& kind = **life_kind("job");
  const client::ObjectPtr job = object(kind, line.words[1].text);
  if (job == nullptr) return invalid(fmt::format("there is no job {}", line.words[1].text));
  const text::Value replicas = text::plain_scalar(line.words[3].text);
  if (!replicas.is_int64()) return invalid(fmt::format("\"{}\" is no number; write: {}", line.words[3].text, kExample));
  LineFields fields(line, 4);
  text::Object spec = *api::VolcanoJobView(job->get_object()).spec().json();
  bool found = false;
  for (text::Value& task : api::array_in(spec, "tasks")) {
    text::Object& one = task.get_object();
    if (api::TaskSpecView(one).name() != line.words[2].text) continue;
    found = true;
    one["replicas"] = replicas;
    one["minAvailable"] = fields.number32(
        "task-min",
        static_cast<int32_t>(std::min(api::TaskSpecView(one).min_available().value_or(0), replicas.get_int64())));
  }
  if (!found) return invalid(fmt::format("job {} has no task {}", line.words[1].text, line.words[2].text));
  if (fields.has("min")) spec["minAvailable"] = fields.number32("min", 0);
  if (auto done = fields.finish(); !done) return done;
  api::Call call{.verb = api::Verb::Patch, .resource = kind.resource()};
  call.namespace_name = api::namespace_of(job->get_object());
  call.name = api::name_of(job->get_object());
  call.body = text::Object{{"spec", std::move(spec)}};
  return ask(std::move(call));
}

Result<void> LifeInterpreter::remove(const ScriptLine& line) {
  if (line.words.size() < 3) return invalid("what to delete? write: delete job j1");
  const auto kind = life_kind(line.words[1].text);
  if (!kind) return std::unexpected(kind.error());
  for (const std::string& one : bare_words(line, 2)) {
    const client::ObjectPtr seen = object(**kind, one);
    if (seen == nullptr) return invalid(fmt::format("there is no {} {}", (*kind)->word, one));
    api::Call call{.verb = api::Verb::Delete, .resource = (*kind)->resource()};
    call.namespace_name = api::namespace_of(seen->get_object());
    call.name = api::name_of(seen->get_object());
    if (auto done = ask(std::move(call)); !done) return done;
  }
  return {};
}

Result<void> LifeInterpreter::command(const ScriptLine& line) {
  const bool of_queue = line.words.size() == 4 && line.words[1].text == "queue";
  if (!of_queue && line.words.size() != 3) {
    return invalid("whom to command what? write: command j1 AbortJob, or: command queue q1 CloseQueue");
  }
  const LifeKind& kind = **life_kind(of_queue ? "queue" : "job");
  const std::string& target = line.words[of_queue ? 2 : 1].text;
  const client::ObjectPtr seen = object(kind, target);
  if (seen == nullptr) return invalid(fmt::format("there is no {} {}", kind.word, target));
  const text::Object& root = seen->get_object();
  const text::Object owner{{"apiVersion", kind.api_version()},
                           {"kind", kind.kind},
                           {"name", api::name_of(root)},
                           {"uid", api::ObjectView(root).metadata().uid()},
                           {"controller", true}};
  text::Object command = head("command", "command");
  text::Object& metadata = api::metadata_of(command);
  metadata.erase("name");
  metadata["generateName"] = fmt::format("{}-", api::name_of(root));
  metadata["namespace"] = kind.namespaced ? api::namespace_of(root) : kLifeNamespace;
  api::array_in(metadata, "ownerReferences").emplace_back(owner);
  command["target"] = owner;
  command["action"] = line.words.back().text;
  return create(**life_kind("command"), std::move(command));
}

}  // namespace basalt::lab
