// The identity of a task class: the bytes that filtering and scoring plugins contribute for a task.
//
// Tasks with equal keys get equal answers from every filter and score, so they share one column (node_columns.h).
// Equality is on the full bytes. Each fragment has a fixed width, so keys of one policy cannot run into each other.
#pragma once

#include <cstdint>
#include <string>

#include "engine/model/ids.h"

namespace basalt::engine {

class ClassKey {
 public:
  void add(uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8U) bytes_.push_back(static_cast<char>(value & 0xFFU));
  }
  template <class Tag>
  void add(StrongId<Tag> id) {
    add(uint64_t{id.value});
  }
  void clear() { bytes_.clear(); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace basalt::engine
