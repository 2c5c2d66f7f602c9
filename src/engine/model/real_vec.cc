#include "engine/model/real_vec.h"

#include <bit>

namespace basalt::model {

namespace {

// cpu and memory, which exist everywhere.
constexpr size_t kAlways = 2;

}  // namespace

RealVec::RealVec(const Quota& quota) {
  for (size_t i = 0; i < quota.amount.size(); ++i) {
    if (const ResourceId id(i); quota.has(id)) set(id, static_cast<double>(quota[id]));
  }
}

RealVec::RealVec(const ResourceVec& vec) {
  for (size_t i = 0; i < vec.size(); ++i) {
    if (const ResourceId id(i); vec[id] != 0) set(id, static_cast<double>(vec[id]));
  }
}

void RealVec::set(ResourceId id, double value) {
  if (id.index() >= v_.size()) v_.resize(std::max(id.index() + 1, kAlways), 0);
  v_[id.index()] = value;
  given_.set(id.index());
}

void RealVec::add_scaled(const RealVec& other, double factor) {
  if (other.v_.size() > v_.size()) v_.resize(other.v_.size(), 0);
  for (size_t i = 0; i < other.v_.size(); ++i) v_[i] += other.v_[i] * factor;
  given_ |= other.given_;
}

void RealVec::cap_by(const RealVec& limit, Absent absent) {
  for (size_t i = 0; i < v_.size(); ++i) {
    const ResourceId id(i);
    if (!has(id)) continue;
    if (limit.has(id)) {
      v_[i] = std::min(v_[i], limit[id]);
    } else if (absent == Absent::Nothing) {
      v_[i] = 0;
    }
  }
}

void RealVec::raise_to(const RealVec& floor) {
  if (floor.v_.size() > v_.size()) v_.resize(floor.v_.size(), 0);
  for (size_t i = 0; i < floor.v_.size(); ++i) v_[i] = std::max(v_[i], floor.v_[i]);
  given_ |= floor.given_;
}

bool RealVec::is_empty() const {
  for (size_t i = 0; i < v_.size(); ++i) {
    if (v_[i] >= kEps && ResourceId(i) != kPods) return false;
  }
  return true;
}

bool operator==(const RealVec& left, const RealVec& right) {
  const size_t size = std::max(left.size(), right.size());
  for (size_t i = 0; i < size; ++i) {
    const ResourceId id(i);
    if (left.has(id) != right.has(id) || left[id] != right[id]) return false;
  }
  return true;
}

void mix(Fingerprint& print, const RealVec& vec) {
  for (size_t i = 0; i < vec.size(); ++i) {
    if (const double value = vec[ResourceId(i)]; value != 0) print.add(i).add(std::bit_cast<uint64_t>(value));
  }
}

void mix(Fingerprint& print, const ResourceVec& vec) {
  for (size_t i = 0; i < vec.size(); ++i) {
    if (const Amount value = vec[ResourceId(i)]; value != 0) print.add(i).add(static_cast<uint64_t>(value));
  }
}

RealVec exceeded_part(const RealVec& left, const RealVec& right) {
  RealVec rest;
  for (size_t i = 0; i < left.size(); ++i) {
    const ResourceId id(i);
    if (left[id] > right[id]) rest.set(id, left[id] - right[id]);
  }
  return rest;
}

bool has_some_room(DemandSpan request, const ResourceVec& used, const RealVec& limit) {
  return std::any_of(request.begin(), request.end(), [&](const DemandEntry& entry) {
    if (entry.amount <= 0 || entry.id == kPods) return false;
    const auto wanted = static_cast<double>(used[entry.id] + entry.amount);
    const bool relevant = wanted >= kEps || limit[entry.id] >= kEps;
    return relevant && about_less_equal(wanted, limit[entry.id]);
  });
}

bool exceeds_relevant(const ResourceVec& used, const RealVec& limit, DemandSpan request) {
  return std::any_of(request.begin(), request.end(), [&](const DemandEntry& entry) {
    if (entry.amount <= 0 || entry.id == kPods) return false;
    // A limit of 0 cpu or memory is no limit; a listed 0 of anything else is one.
    const bool always = entry.id == kCpu || entry.id == kMemory;
    const bool relevant = always ? limit[entry.id] >= kEps : limit.has(entry.id);
    return relevant && static_cast<double>(used[entry.id]) > limit[entry.id];
  });
}

bool shares_dimension(DemandSpan request, const RealVec& limit) {
  return std::any_of(request.begin(), request.end(),
                     [&](const DemandEntry& entry) { return entry.amount > 0 && limit[entry.id] >= kEps; });
}

bool shares_dimension(DemandSpan left, DemandSpan right) {
  return std::any_of(left.begin(), left.end(), [&](const DemandEntry& entry) {
    if (entry.amount <= 0 || entry.id == kPods) return false;
    return std::any_of(right.begin(), right.end(),
                       [&](const DemandEntry& other) { return other.id == entry.id && other.amount > 0; });
  });
}

}  // namespace basalt::model
