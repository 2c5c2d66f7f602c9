#include "lab/life/in_memory_backend.h"

#include <functional>
#include <utility>

namespace basalt::lab {
namespace {

constexpr Instant kBirth = Instant::from_unix_seconds(1'767'225'600);  // 2026-01-01
constexpr uint64_t kSeed = 7;

server::ApiServerOptions options_of(std::function<Instant()> clock) {
  server::ApiServerOptions options{.clock = std::move(clock), .seed = kSeed};
  options.admission.volcano = std::make_shared<const admission::VolcanoAdmissionOptions>();
  return options;
}

api::UserInfo someone(std::string_view name) {
  return {.name = std::string(name), .uid = "", .groups = {"system:masters"}};
}

}  // namespace

InMemoryBackend::InMemoryBackend()
    : now_(kBirth),
      store_(store::Store::in_memory()),
      api_(*store_, options_of([this] { return now_; })),
      user_(api_, someone("somebody"), "user"),
      upkeep_(api_, someone("upkeep"), "kube-controller-manager"),
      controllers_(api_, someone("controllers"), "vc-controller-manager") {}

uint64_t InMemoryBackend::revision() { return static_cast<uint64_t>(store_->revision()); }

}  // namespace basalt::lab
