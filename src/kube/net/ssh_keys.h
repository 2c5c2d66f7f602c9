// Key pairs for ssh: RSA, 2048 bits, as text.
#pragma once

#include <string>

#include "base/result.h"

namespace basalt::net {

inline constexpr unsigned kSshKeyBits = 2048;

struct SshKeys {
  std::string private_pem;  // PKCS#1: "-----BEGIN RSA PRIVATE KEY-----"
  std::string public_line;  // OpenSSH: "ssh-rsa AAAA…" and a line end
};

// From the system's random source. Cost: some tens of milliseconds, more when luck is bad.
Result<SshKeys> make_ssh_keys();

}  // namespace basalt::net
