// Subscribers to commits, by resource.
//
// wake_all() holds no lock while it calls: a wake function may write, subscribe, or drop its own or another handle.
// A handle may outlive the Subscriptions.
// Cost: wake_all is O(subscribers of the resources); subscribing and dropping copy the resource's list.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/store.h"

namespace basalt::store {

class Subscriptions {
 public:
  Subscriptions() : registrations_(std::make_shared<Registrations>()) {}

  [[nodiscard]] std::unique_ptr<Store::Subscription> add(std::string_view resource, std::function<void()> wake);

  // Wakes every subscriber of each resource once, in the order in which they came.
  void wake_all(std::span<const std::string_view> resources) const;

 private:
  class Listener;
  class Handle;
  using Listeners = std::vector<std::shared_ptr<Listener>>;
  // Shared by the handles, which remove themselves. The lists are replaced, never changed, so that wake_all() reads
  // them without the lock.
  struct Registrations {
    std::mutex lock;
    std::map<std::string, std::shared_ptr<const Listeners>, std::less<>> by_resource;
  };

  std::shared_ptr<Registrations> registrations_;
};

}  // namespace basalt::store
