// One limit of bytes for many holders: how much memory all of them together may take.
//
// A Share is what one holder has of it, and gives it back when it ends.
// Threads: any; a Share is used by one at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace basalt::net {

class ByteBudget {
 public:
  explicit ByteBudget(size_t limit) : limit_(limit) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  [[nodiscard]] size_t taken() const { return taken_.load(std::memory_order_relaxed); }

  // Requires: the budget outlives it.
  class Share {
   public:
    explicit Share(ByteBudget& budget) : budget_(budget) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { release(); }

    // From now on `bytes`, more or less than before. False, and as before: so
    // much more is not left.
    [[nodiscard]] bool hold(size_t bytes) {
      if (bytes > held_ && !budget_.take(bytes - held_)) return false;
      if (bytes < held_) budget_.give_back(held_ - bytes);
      held_ = bytes;
      return true;
    }
    // The same whatever is left: for what cannot be refused any more.
    void hold_anyway(size_t bytes) {
      release();
      budget_.taken_.fetch_add(bytes, std::memory_order_relaxed);
      held_ = bytes;
    }
    void release() {
      if (held_ > 0) budget_.give_back(std::exchange(held_, 0));
    }
    [[nodiscard]] size_t held() const { return held_; }

   private:
    ByteBudget& budget_;
    size_t held_ = 0;
  };

 private:
  bool take(size_t bytes) {
    const size_t before = taken_.fetch_add(bytes, std::memory_order_relaxed);
    if (before <= limit_ && bytes <= limit_ - before) return true;
    give_back(bytes);
    return false;
  }
  void give_back(size_t bytes) { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

  const size_t limit_;
  std::atomic<size_t> taken_{0};
};

}  // namespace basalt::net
