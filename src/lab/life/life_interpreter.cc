#include "lab/life/life_interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/volcano_keys.h"
#include "lab/life/in_memory_backend.h"

namespace basalt::lab {
namespace {

// "j-worker-10" after "j-worker-9".
bool comes_before(const client::ObjectPtr& left, const client::ObjectPtr& right) {
  const auto parts = [](const client::ObjectPtr& pod) {
    const std::string_view name = api::name_of(pod->get_object());
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    return std::tuple(name.substr(0, digits), name.size(), name);
  };
  return parts(left) < parts(right);
}

}  // namespace

std::vector<std::string> bare_words(const lab::scenario::ScriptLine& line, size_t first) {
  std::vector<std::string> words;
  for (size_t at = first; at < line.words.size(); ++at) {
    if (!line.words[at].has_value) words.push_back(line.words[at].text);
  }
  return words;
}

LifeInterpreter::LifeInterpreter() : LifeInterpreter(std::make_unique<InMemoryBackend>()) {}

LifeInterpreter::LifeInterpreter(std::unique_ptr<LifeBackend> backend) : cluster_(std::move(backend)) {
  check(cluster_.settle().has_value(), "an empty cluster comes to rest");
}

const std::vector<LifeInterpreter::Verb>& LifeInterpreter::verbs() {
  static const std::vector<Verb> kVerbs = {
      {"queue", &LifeInterpreter::add_queue},
      {"namespace", &LifeInterpreter::add_namespace},
      {"priorityclass", &LifeInterpreter::add_priority_class},
      {"submit", &LifeInterpreter::submit},
      {"cron", &LifeInterpreter::add_cron},
      {"template", &LifeInterpreter::add_template},
      {"apply", &LifeInterpreter::apply_text},
      {"edit", &LifeInterpreter::edit},
      {"scale", &LifeInterpreter::scale},
      {"delete", &LifeInterpreter::remove},
      {"command", &LifeInterpreter::command},
      {"pod", &LifeInterpreter::pod},
      {"pods", &LifeInterpreter::pods},
      {"evict", &LifeInterpreter::evict},
      {"group", &LifeInterpreter::group},
      {"hold", &LifeInterpreter::hold},
      {"admit", &LifeInterpreter::admit},
      {"after", &LifeInterpreter::after},
      {"crash", &LifeInterpreter::crash},
      {"slow-deletion", &LifeInterpreter::slow_deletion},
      {"vanish", &LifeInterpreter::vanish},
  };
  return kVerbs;
}

Result<void> LifeInterpreter::apply(const ScriptLine& line) {
  const std::string& word = line.words[0].text;
  if (auto drafted = drafts_.take(line); !drafted || *drafted) {
    return drafted ? Result<void>() : std::unexpected(drafted.error());
  }
  for (const Verb& verb : verbs()) {
    if (verb.name != word) continue;
    refusal_.clear();
    writes_before_ = cluster_.controller_client().writes();
    if (auto done = (this->*verb.run)(line); !done) return done;
    return cluster_.settle();
  }
  std::string known = "job task policy plugin volume";
  for (const Verb& verb : verbs()) fmt::format_to(std::back_inserter(known), " {}", verb.name);
  return invalid(fmt::format("\"{}\" is no statement; there are: {} expect", word, known));
}

Result<void> LifeInterpreter::ask(api::Call call) {
  if (auto outcome = cluster_.user().call(std::move(call)); !outcome) refusal_ = outcome.error().message;
  return {};
}

Result<void> LifeInterpreter::create(const LifeKind& kind, text::Object object) {
  api::Call call{.verb = api::Verb::Create, .resource = kind.resource()};
  if (kind.namespaced) {
    call.namespace_name = api::namespace_of(object);
    if (call.namespace_name.empty()) call.namespace_name = kLifeNamespace;
  }
  call.body = std::move(object);
  call.field_validation = api::FieldValidation::Strict;
  return ask(std::move(call));
}

client::ObjectPtr LifeInterpreter::object(const LifeKind& kind, std::string_view text) {
  const auto [ns, name] = life_name(kind, text);
  if (kind.word != kGroupWord) return cluster_.get(kind.resource(), ns, name);
  for (const client::ObjectPtr& group : cluster_.list(kind.resource(), ns)) {
    const api::ListView<api::OwnerReferenceView> owners = api::ObjectView(*group).metadata().owner_references();
    if (!owners.empty() && owners[0].name() == name) return group;
  }
  return nullptr;
}

std::vector<client::ObjectPtr> LifeInterpreter::pods_of(std::string_view job, std::string_view task) {
  const LifeKind& kind = **life_kind("pod");
  const auto [ns, name] = life_name(kind, job);
  std::vector<client::ObjectPtr> pods;
  for (client::ObjectPtr& pod : cluster_.list(kind.resource(), ns)) {
    const text::Object& root = pod->get_object();
    if (api::ObjectView(root).metadata().labels()[api::keys::kJobName] != name) continue;
    if (task != "*" && api::ObjectView(root).metadata().labels()[api::keys::kTaskSpec] != task) continue;
    pods.push_back(std::move(pod));
  }
  std::ranges::sort(pods, comes_before);
  return pods;
}

}  // namespace basalt::lab
