// FILE.reserve beside a store's FILE: room on the disk that is given back when the disk is full, so that objects can
// still be deleted. Even a deletion has to be written down before it frees anything.
//
// Nothing is ever read from it. Best effort: a file system that copies on write may keep the room for itself.
#pragma once

#include <cstddef>
#include <filesystem>
#include <utility>

namespace basalt::store {

class ReserveFile {
 public:
  // 0 bytes: there is none, and hold() asks the disk for nothing.
  ReserveFile(const std::filesystem::path& store_file, size_t bytes);

  // Takes the room, if it is not held already; 0, or the errno that says why the disk has not so much. What was held
  // before is kept then.
  [[nodiscard]] int hold();
  // Takes all of it or, on a disk that is nearly full, about half of what there is.
  void hold_some();
  // Gives it back. Again: nothing.
  void release();

 private:
  [[nodiscard]] int take(size_t bytes) const;

  std::filesystem::path path_;
  size_t bytes_;
  bool held_ = false;  // all of it
};

}  // namespace basalt::store
