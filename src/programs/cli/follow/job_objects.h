// What there is to see of one job: its objects as the server last told them.
//
// Anything may be missing: a job without a group yet, pods without a job. Objects of others that the watches bring too
// (groups and events of the same namespace) are left out here. Bounded: pods by the job, events by kMaxJobEvents.
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

inline constexpr size_t kMaxJobEvents = 200;  // the latest ones

enum class JobObjectKind : uint8_t { Job, Group, Queue, Pod, Event };

class JobObjects {
 public:
  explicit JobObjects(std::string job_name) : job_name_(std::move(job_name)) {}

  // Requires, for all three: the pointers are objects.
  void put(JobObjectKind part, client::ObjectPtr object);
  void remove(JobObjectKind part, const text::Object& object);
  // All of a part as a list found it: what is not among `objects` is gone.
  void replace(JobObjectKind part, std::span<const client::ObjectPtr> objects);

  // nullptr: there is none (yet).
  [[nodiscard]] const text::Object* job() const { return first(JobObjectKind::Job); }
  [[nodiscard]] const text::Object* group() const { return first(JobObjectKind::Group); }
  [[nodiscard]] const text::Object* queue() const { return first(JobObjectKind::Queue); }
  // By name; worker-2 before worker-10.
  [[nodiscard]] std::vector<const text::Object*> pods() const;
  // About the job, its group or its pods; the oldest first. Cost: O(events · log events).
  [[nodiscard]] std::vector<const text::Object*> events() const;

  [[nodiscard]] std::string_view job_name() const { return job_name_; }
  [[nodiscard]] std::string phase() const;  // of the job; "" when it has none yet

 private:
  using Table = std::map<std::string, client::ObjectPtr, std::less<>>;

  [[nodiscard]] bool belongs(JobObjectKind part, const text::Object& object) const;
  [[nodiscard]] const text::Object* first(JobObjectKind part) const;
  void forget_old_events();

  std::string job_name_;
  std::map<JobObjectKind, Table> tables_;  // by name
};

// When an event happened last.
[[nodiscard]] Instant time_of_event(const text::Object& event);

}  // namespace basalt::cli::follow
