// Names, interned.
//
// Every string that the engine may compare (labels, names, namespaces, resource names) is stored once and known by a
// NameId. Two equal strings have the same id, so equality is an integer compare. Order between names is asked from
// the text, never from the id (ids follow arrival). The pool only grows; text lives as long as the pool.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/strong_id.h"

namespace basalt {

using NameId = StrongId<struct NameTag>;

class StringPool {
 public:
  StringPool();
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;
  StringPool(StringPool&&) = default;
  StringPool& operator=(StringPool&&) = default;

  // The id of `text`, new or known. The empty string is always kEmptyName. Cost: one hash.
  NameId intern(std::string_view text);
  // The id of `text` if it is known, else NameId() (none).
  [[nodiscard]] NameId find(std::string_view text) const;
  [[nodiscard]] std::string_view text(NameId id) const { return texts_[id.index()]; }
  [[nodiscard]] size_t size() const { return texts_.size(); }

 private:
  std::string_view keep(std::string_view text);

  static constexpr size_t kBlockBytes = size_t{64} * 1024;
  std::deque<std::unique_ptr<char[]>> blocks_;  // NOLINT: raw storage, owned
  size_t used_in_block_ = kBlockBytes;
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, NameId> ids_;
};

inline constexpr NameId kEmptyName{uint32_t{0}};

}  // namespace basalt
