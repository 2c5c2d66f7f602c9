#include "server/store/subscriptions.h"

#include <algorithm>
#include <condition_variable>
#include <thread>

namespace basalt::store {

class Subscriptions::Listener {
 public:
  explicit Listener(std::function<void()> wake) : wake_(std::move(wake)) {}

  void wake() {
    {
      const std::lock_guard guard(lock_);
      if (dead_) return;
      inside_.push_back(std::this_thread::get_id());
    }
    wake_();
    const std::lock_guard guard(lock_);
    inside_.erase(std::ranges::find(inside_, std::this_thread::get_id()));
    left_.notify_all();
  }

  // Returns when no other thread is inside. A wake function that drops its own handle does not wait for itself.
  void die() {
    std::unique_lock guard(lock_);
    dead_ = true;
    left_.wait(guard, [this] {
      return std::ranges::all_of(inside_, [](std::thread::id id) { return id == std::this_thread::get_id(); });
    });
  }

 private:
  std::function<void()> wake_;
  std::mutex lock_;
  std::condition_variable left_;
  std::vector<std::thread::id> inside_;
  bool dead_ = false;
};

class Subscriptions::Handle final : public Store::Subscription {
 public:
  Handle(std::shared_ptr<Registrations> registrations, std::string resource, std::shared_ptr<Listener> listener)
      : registrations_(std::move(registrations)), resource_(std::move(resource)), listener_(std::move(listener)) {}
  ~Handle() override {
    {
      const std::lock_guard guard(registrations_->lock);
      const auto entry = registrations_->by_resource.find(resource_);
      Listeners rest = *entry->second;
      std::erase(rest, listener_);
      if (rest.empty()) {
        registrations_->by_resource.erase(entry);
      } else {
        entry->second = std::make_shared<const Listeners>(std::move(rest));
      }
    }
    listener_->die();
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

 private:
  std::shared_ptr<Registrations> registrations_;
  std::string resource_;
  std::shared_ptr<Listener> listener_;
};

std::unique_ptr<Store::Subscription> Subscriptions::add(std::string_view resource, std::function<void()> wake) {
  auto listener = std::make_shared<Listener>(std::move(wake));
  {
    const std::lock_guard guard(registrations_->lock);
    std::shared_ptr<const Listeners>& present = registrations_->by_resource[std::string(resource)];
    Listeners listeners = present == nullptr ? Listeners{} : *present;
    listeners.push_back(listener);
    present = std::make_shared<const Listeners>(std::move(listeners));
  }
  return std::make_unique<Handle>(registrations_, std::string(resource), std::move(listener));
}

void Subscriptions::wake_all(std::span<const std::string_view> resources) const {
  for (const std::string_view resource : resources) {
    std::shared_ptr<const Listeners> listeners;
    {
      const std::lock_guard guard(registrations_->lock);
      if (const auto entry = registrations_->by_resource.find(resource); entry != registrations_->by_resource.end()) {
        listeners = entry->second;
      }
    }
    if (listeners == nullptr) continue;
    for (const std::shared_ptr<Listener>& listener : *listeners) listener->wake();
  }
}

}  // namespace basalt::store
