#include "control/volcano/job/expand/task_pod_draft.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/container_view.h"
#include "kube/api/views/pod_view.h"

namespace basalt::volcano {
namespace {

std::string_view list_name(ContainerList which) {
  return which == ContainerList::Main ? std::string_view("containers") : std::string_view("initContainers");
}

}  // namespace

std::string IndexText::at(int64_t index) const {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), index / divisor + add).ptr;
  std::string out;
  out.reserve(before.size() + after.size() + digits.size());
  out.append(before).append(digits.data(), end).append(after);
  return out;
}

TaskPodDraft::TaskPodDraft(text::Object pod) : pod_(std::move(pod)) {}

text::Object& TaskPodDraft::spec() { return api::object_in(pod_, "spec"); }

text::Array* TaskPodDraft::containers(ContainerList which) { return api::rules::array_at(spec(), list_name(which)); }

void TaskPodDraft::drop_slot(Place place, std::string_view key) {
  std::erase_if(slots_, [&](const Slot& slot) { return slot.place == place && slot.key == key; });
}

text::Object& TaskPodDraft::metadata_map(std::string_view key) { return api::object_in(api::metadata_of(pod_), key); }

void TaskPodDraft::set_name(IndexText text) {
  drop_slot(Place::Name, {});
  api::metadata_of(pod_)["name"] = "";
  slots_.push_back({.place = Place::Name, .text = std::move(text)});
}

void TaskPodDraft::set_hostname(IndexText text) {
  drop_slot(Place::Hostname, {});
  spec()["hostname"] = "";
  slots_.push_back({.place = Place::Hostname, .text = std::move(text)});
}

void TaskPodDraft::set_label(std::string_view key, IndexText text) {
  set_label(key, std::string_view());
  slots_.push_back({.place = Place::Label, .key = std::string(key), .text = std::move(text)});
}

void TaskPodDraft::set_annotation(std::string_view key, IndexText text) {
  set_annotation(key, std::string_view());
  slots_.push_back({.place = Place::Annotation, .key = std::string(key), .text = std::move(text)});
}

void TaskPodDraft::set_label(std::string_view key, std::string_view text) {
  drop_slot(Place::Label, key);
  metadata_map("labels")[key] = text;
}

void TaskPodDraft::set_annotation(std::string_view key, std::string_view text) {
  drop_slot(Place::Annotation, key);
  metadata_map("annotations")[key] = text;
}

void TaskPodDraft::add_env(ContainerList which, std::string_view name, const IndexText& text) {
  text::Array* list = containers(which);
  if (list == nullptr) return;
  for (size_t i = 0; i < list->size(); ++i) {
    text::Object* container = (*list)[i].if_object();
    if (container == nullptr) continue;
    text::Array& env = api::array_in(*container, "env");
    slots_.push_back(
        {.place = Place::Env, .list = which, .container = i, .variable = env.size(), .key = {}, .text = text});
    env.push_back(text::Object{{"name", name}, {"value", ""}});
  }
}

void TaskPodDraft::add_env(ContainerList which, std::string_view name, std::string_view text) {
  add_env(which, text::Object{{"name", name}, {"value", text}});
}

void TaskPodDraft::add_env(ContainerList which, const text::Object& variable) {
  api::rules::each_object(spec(), list_name(which), [&](text::Object& container, size_t) {
    api::array_in(container, "env").push_back(variable);
  });
}

void TaskPodDraft::add_volume(text::Object volume) { api::array_in(spec(), "volumes").push_back(std::move(volume)); }

void TaskPodDraft::add_mount(ContainerList which, const text::Object& mount) {
  api::rules::each_object(spec(), list_name(which), [&](text::Object& container, size_t) {
    api::array_in(container, "volumeMounts").push_back(mount);
  });
}

std::variant<std::string, IndexText> TaskPodDraft::env_text(std::string_view name) const {
  const api::ListView<api::ContainerView> list = api::PodView(pod_).spec().containers();
  for (size_t i = 0; i < list.size(); ++i) {
    const api::ListView<api::EnvVarView> env = list[i].env();
    for (size_t k = 0; k < env.size(); ++k) {
      const api::EnvVarView variable = env[k];
      if (!variable || variable.name() != name) continue;
      const auto slot = std::ranges::find_if(slots_, [&](const Slot& one) {
        return one.place == Place::Env && one.list == ContainerList::Main && one.container == i && one.variable == k;
      });
      if (slot != slots_.end()) return slot->text;
      return std::string(variable.value());
    }
  }
  return std::string();
}

text::Value& TaskPodDraft::place_of(text::Object& pod, const Slot& slot) {
  switch (slot.place) {
    case Place::Name:
      return pod["metadata"].get_object()["name"];
    case Place::Hostname:
      return pod["spec"].get_object()["hostname"];
    case Place::Label:
      return pod["metadata"].get_object()["labels"].get_object()[slot.key];
    case Place::Annotation:
      return pod["metadata"].get_object()["annotations"].get_object()[slot.key];
    case Place::Env:
      break;
  }
  text::Array& list = pod["spec"].get_object()[list_name(slot.list)].get_array();
  return list[slot.container].get_object()["env"].get_array()[slot.variable].get_object()["value"];
}

text::Object TaskPodDraft::make(int64_t index) const {
  text::Object pod = pod_;
  for (const Slot& slot : slots_) place_of(pod, slot) = slot.text.at(index);
  return pod;
}

void open_port(text::Object& container, std::string_view name, int64_t port) {
  const int64_t number = static_cast<int32_t>(port);
  bool open = false;
  api::rules::each_object(container, "ports", [&](const text::Object& one, size_t) {
    open = open || api::ContainerPortView(one).container_port() == number;
  });
  if (open) return;
  api::array_in(container, "ports").push_back(text::Object{{"name", name}, {"containerPort", number}});
}

}  // namespace basalt::volcano
