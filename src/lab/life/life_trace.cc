#include "lab/life/life_trace.h"

#include <fmt/format.h>

#include "kube/api/object_fields.h"
#include "kube/api/views/event_view.h"
#include "kube/text/json.h"
#include "kube/text/rfc3339.h"
#include "kube/text/utf8.h"
#include "lab/life/life_kinds.h"

namespace basalt::lab {
namespace {

constexpr size_t kMaxBodyBytes = 160;  // of a patch

std::string_view verb_word(api::Verb verb) {
  switch (verb) {
    case api::Verb::Create:
      return "create";
    case api::Verb::Update:
      return "update";
    case api::Verb::Patch:
      return "patch";
    default:
      return "delete";
  }
}

// What a patch is about, without times and the like that only repeat themselves.
std::string told_patch(const text::Value& body) {
  text::Value shown = body;
  if (text::Object* object = shown.if_object()) {
    if (object->contains("status")) object->erase("metadata");
    text::Object& status = api::object_in(*object, "status");
    status.erase("conditions");
    api::object_in(status, "state").erase("lastTransitionTime");
    if (api::object_in(status, "state").empty()) status.erase("state");
    if (status.empty()) object->erase("status");
  }
  std::string text = text::to_json(shown);
  if (text.size() <= kMaxBodyBytes) return text;
  size_t end = kMaxBodyBytes;
  while (end > 0 && !text::begins_character(text[end])) --end;  // between two characters
  return text.substr(0, end) + "…";
}

}  // namespace

std::string trace_line(const lab::scenario::Script& script, size_t number, Instant now) {
  return fmt::format("{:3}  {}   (at {})\n", number, script.text[number - 1], text::format_time(now));
}

std::string trace_write(const api::Call& call) {
  const LifeKind* kind = life_kind_of(call.resource);
  const text::Object* body = call.body.if_object();
  if (call.resource.plural == "events") {
    if (body == nullptr || call.verb != api::Verb::Create) return "";
    return fmt::format("       event {} {}: {}\n", api::EventView(*body).involved_object().name(),
                       api::EventView(*body).reason(), api::EventView(*body).message());
  }
  const std::string_view name = call.name.empty() && body != nullptr ? api::name_of(*body) : call.name;
  std::string line = fmt::format("       {} {} {}", verb_word(call.verb),
                                 kind == nullptr ? std::string_view(call.resource.plural) : kind->word, name);
  if (!call.subresource.empty()) line += " " + call.subresource;
  if (call.verb == api::Verb::Patch) line += " " + told_patch(call.body);
  return line + "\n";
}

}  // namespace basalt::lab
