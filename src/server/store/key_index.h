// The objects of one resource by key, in byte order.
//
// Each slot holds what readers see (`committed`, null: nothing yet) and what the next write must expect (`latest`).
// 1. A slot's latest is never null; without pending writes it is the committed record, and that is no deletion.
// 2. Slots live in chunks of at most kMaxChunkSlots, sorted; each chunk counts its committed objects. So a page of a
//    list costs O(page), and "how many more" costs a look at each chunk, not at each key.
// Cost: find O(log n); insert and erase also move part of a chunk and, when one fills or empties, the chunk list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "server/store/record.h"

namespace basalt::store {

inline constexpr size_t kMaxChunkSlots = 256;

class KeyIndex {
 public:
  struct Slot {
    RecordPtr committed, latest;
    uint32_t pending = 0;  // writes that are ordered but not committed

    [[nodiscard]] std::string_view key() const { return latest->key(); }
  };
  // A place between keys. Valid until the next change.
  struct Position {
    size_t chunk = 0, slot = 0;
    friend auto operator<=>(const Position&, const Position&) = default;
  };

  [[nodiscard]] const Slot* find(std::string_view key) const;
  [[nodiscard]] size_t committed_count() const { return committed_; }

  // A write of this object is ordered.
  void order(RecordPtr latest);
  // The oldest pending write of this object, `record`, is committed. Requires: it was ordered.
  void commit(const RecordPtr& record);
  // The pending writes of this object will never be committed; no effect when there are none.
  void roll_back(std::string_view key);
  // An object as it was found in the file. Requires: no writes are pending.
  void load(RecordPtr committed);

  [[nodiscard]] Position lower_bound(std::string_view key) const;  // before the first key that is not less
  [[nodiscard]] Position upper_bound(std::string_view key) const;  // before the first key that is greater
  [[nodiscard]] Position end() const { return {.chunk = chunks_.size(), .slot = 0}; }
  [[nodiscard]] const Slot& at(Position position) const { return chunks_[position.chunk].slots[position.slot]; }
  [[nodiscard]] Position next(Position position) const;
  // How many committed objects lie between the two.
  [[nodiscard]] size_t committed_between(Position from, Position to) const;

 private:
  struct Chunk {
    std::vector<Slot> slots;  // never empty
    size_t committed = 0;
  };

  [[nodiscard]] Position normal(Position position) const;
  Slot* find_slot(std::string_view key, Position& position);
  Position insert(Slot slot);
  void erase(Position position);
  void set_committed(Position position, RecordPtr record);

  std::vector<Chunk> chunks_;  // by key
  size_t committed_ = 0;
};

}  // namespace basalt::store
