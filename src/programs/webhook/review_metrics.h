// How many reviews there were, how they ended and how long they took. From any thread; bounded by the table of paths.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace basalt::webhook {

enum class ReviewResult : uint8_t { Allowed, Denied, Broken };  // Broken: no review, or not ready

class ReviewMetrics {
 public:
  ReviewMetrics();
  // Other paths than those of admission::webhooks() are not counted.
  void count(std::string_view path, ReviewResult end, double seconds);
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::array<double, 10> kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5};
  struct Row {
    std::array<std::atomic<uint64_t>, 3> ends{};
    std::array<std::atomic<uint64_t>, kBounds.size() + 1> buckets{};
    std::atomic<double> seconds = 0;
  };
  std::vector<std::unique_ptr<Row>> rows_;  // as admission::webhooks(); pointers because atomics do not move
};

}  // namespace basalt::webhook
