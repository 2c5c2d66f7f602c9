// The best of many, kept current: a tournament over a fixed number of places.
//
// Places are in name order, so "the left one wins ties" is the rule "equal score, smallest name". Building costs O(n),
// changing k places O(k · log n) or less, asking O(1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace basalt::engine {

class BestTree {
 public:
  // better(a, b): place b is strictly better than place a.
  template <class Better>
  void build(size_t places, Better better) {
    width_ = 1;
    while (width_ < places) width_ *= 2;
    winners_.resize(width_);
    places_ = places;
    for (size_t i = width_ - 1; i >= 1; --i) winners_[i] = winner_of(i, better);
  }
  // The values of these places changed. Sorts and overwrites `places`: matches that several of them share are played
  // once.
  template <class Better>
  void update(std::vector<uint32_t>& places, Better better) {
    std::sort(places.begin(), places.end());
    size_t count = places.size();
    for (size_t i = 0; i < count; ++i) places[i] += static_cast<uint32_t>(width_);
    while (count > 0 && places[0] > 1) {
      size_t parents = 0;
      for (size_t i = 0; i < count; ++i) {
        const uint32_t parent = places[i] / 2;
        if (parents > 0 && places[parents - 1] == parent) continue;
        winners_[parent] = winner_of(parent, better);
        places[parents++] = parent;
      }
      count = parents;
    }
  }
  // Requires: build() with at least one place.
  [[nodiscard]] uint32_t best() const { return width_ == 1 ? 0 : winners_[1]; }
  // Places from the best to the worst, until visit(place) returns true. Requires what best() does. Cost: O(log n) a
  // place.
  template <class Better, class Visit>
  void visit_in_order(Better better, Visit visit) const {
    // Each entry is a subtree whose best is still to come.
    const auto worse = [&](size_t a, size_t b) {
      const uint32_t left = child(a), right = child(b);
      return better(left, right) || (left > right && !better(right, left));
    };
    std::vector<size_t> open = {1};
    const auto push = [&](size_t subtree) {
      if (child(subtree) >= places_) return;
      open.push_back(subtree);
      std::push_heap(open.begin(), open.end(), worse);
    };
    while (!open.empty()) {
      std::pop_heap(open.begin(), open.end(), worse);
      size_t at = open.back();
      open.pop_back();
      const uint32_t place = child(at);
      while (at < width_) {  // down to the place; the subtrees passed by are left for later
        const size_t left = 2 * at;
        const bool goes_left = child(left) == place;
        push(goes_left ? left + 1 : left);
        at = goes_left ? left : left + 1;
      }
      if (visit(place)) return;
    }
  }
  [[nodiscard]] size_t bytes() const { return winners_.capacity() * sizeof(uint32_t); }

 private:
  template <class Better>
  uint32_t winner_of(size_t i, Better better) const {
    const uint32_t left = child(2 * i);
    const uint32_t right = child(2 * i + 1);
    if (right >= places_) return left;
    return better(left, right) ? right : left;
  }
  [[nodiscard]] uint32_t child(size_t i) const { return i >= width_ ? static_cast<uint32_t>(i - width_) : winners_[i]; }

  size_t width_ = 1;
  size_t places_ = 0;
  std::vector<uint32_t> winners_;  // [1] is the root; leaves are implied
};

}  // namespace basalt::engine
