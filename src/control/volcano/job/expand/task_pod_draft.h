// A pod that stands for all pods of a task: what they share is written once, what differs from pod to pod is a slot.
//
// Every difference between the pods of a task is a text with the pod's index in it, so a slot is a place and such a
// text; make() copies the shared pod and fills the slots. Plugins work on the draft, once per task, never on a pod.
//
// 1. A slot stays valid because containers, variables and volumes are only ever appended.
// 2. A place that gets a slot or a fixed text loses the slot it had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube/text/json.h"

namespace basalt::volcano {

// `before`, then index / divisor + add, then `after`.
struct IndexText {
  std::string before, after;
  int64_t divisor = 1;  // >= 1
  int64_t add = 0;

  [[nodiscard]] std::string at(int64_t index) const;
  friend bool operator==(const IndexText&, const IndexText&) = default;
};

enum class ContainerList : uint8_t { Main, Init };
inline constexpr ContainerList kBothContainerLists[] = {ContainerList::Main, ContainerList::Init};

class TaskPodDraft {
 public:
  // `pod` is a whole Pod, as far as it is the same for all.
  explicit TaskPodDraft(text::Object pod);

  // The shared pod. Slots are empty texts in it. ObjectChange it as you like, but only append to lists.
  [[nodiscard]] text::Object& pod() { return pod_; }
  [[nodiscard]] const text::Object& pod() const { return pod_; }
  [[nodiscard]] text::Object& spec();
  // The containers of a list; nullptr when the pod has no such list.
  [[nodiscard]] text::Array* containers(ContainerList which);

  void set_name(IndexText text);
  void set_hostname(IndexText text);  // spec.hostname
  void set_label(std::string_view key, IndexText text);
  void set_annotation(std::string_view key, IndexText text);
  void set_label(std::string_view key, std::string_view text);
  void set_annotation(std::string_view key, std::string_view text);

  // Appends a variable to every container of the list.
  void add_env(ContainerList which, std::string_view name, const IndexText& text);
  void add_env(ContainerList which, std::string_view name, std::string_view text);
  void add_env(ContainerList which, const text::Object& variable);  // {"name", "value" or "valueFrom"}

  void add_volume(text::Object volume);
  // Appends a mount to every container of the list.
  void add_mount(ContainerList which, const text::Object& mount);

  // The text of the first variable called `name` of the first main container that has one: fixed or per index.
  // An empty string when there is none, or when it has no plain value.
  [[nodiscard]] std::variant<std::string, IndexText> env_text(std::string_view name) const;

  // Cost: one copy of the pod and one small text per slot.
  [[nodiscard]] text::Object make(int64_t index) const;

 private:
  enum class Place : uint8_t { Name, Hostname, Label, Annotation, Env };
  struct Slot {
    Place place = Place::Name;
    ContainerList list = ContainerList::Main;
    size_t container = 0, variable = 0;  // Env
    std::string key;                     // Label, Annotation
    IndexText text;
  };

  void drop_slot(Place place, std::string_view key);
  text::Object& metadata_map(std::string_view key);
  [[nodiscard]] static text::Value& place_of(text::Object& pod, const Slot& slot);

  text::Object pod_;
  std::vector<Slot> slots_;
};

// Adds {name, containerPort} unless the container has that number; a port is cut to 32 bits, as Volcano does.
void open_port(text::Object& container, std::string_view name, int64_t port);

}  // namespace basalt::volcano
