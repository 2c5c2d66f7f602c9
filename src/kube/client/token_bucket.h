// How many requests may go out: `per_second` on average, `burst` at once. As --kube-api-qps and --kube-api-burst mean
// it. Time is an argument and never goes back.
#pragma once

#include <algorithm>
#include <chrono>

namespace basalt::client {

class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `per_second` 0 or less: as many as one likes. A burst below one is one: else nothing would ever go out.
  TokenBucket(double per_second, double burst)
      : per_second_(per_second), burst_(std::max(burst, 1.0)), tokens_(burst_) {}

  // Whether one may go out now; it counts as gone.
  bool take(Time now) {
    if (per_second_ <= 0) return true;
    refill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }
  // When the next one may, after take() said no. Not before that: waking then would be in vain.
  [[nodiscard]] Time next() const {
    const std::chrono::duration<double> missing((1 - tokens_) / per_second_);
    return filled_ + std::chrono::ceil<std::chrono::steady_clock::duration>(missing);
  }

 private:
  void refill(Time now) {
    const std::chrono::duration<double> since = now - filled_;
    // The first look has no past; and what does not matter at 1e-9 tokens must not cost another wait.
    tokens_ = filled_ == Time{} ? burst_ : std::min(burst_, tokens_ + since.count() * per_second_ + kRounding);
    filled_ = now;
  }
  static constexpr double kRounding = 1e-9;

  double per_second_, burst_, tokens_;
  Time filled_{};
};

}  // namespace basalt::client
