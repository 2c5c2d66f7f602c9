// Writes of an item that the server refused when they were last tried, for the next plan to know.
//
// A refusal lives until the item's writes are tried again: the next answer says whether it still holds. Of several in
// one try the least (by kind, then words) is kept, so that the same causes are told in the same words each time.
// A process that starts knows of none; the first try brings them back. Cost: O(log items) each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "kube/api/api_error.h"
#include "kube/api/call.h"

namespace basalt::volcano {

struct WriteRefusal {
  std::string plural;   // of what was to be written, "pods"
  std::string message;  // the server's words
};

class WriteRefusals {
 public:
  static constexpr size_t kMaxItems = 10'000;        // with a refusal; further ones are not kept
  using ItemKey = std::pair<uint32_t, std::string>;  // controller and item

  // Null: there is none.
  [[nodiscard]] const WriteRefusal* find(const ItemKey& item) const {
    const auto at = refusals_.find(item);
    return at == refusals_.end() ? nullptr : &at->second;
  }
  void note(const ItemKey& item, const api::Call& call, const api::ApiError& error) {
    if (refusals_.size() >= kMaxItems && !refusals_.contains(item)) return;
    WriteRefusal refusal{.plural = call.resource.plural, .message = error.message};
    const auto [at, is_new] = refusals_.try_emplace(item, refusal);
    if (is_new) return;
    WriteRefusal& kept = at->second;
    if (std::tie(refusal.plural, refusal.message) < std::tie(kept.plural, kept.message)) kept = std::move(refusal);
  }
  // It was planned again: its writes are sent anew, or it has none.
  void drop(const ItemKey& item) { refusals_.erase(item); }

 private:
  std::map<ItemKey, WriteRefusal> refusals_;
};

}  // namespace basalt::volcano
