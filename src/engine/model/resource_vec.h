// Amounts of resources, as integers.
//
// Units at rest (resource_units.h): cpu in millicores, memory and storage in bytes, pods whole, the rest in
// thousandths. A ResourceSchema names the dimensions; cpu, memory and pods are always the first three.
//
// ResourceVec   dense amounts; dimensions beyond its length are 0. For jobs, queues, totals.
// Demand        only the non-zero dimensions, sorted by id. For requests: the hot loops walk these 2–4 entries.
// Quota         a ResourceVec that knows which dimensions were given at all ("not given" means unlimited or nothing,
//               the caller decides). For minResources, capability, guarantee, deserved.
// ResourceMatrix one row per node, contiguous.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/model/ids.h"

namespace basalt::model {

using Amount = int64_t;

inline constexpr ResourceId kCpu{uint32_t{0}};
inline constexpr ResourceId kMemory{uint32_t{1}};
inline constexpr ResourceId kPods{uint32_t{2}};
inline constexpr size_t kMaxResources = 128;  // distinct resource names in one cluster

class ResourceSchema {
 public:
  explicit ResourceSchema(StringPool& names);
  // The dimension called `name`, new or known; ResourceId() when kMaxResources are taken.
  ResourceId intern(std::string_view name);
  [[nodiscard]] ResourceId find(std::string_view name) const;
  [[nodiscard]] std::string_view name(ResourceId id) const { return names_->text(dims_[id.index()]); }
  [[nodiscard]] size_t size() const { return dims_.size(); }

 private:
  StringPool* names_;
  std::vector<NameId> dims_;
};

struct DemandEntry {
  ResourceId id;
  Amount amount = 0;
  friend bool operator==(const DemandEntry&, const DemandEntry&) = default;
};
using Demand = std::vector<DemandEntry>;
using DemandSpan = std::span<const DemandEntry>;

class ResourceVec {
 public:
  ResourceVec() = default;
  [[nodiscard]] Amount operator[](ResourceId id) const { return id.index() < v_.size() ? v_[id.index()] : 0; }
  // A writable cell; grows the vector.
  Amount& at(ResourceId id) {
    if (id.index() >= v_.size()) v_.resize(id.index() + 1, 0);
    return v_[id.index()];
  }
  [[nodiscard]] size_t size() const { return v_.size(); }
  [[nodiscard]] std::span<const Amount> cells() const { return v_; }

  void add(DemandSpan demand) {
    for (const auto& [id, amount] : demand) at(id) += amount;
  }
  void sub(DemandSpan demand) {
    for (const auto& [id, amount] : demand) at(id) -= amount;
  }
  void add(const ResourceVec& other);
  void sub(const ResourceVec& other);
  // No dimension but pods holds anything.
  [[nodiscard]] bool is_empty() const;
  // Equal as amounts: trailing zeros do not matter.
  friend bool operator==(const ResourceVec& left, const ResourceVec& right);

 private:
  std::vector<Amount> v_;
};

using DimSet = std::bitset<kMaxResources>;

struct Quota {
  ResourceVec amount;
  DimSet given;

  void set(ResourceId id, Amount value) {
    amount.at(id) = value;
    given.set(id.index());
  }
  [[nodiscard]] bool has(ResourceId id) const { return given.test(id.index()); }
  [[nodiscard]] Amount operator[](ResourceId id) const { return amount[id]; }
  friend bool operator==(const Quota&, const Quota&) = default;
};

// Rows of equal width; the width grows when the schema does.
class ResourceMatrix {
 public:
  [[nodiscard]] std::span<const Amount> row(size_t index) const { return {&cells_[index * stride_], stride_}; }
  [[nodiscard]] std::span<Amount> row(size_t index) { return {&cells_[index * stride_], stride_}; }
  [[nodiscard]] Amount at(size_t index, ResourceId id) const {
    return id.index() < stride_ ? cells_[index * stride_ + id.index()] : 0;
  }
  // Requires: id < width.
  Amount& cell(size_t index, ResourceId id) { return cells_[index * stride_ + id.index()]; }
  void reshape(size_t rows, size_t width);
  [[nodiscard]] size_t width() const { return stride_; }
  [[nodiscard]] size_t rows() const { return rows_; }

 private:
  size_t stride_ = 4;
  size_t rows_ = 0;
  std::vector<Amount> cells_;
};

// True if every demanded dimension is at most what `available` has.
inline bool fits(DemandSpan demand, std::span<const Amount> available) {
  for (const auto& [id, amount] : demand) {
    if (amount > (id.index() < available.size() ? available[id.index()] : 0)) return false;
  }
  return true;
}
// The first demanded dimension that does not fit; none if all do. Order: cpu, memory, then by id.
ResourceId first_insufficient(DemandSpan demand, std::span<const Amount> available);

// Share of `amount` in `total`: 0/0 is 0, x/0 is 1.
inline double share(double amount, double total) {
  if (total == 0) return amount == 0 ? 0.0 : 1.0;
  return amount / total;
}

// The dense form of a demand and back.
ResourceVec to_vec(DemandSpan demand);
Demand to_demand(const ResourceVec& vec);

}  // namespace basalt::model
