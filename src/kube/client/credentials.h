// Who we are at this moment, and whom we trust: the AuthInfo of a RestConfig and its certificate authority with files
// read, plugins run, and both done again when what they gave has grown old.
//
// Files of tokens, certificates and authorities are read again after kRereadAfter, a plugin runs again when its
// credential is about to expire. What cannot be read again is used as it was, as long as it was read once: a file that
// is just being replaced must not stop us. From any thread; while one reads or runs, the others wait, each until its
// own interrupt is raised.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "kube/client/exec_credential.h"
#include "kube/client/host_environment.h"
#include "kube/client/rest_config.h"
#include "kube/net/interrupt.h"

namespace basalt::client {

inline constexpr Duration kRereadAfter = Duration::seconds(60);
inline constexpr Duration kRenewBeforeExpiry = Duration::seconds(10);

struct Credentials {
  std::string authorization;             // the header's value; "": none
  std::string certificate_pem, key_pem;  // "": none
  std::string ca_pem;                    // who may vouch for the server; "": the system's authorities
  uint64_t number = 0;                   // another one whenever anything changed
  uint64_t certificate_number = 0;       // another one whenever one of the PEMs changed: then connections are made anew
};

class CredentialSource {
 public:
  // `ca_pem` counts until `ca_file` ("": there is none) was read, and while it cannot be.
  CredentialSource(AuthInfo identity, HostEnvironment host_environment, std::string ca_pem = "",
                   std::string ca_file = "");

  // `interrupt` (or null) ends waiting, and the plugin that this call has started. Never null; shared, because each
  // call asks and nothing changes for a minute.
  [[nodiscard]] Result<std::shared_ptr<const Credentials>> current(const net::Interrupt* interrupt);
  // The server has refused the credentials with that number. True: current() has others now.
  [[nodiscard]] bool refused(uint64_t number, const net::Interrupt* interrupt);

 private:
  class Turn;  // one at a time
  Result<void> renew(Instant now, const net::Interrupt* interrupt);
  [[nodiscard]] Result<Credentials> read_files() const;
  [[nodiscard]] bool has_files() const;
  [[nodiscard]] bool is_fresh(Instant now) const { return latest_ && files_are_fresh(now) && issued_is_fresh(now); }
  [[nodiscard]] bool files_are_fresh(Instant now) const;
  [[nodiscard]] bool issued_is_fresh(Instant now) const;

  const AuthInfo identity_;
  const HostEnvironment host_environment_;
  const std::string ca_pem_, ca_file_;
  std::mutex mutex_;
  std::condition_variable left_;
  bool taken_ = false;  // somebody has a Turn, and with it everything below
  std::shared_ptr<const Credentials> latest_;
  std::optional<Credentials> from_files_;  // what stands in files, or in the kubeconfig itself
  Instant read_at_;
  std::optional<ExecCredential> issued_;
};

}  // namespace basalt::client
