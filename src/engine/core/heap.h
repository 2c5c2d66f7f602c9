// A priority queue over ids with an order that asks plugins.
//
// Pop gives the first element in order. The order must be total; entries whose keys may have moved while they waited
// are re-examined by the caller (push again), as the actions do after every turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace basalt::engine {

template <class T, class Before>
class Heap {
 public:
  explicit Heap(Before before) : before_(std::move(before)) {}

  void push(T item) {
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), later());
  }
  T pop() {
    std::pop_heap(items_.begin(), items_.end(), later());
    T item = items_.back();
    items_.pop_back();
    return item;
  }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] size_t size() const { return items_.size(); }

 private:
  auto later() {
    return [this](T a, T b) { return before_(b, a); };
  }
  Before before_;
  std::vector<T> items_;
};

}  // namespace basalt::engine
