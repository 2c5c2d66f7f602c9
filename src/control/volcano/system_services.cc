#include "control/volcano/system_services.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kube/net/ssh_keys.h"

namespace basalt::volcano {

SystemServices make_system_services() {
  using Zones = std::map<std::string, std::shared_ptr<const text::TimeZone>, std::less<>>;
  const auto zones = std::make_shared<Zones>();  // shared with the function that reads it
  return {.generate_ssh_keys = net::make_ssh_keys,
          .time_zone = [zones](std::string_view name) -> std::shared_ptr<const text::TimeZone> {
            if (const auto known = zones->find(name); known != zones->end()) return known->second;
            auto loaded = text::load_time_zone(name);
            if (!loaded) return nullptr;
            if (zones->size() >= kMaxZones) zones->clear();
            auto zone = std::make_shared<const text::TimeZone>(std::move(*loaded));
            zones->emplace(name, zone);
            return zone;
          }};
}

}  // namespace basalt::volcano
