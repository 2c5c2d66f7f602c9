// What there is to see of one job: its objects as the server last told them.
//
// Anything may be missing: a job without a group yet, pods without a job. Objects of others that the watches bring too
// (groups and events of the same namespace) are left out here. Bounded: pods by the job, events by kMaxSceneEvents.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "kube/client/object_client.h"

namespace basalt::cli::follow {

inline constexpr size_t kMaxSceneEvents = 200;  // the latest ones

enum class Part : uint8_t { Job, Group, Queue, Pod, Event };

class Scene {
 public:
  explicit Scene(std::string job_name) : job_name_(std::move(job_name)) {}

  // Requires, for all three: the pointers are objects.
  void put(Part part, client::ObjectPtr object);
  void remove(Part part, const text::Object& object);
  // All of a part as a list found it: what is not among `objects` is gone.
  void replace(Part part, std::span<const client::ObjectPtr> objects);

  // nullptr: there is none (yet).
  [[nodiscard]] const text::Object* job() const { return first(Part::Job); }
  [[nodiscard]] const text::Object* group() const { return first(Part::Group); }
  [[nodiscard]] const text::Object* queue() const { return first(Part::Queue); }
  // By name; worker-2 before worker-10.
  [[nodiscard]] std::vector<const text::Object*> pods() const;
  // About the job, its group or its pods; the oldest first. Cost: O(events · log events).
  [[nodiscard]] std::vector<const text::Object*> events() const;

  [[nodiscard]] std::string_view job_name() const { return job_name_; }
  [[nodiscard]] std::string phase() const;  // of the job; "" when it has none yet

 private:
  using Table = std::map<std::string, client::ObjectPtr, std::less<>>;

  [[nodiscard]] bool belongs(Part part, const text::Object& object) const;
  [[nodiscard]] const text::Object* first(Part part) const;
  void forget_old_events();

  std::string job_name_;
  std::map<Part, Table> tables_;  // by name
};

// When an event happened last.
[[nodiscard]] Instant time_of_event(const text::Object& event);

}  // namespace basalt::cli::follow
