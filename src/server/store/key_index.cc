#include "server/store/key_index.h"

#include <algorithm>

#include "base/check.h"

namespace basalt::store {

KeyIndex::Position KeyIndex::normal(Position position) const {
  if (position.chunk < chunks_.size() && position.slot == chunks_[position.chunk].slots.size()) {
    return {.chunk = position.chunk + 1, .slot = 0};
  }
  return position;
}

KeyIndex::Position KeyIndex::lower_bound(std::string_view key) const {
  const auto chunk = std::ranges::partition_point(
      chunks_, [key](const Chunk& candidate) { return candidate.slots.back().key() < key; });
  if (chunk == chunks_.end()) return end();
  const auto slot =
      std::ranges::partition_point(chunk->slots, [key](const Slot& candidate) { return candidate.key() < key; });
  return {.chunk = static_cast<size_t>(chunk - chunks_.begin()),
          .slot = static_cast<size_t>(slot - chunk->slots.begin())};
}

KeyIndex::Position KeyIndex::upper_bound(std::string_view key) const {
  const Position position = lower_bound(key);
  return position != end() && at(position).key() == key ? next(position) : position;
}

KeyIndex::Position KeyIndex::next(Position position) const {
  ++position.slot;
  return normal(position);
}

const KeyIndex::Slot* KeyIndex::find(std::string_view key) const {
  const Position position = lower_bound(key);
  return position != end() && at(position).key() == key ? &at(position) : nullptr;
}

KeyIndex::Slot* KeyIndex::find_slot(std::string_view key, Position& position) {
  position = lower_bound(key);
  if (position == end()) return nullptr;
  Slot& slot = chunks_[position.chunk].slots[position.slot];
  return slot.key() == key ? &slot : nullptr;
}

size_t KeyIndex::committed_between(Position from, Position to) const {
  const auto within = [this](size_t chunk, size_t first, size_t last) {
    size_t count = 0;
    for (size_t i = first; i < last; ++i) count += chunks_[chunk].slots[i].committed != nullptr ? 1 : 0;
    return count;
  };
  if (from >= to) return 0;
  if (from.chunk == to.chunk) return within(from.chunk, from.slot, to.slot);
  size_t count = within(from.chunk, from.slot, chunks_[from.chunk].slots.size());
  for (size_t chunk = from.chunk + 1; chunk < to.chunk; ++chunk) count += chunks_[chunk].committed;
  return to.chunk < chunks_.size() ? count + within(to.chunk, 0, to.slot) : count;
}

KeyIndex::Position KeyIndex::insert(Slot slot) {
  Position position = lower_bound(slot.key());
  if (chunks_.empty()) chunks_.emplace_back();
  if (position.chunk == chunks_.size()) position = {.chunk = chunks_.size() - 1, .slot = chunks_.back().slots.size()};
  if (chunks_[position.chunk].slots.size() == kMaxChunkSlots) {
    // Keys often arrive in order: then the full chunk stays full, and only a new last one grows.
    const bool appends = position.chunk + 1 == chunks_.size() && position.slot == kMaxChunkSlots;
    const size_t keep = appends ? kMaxChunkSlots : kMaxChunkSlots / 2;
    chunks_.emplace(chunks_.begin() + static_cast<ptrdiff_t>(position.chunk) + 1);
    Chunk& left = chunks_[position.chunk];
    Chunk& right = chunks_[position.chunk + 1];
    const auto middle = left.slots.begin() + static_cast<ptrdiff_t>(keep);
    right.slots.assign(std::make_move_iterator(middle), std::make_move_iterator(left.slots.end()));
    left.slots.erase(middle, left.slots.end());
    for (const Slot& moved : right.slots) right.committed += moved.committed != nullptr ? 1 : 0;
    left.committed -= right.committed;
    if (position.slot > keep || appends) position = {.chunk = position.chunk + 1, .slot = position.slot - keep};
  }
  auto& slots = chunks_[position.chunk].slots;
  slots.insert(slots.begin() + static_cast<ptrdiff_t>(position.slot), std::move(slot));
  return position;
}

void KeyIndex::erase(Position position) {
  auto& slots = chunks_[position.chunk].slots;
  slots.erase(slots.begin() + static_cast<ptrdiff_t>(position.slot));
  if (slots.empty()) chunks_.erase(chunks_.begin() + static_cast<ptrdiff_t>(position.chunk));
}

void KeyIndex::set_committed(Position position, RecordPtr record) {
  Chunk& chunk = chunks_[position.chunk];
  RecordPtr& committed = chunk.slots[position.slot].committed;
  if (committed == nullptr && record != nullptr) ++chunk.committed, ++committed_;
  if (committed != nullptr && record == nullptr) --chunk.committed, --committed_;
  committed = std::move(record);
}

void KeyIndex::order(RecordPtr latest) {
  Position position;
  if (Slot* slot = find_slot(latest->key(), position)) {
    slot->latest = std::move(latest);
    ++slot->pending;
  } else {
    insert(Slot{.latest = std::move(latest), .pending = 1});
  }
}

void KeyIndex::commit(const RecordPtr& record) {
  Position position;
  Slot* slot = find_slot(record->key(), position);
  check(slot != nullptr && slot->pending > 0, "a committed write was ordered before");
  set_committed(position, record->deleted() ? nullptr : record);
  if (--slot->pending == 0 && slot->committed == nullptr) erase(position);
}

void KeyIndex::roll_back(std::string_view key) {
  Position position;
  Slot* slot = find_slot(key, position);
  if (slot == nullptr || slot->pending == 0) return;
  slot->pending = 0;
  if (slot->committed == nullptr) return erase(position);
  slot->latest = slot->committed;
}

void KeyIndex::load(RecordPtr committed) {
  Position position;
  Slot* slot = find_slot(committed->key(), position);
  if (committed->deleted()) {
    if (slot == nullptr) return;
    set_committed(position, nullptr);
    return erase(position);
  }
  if (slot == nullptr) {
    position = insert(Slot{.latest = committed});
  } else {
    slot->latest = committed;
  }
  set_committed(position, std::move(committed));
}

}  // namespace basalt::store
