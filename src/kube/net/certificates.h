// Certificates of our own: an authority, and what it signs for servers and clients. Everything is PEM text; nothing is
// read from or written to files here (see kube/net/private_file.h).
//
// Keys are ECDSA P-256. Certificates begin a few minutes before `now`, for clocks that are late, and last
// kAuthorityLife or kLeafLife. Cost: well under a millisecond each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace basalt::net {

inline constexpr Duration kAuthorityLife = Duration::seconds(int64_t{10} * 365 * 24 * 3600);
inline constexpr Duration kLeafLife = Duration::seconds(int64_t{365} * 24 * 3600);

struct KeyPair {
  std::string certificate_pem, key_pem;
};

// A certificate that signs others, and nothing else.
Result<KeyPair> make_authority(std::string_view common_name, Instant now);
// The same subject and key, valid from `now` on. Both certificates vouch for all that this key signs or has signed, so
// nobody has to be told before the old one ends.
Result<KeyPair> renew_authority(const KeyPair& authority, Instant now);

struct ServerSubject {
  std::string common_name;
  std::vector<std::string> names;  // DNS names and IP addresses, told apart by their look; at least one
};
Result<KeyPair> sign_server(const KeyPair& authority, const ServerSubject& subject, Instant now);

struct ClientSubject {
  std::string common_name;                 // the user
  std::vector<std::string> organizations;  // the groups
};
Result<KeyPair> sign_client(const KeyPair& authority, const ClientSubject& subject, Instant now);

// The names by which a Kubernetes API server is known on its own machine and inside its cluster.
[[nodiscard]] std::vector<std::string> kubernetes_server_names();

// What a certificate says; of a chain, the first.
struct Validity {
  Instant from, until;
};
Result<Validity> validity(std::string_view certificate_pem);
Result<Instant> valid_until(std::string_view certificate_pem);
// When its successor should come: after two thirds of its life.
[[nodiscard]] Instant renewal_of(const Validity& life);
// That time has come; or it is not valid yet, because the clock was set back since it was made.
[[nodiscard]] bool wants_renewal(const Validity& life, Instant now);
// Whether a server with this certificate may go by `name`, a DNS name or an IP address.
Result<bool> certificate_covers_name(std::string_view certificate_pem, const std::string& name);
Result<bool> key_matches(std::string_view certificate_pem, std::string_view key_pem);
Result<bool> signed_by(std::string_view certificate_pem, std::string_view authority_pem);

}  // namespace basalt::net
