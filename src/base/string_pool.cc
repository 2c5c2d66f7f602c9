#include "base/string_pool.h"

#include <cstring>

namespace basalt {

StringPool::StringPool() { intern(""); }

NameId StringPool::intern(std::string_view text) {
  if (auto known = ids_.find(text); known != ids_.end()) return known->second;
  const NameId id(texts_.size());
  texts_.push_back(keep(text));
  ids_.emplace(texts_.back(), id);
  return id;
}

NameId StringPool::find(std::string_view text) const {
  auto known = ids_.find(text);
  return known == ids_.end() ? NameId() : known->second;
}

std::string_view StringPool::keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > kBlockBytes / 4) {  // large texts get a block of their own, behind the current one
    blocks_.push_front(std::make_unique<char[]>(text.size()));
    std::memcpy(blocks_.front().get(), text.data(), text.size());
    return {blocks_.front().get(), text.size()};
  }
  if (used_in_block_ + text.size() > kBlockBytes) {
    blocks_.push_back(std::make_unique<char[]>(kBlockBytes));
    used_in_block_ = 0;
  }
  char* at = blocks_.back().get() + used_in_block_;
  std::memcpy(at, text.data(), text.size());
  used_in_block_ += text.size();
  return {at, text.size()};
}

}  // namespace basalt
