// A directory stream that closes itself.
#pragma once

#include <dirent.h>

#include <memory>

namespace basalt::node {

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};
using OpenDirectory = std::unique_ptr<DIR, CloseDirectory>;

}  // namespace basalt::node
