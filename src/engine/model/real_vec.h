// Amounts as real numbers, and which dimensions exist at all.
//
// What is used is counted in integers (resource_vec.h); limits and fair parts (capability, guarantee, deserved) are
// products of weights, so they are doubles. cpu and memory always exist; any other dimension exists once it was set. A
// dimension that does not exist reads as 0; whether it means "nothing" or "unlimited" is said at each question.
//
// Two amounts closer than kEps (0.1 of the dimension's unit) are equal, and less than kEps is nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/fingerprint.h"
#include "engine/model/resource_vec.h"

namespace basalt::model {

inline constexpr double kEps = 0.1;
inline constexpr double kUnlimited = std::numeric_limits<double>::max();

// What a dimension means that the other side does not have.
enum class Absent : uint8_t { Nothing, Unlimited };

class RealVec {
 public:
  RealVec() = default;
  explicit RealVec(const Quota& quota);      // exists where given
  explicit RealVec(const ResourceVec& vec);  // exists where not 0

  [[nodiscard]] double operator[](ResourceId id) const { return id.index() < v_.size() ? v_[id.index()] : 0; }
  [[nodiscard]] bool has(ResourceId id) const { return id == kCpu || id == kMemory || given_.test(id.index()); }
  // Dimensions run below this.
  [[nodiscard]] size_t size() const { return v_.size(); }
  void set(ResourceId id, double value);

  void add(const RealVec& other) { add_scaled(other, 1); }
  void add_scaled(const RealVec& other, double factor);
  // Each existing dimension to at most `limit`; one that `limit` lacks becomes 0 or stays.
  void cap_by(const RealVec& limit, Absent absent);
  // Each dimension of either side to at least `floor`.
  void raise_to(const RealVec& floor);

  // Nothing but pods is there.
  [[nodiscard]] bool is_empty() const;
  // The same dimensions exist with the same values.
  friend bool operator==(const RealVec& left, const RealVec& right);

 private:
  std::vector<double> v_;
  DimSet given_;
};

// How much of `left` is above `right`; only dimensions where there is such a rest exist (beside cpu and memory).
RealVec exceeded_part(const RealVec& left, const RealVec& right);

// Adds the amounts to a fingerprint; zeros do not matter.
void mix(Fingerprint& print, const RealVec& vec);
void mix(Fingerprint& print, const ResourceVec& vec);

// ---- questions --------------------------------------------------------------------------------------------------
// Vectors may be RealVec or ResourceVec. What one side lacks is 0.

inline bool about_less_equal(double left, double right) { return left < right || std::abs(left - right) < kEps; }

// left ≤ right in every dimension, within kEps.
template <class Left, class Right>
bool less_equal(const Left& left, const Right& right) {
  const size_t size = std::max(left.size(), right.size());
  for (size_t i = 0; i < size; ++i) {
    const ResourceId id(i);
    if (!about_less_equal(static_cast<double>(left[id]), static_cast<double>(right[id]))) return false;
  }
  return true;
}

// Room for `request` on top of `used`, on the requested dimensions except pods. Exact, no kEps.
inline bool has_room(DemandSpan request, const ResourceVec& used, const RealVec& limit) {
  for (const auto& [id, amount] : request) {
    if (amount > 0 && id != kPods && static_cast<double>(used[id] + amount) > limit[id]) return false;
  }
  return true;
}

// The same, but one requested dimension with room suffices; one where neither side has anything does not count.
bool has_some_room(DemandSpan request, const ResourceVec& used, const RealVec& limit);

// `used` is above `limit` in a requested dimension, pods aside, that the limit speaks of.
bool exceeds_relevant(const ResourceVec& used, const RealVec& limit, DemandSpan request);

// Some dimension, pods included, is in both.
bool shares_dimension(DemandSpan request, const RealVec& limit);
// Some dimension, pods aside, is in both.
bool shares_dimension(DemandSpan left, DemandSpan right);

}  // namespace basalt::model
