// A certificate and its key in one private file, the key first: one rename replaces both, so no crash leaves one of
// them with another's.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "kube/net/certificates.h"

namespace basalt::net {

// See write_private_file.
Result<void> write_key_pair_file(const std::filesystem::path& path, const KeyPair& pair);

// NotFound when there is none. Another error names the file: it is cut short, or the key is not the certificate's.
Result<KeyPair> read_key_pair_file(const std::filesystem::path& path);

}  // namespace basalt::net
