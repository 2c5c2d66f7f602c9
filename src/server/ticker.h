// One thread that calls, every interval, everybody who is still there: watch timeouts, bookmarks, log followers.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace basalt::server {

class Ticker {
 public:
  // Something that wants ticks. It is dropped when its owner let go of it.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void tick() = 0;  // must be short
  };

  explicit Ticker(std::chrono::milliseconds interval);
  ~Ticker();  // no tick is running when it returns
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  void add(std::weak_ptr<Listener> listener);

 private:
  void run(std::chrono::milliseconds interval);

  std::mutex mutex_;
  std::condition_variable stop_signal_;
  bool stop_ = false;
  std::vector<std::weak_ptr<Listener>> listeners_;
  std::thread thread_;
};

}  // namespace basalt::server
