#include "engine/model/resource_vec.h"

#include <algorithm>

namespace basalt::model {

ResourceSchema::ResourceSchema(StringPool& names) : names_(&names) {
  intern("cpu");
  intern("memory");
  intern("pods");
}

ResourceId ResourceSchema::intern(std::string_view name) {
  if (const ResourceId known = find(name); known.valid()) return known;
  if (dims_.size() >= kMaxResources) return {};
  dims_.push_back(names_->intern(name));
  return ResourceId(dims_.size() - 1);
}

ResourceId ResourceSchema::find(std::string_view name) const {
  const NameId wanted = names_->find(name);
  if (!wanted.valid()) return {};
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (dims_[i] == wanted) return ResourceId(i);
  }
  return {};
}

void ResourceVec::add(const ResourceVec& other) {
  if (other.v_.size() > v_.size()) v_.resize(other.v_.size(), 0);
  for (size_t i = 0; i < other.v_.size(); ++i) v_[i] += other.v_[i];
}

void ResourceVec::sub(const ResourceVec& other) {
  if (other.v_.size() > v_.size()) v_.resize(other.v_.size(), 0);
  for (size_t i = 0; i < other.v_.size(); ++i) v_[i] -= other.v_[i];
}

bool ResourceVec::is_empty() const {
  for (size_t i = 0; i < v_.size(); ++i) {
    if (v_[i] > 0 && ResourceId(i) != kPods) return false;
  }
  return true;
}

bool operator==(const ResourceVec& left, const ResourceVec& right) {
  const size_t size = std::max(left.v_.size(), right.v_.size());
  for (size_t i = 0; i < size; ++i) {
    if (left[ResourceId(i)] != right[ResourceId(i)]) return false;
  }
  return true;
}

void ResourceMatrix::reshape(size_t rows, size_t width) {
  size_t stride = stride_;
  while (stride < width) stride *= 2;
  if (stride != stride_) {
    std::vector<Amount> wider(rows_ * stride, 0);
    for (size_t r = 0; r < rows_; ++r) {
      std::copy_n(cells_.begin() + static_cast<ptrdiff_t>(r * stride_), stride_,
                  wider.begin() + static_cast<ptrdiff_t>(r * stride));
    }
    cells_ = std::move(wider);
    stride_ = stride;
  }
  rows_ = rows;
  cells_.resize(rows_ * stride_, 0);
}

ResourceId first_insufficient(DemandSpan demand, std::span<const Amount> available) {
  for (const auto& [id, amount] : demand) {
    if (amount > (id.index() < available.size() ? available[id.index()] : 0)) return id;
  }
  return {};
}

ResourceVec to_vec(DemandSpan demand) {
  ResourceVec vec;
  vec.add(demand);
  return vec;
}

Demand to_demand(const ResourceVec& vec) {
  Demand demand;
  for (size_t i = 0; i < vec.size(); ++i) {
    if (const ResourceId id(i); vec[id] != 0) demand.push_back({.id = id, .amount = vec[id]});
  }
  return demand;
}

}  // namespace basalt::model
