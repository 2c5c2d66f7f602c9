#include "lab/life/life_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "kube/api/object_fields.h"
#include "kube/api/volcano_keys.h"
#include "lab/life/memory_ground.h"

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

std::vector<std::string> bare_words(const lab::scenario::Line& line, size_t first) {
  std::vector<std::string> words;
  for (size_t at = first; at < line.words.size(); ++at) {
    if (!line.words[at].has_value) words.push_back(line.words[at].text);
  }
  return words;
}

LifeStage::LifeStage() : LifeStage(std::make_unique<MemoryGround>()) {}

LifeStage::LifeStage(std::unique_ptr<LifeGround> ground) : world_(std::move(ground)) {
  check(world_.settle().has_value(), "an empty cluster comes to rest");
}

const std::vector<LifeStage::Verb>& LifeStage::verbs() {
  static const std::vector<Verb> kVerbs = {
      {"queue", &LifeStage::add_queue},
      {"namespace", &LifeStage::add_namespace},
      {"priorityclass", &LifeStage::add_priority_class},
      {"submit", &LifeStage::submit},
      {"cron", &LifeStage::add_cron},
      {"template", &LifeStage::add_template},
      {"apply", &LifeStage::apply_text},
      {"edit", &LifeStage::edit},
      {"scale", &LifeStage::scale},
      {"delete", &LifeStage::remove},
      {"command", &LifeStage::command},
      {"pod", &LifeStage::pod},
      {"pods", &LifeStage::pods},
      {"evict", &LifeStage::evict},
      {"group", &LifeStage::group},
      {"hold", &LifeStage::hold},
      {"admit", &LifeStage::admit},
      {"after", &LifeStage::after},
      {"crash", &LifeStage::crash},
      {"slow-deletion", &LifeStage::slow_deletion},
      {"vanish", &LifeStage::vanish},
  };
  return kVerbs;
}

Result<void> LifeStage::apply(const Line& line) {
  const std::string& word = line.words[0].text;
  if (auto drafted = drafts_.take(line); !drafted || *drafted) {
    return drafted ? Result<void>() : std::unexpected(drafted.error());
  }
  for (const Verb& verb : verbs()) {
    if (verb.name != word) continue;
    refusal_.clear();
    writes_before_ = world_.controller_client().writes();
    if (auto done = (this->*verb.run)(line); !done) return done;
    return world_.settle();
  }
  std::string known = "job task policy plugin volume";
  for (const Verb& verb : verbs()) fmt::format_to(std::back_inserter(known), " {}", verb.name);
  return invalid(fmt::format("\"{}\" is no statement; there are: {} expect", word, known));
}

Result<void> LifeStage::ask(api::Call call) {
  if (auto outcome = world_.user().call(std::move(call)); !outcome) refusal_ = outcome.error().message;
  return {};
}

Result<void> LifeStage::create(const LifeKind& kind, text::Object object) {
  api::Call call{.verb = api::Verb::Create, .resource = kind.resource()};
  if (kind.namespaced) {
    call.namespace_name = api::namespace_of(object);
    if (call.namespace_name.empty()) call.namespace_name = kLifeSpace;
  }
  call.body = std::move(object);
  call.field_validation = api::FieldValidation::Strict;
  return ask(std::move(call));
}

client::ObjectPtr LifeStage::object(const LifeKind& kind, std::string_view text) {
  const auto [space, name] = life_name(kind, text);
  if (kind.word != kGroupWord) return world_.get(kind.resource(), space, name);
  for (const client::ObjectPtr& group : world_.list(kind.resource(), space)) {
    const text::Array* owners = api::array_at(group->get_object(), {"metadata", "ownerReferences"});
    if (owners != nullptr && !owners->empty() && api::string_at(owners->at(0).get_object(), "name") == name) {
      return group;
    }
  }
  return nullptr;
}

std::vector<client::ObjectPtr> LifeStage::pods_of(std::string_view job, std::string_view task) {
  const LifeKind& kind = **life_kind("pod");
  const auto [space, name] = life_name(kind, job);
  std::vector<client::ObjectPtr> pods;
  for (client::ObjectPtr& pod : world_.list(kind.resource(), space)) {
    const text::Object& root = pod->get_object();
    if (api::string_at(root, {"metadata", "labels", api::keys::kJobName}) != name) continue;
    if (task != "*" && api::string_at(root, {"metadata", "labels", api::keys::kTaskSpec}) != task) continue;
    pods.push_back(std::move(pod));
  }
  std::ranges::sort(pods, comes_before);
  return pods;
}

}  // namespace basalt::lab
