// Values that many objects have in common (the pods of a job: their demands, their owner), each kept once.
//
// share() answers the kept value that equals the given one. A value that nobody holds any more goes with the next
// sweep; one is due when there are twice as many as the last one left, so the pool holds at most about twice what is in
// use, and sharing costs O(log values) amortised. One thread.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

namespace basalt {

inline constexpr size_t kLeastPoolSweep = 64;

template <class T>
concept Poolable = requires(const T& left, const T& right) {
  { left < right } -> std::convertible_to<bool>;
};

template <Poolable T>
class ValuePool {
 public:
  // Shared because its holders come and go in any order, and the last one cannot be told beforehand.
  using Ptr = std::shared_ptr<const T>;

  [[nodiscard]] Ptr share(T value) {
    if (const auto at = values_.find(value); at != values_.end()) return *at;
    if (values_.size() >= sweep_at_) sweep();
    return *values_.insert(std::make_shared<const T>(std::move(value))).first;
  }
  [[nodiscard]] size_t size() const { return values_.size(); }

 private:
  struct ByValue {
    using is_transparent = void;
    bool operator()(const Ptr& left, const Ptr& right) const { return *left < *right; }
    bool operator()(const Ptr& left, const T& right) const { return *left < right; }
    bool operator()(const T& left, const Ptr& right) const { return left < *right; }
  };

  void sweep() {
    std::erase_if(values_, [](const Ptr& value) { return value.use_count() == 1; });
    sweep_at_ = std::max(kLeastPoolSweep, 2 * values_.size());
  }

  std::set<Ptr, ByValue> values_;
  size_t sweep_at_ = kLeastPoolSweep;
};

}  // namespace basalt
