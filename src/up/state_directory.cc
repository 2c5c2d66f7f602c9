#include "up/state_directory.h"

#include <random>

#include "net/secure_file.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;

constexpr Duration kRenewBefore = Duration::seconds(int64_t{30} * 24 * 3600);

struct PairFiles {
  fs::path certificate, key;
};

PairFiles files_of(const fs::path& pki, std::string_view name) {
  return {.certificate = pki / (std::string(name) + ".crt"), .key = pki / (std::string(name) + ".key")};
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

Result<void> save(const PairFiles& files, const net::KeyPair& pair) {
  // The key first: a key without its certificate is the state that says "make it again".
  if (auto written = net::write_private_file(files.key, pair.key_pem); !written) return written;
  return net::write_private_file(files.certificate, pair.certificate_pem);
}

Result<net::KeyPair> load(const PairFiles& files) {
  auto certificate = net::read_private_file(files.certificate);
  if (!certificate) return std::unexpected(certificate.error());
  auto key = net::read_private_file(files.key);
  if (!key) return std::unexpected(key.error());
  const auto matches = net::key_matches(*certificate, *key);
  if (!matches) return std::unexpected(matches.error().within(files.certificate.string()));
  if (!*matches) {
    return invalid(files.certificate.string() + ": " + files.key.string() +
                   " is not its key: remove both, they are made again at the next start");
  }
  return net::KeyPair{.certificate_pem = std::move(*certificate), .key_pem = std::move(*key)};
}

Result<net::KeyPair> authority(const fs::path& pki, Instant now) {
  const PairFiles files = files_of(pki, "ca");
  if (is_there(files.certificate) && is_there(files.key)) return load(files);
  auto made = net::make_authority("basalt", now);
  if (!made) return made;
  if (auto saved = save(files, *made); !saved) return std::unexpected(saved.error());
  return made;
}

// The pair on disk when it is good for a while and signed by our authority; else a fresh one.
template <class Sign>
Result<net::KeyPair> leaf(const fs::path& pki, std::string_view name, const net::KeyPair& ca, Instant now, Sign sign) {
  const PairFiles files = files_of(pki, name);
  if (is_there(files.certificate) && is_there(files.key)) {
    auto pair = load(files);
    if (!pair) return pair;
    const auto until = net::valid_until(pair->certificate_pem);
    const auto ours = net::signed_by(pair->certificate_pem, ca.certificate_pem);
    if (until && ours && *ours && now + kRenewBefore < *until) return pair;
  }
  auto made = sign();
  if (!made) return made;
  if (auto saved = save(files, *made); !saved) return std::unexpected(saved.error());
  return made;
}

std::string random_token() {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::random_device device;  // the operating system's generator: this is a secret, not a choice of the scheduler
  std::string token;
  for (int i = 0; i < 8; ++i) {
    const unsigned bits = device();
    for (unsigned shift = 0; shift < 32; shift += 4) token += kHex[bits >> shift & 0xFU];
  }
  return token;
}

Result<std::vector<server::TokenEntry>> tokens(const fs::path& file) {
  if (!is_there(file)) {
    const std::string line = random_token() + ",admin,admin,\"system:masters\"\n";
    if (auto written = net::write_private_file(file, line); !written) return std::unexpected(written.error());
  }
  const auto text = net::read_private_file(file);
  if (!text) return std::unexpected(text.error());
  auto entries = server::parse_tokens(*text);
  if (!entries) return std::unexpected(entries.error().within(file.string()));
  return entries;
}

}  // namespace

Result<StateDirectory> StateDirectory::open(const fs::path& root) {
  for (const fs::path& directory : {root, root / "pki", root / "logs"}) {
    if (auto made = net::make_private_directory(directory); !made) return std::unexpected(made.error());
  }
  return StateDirectory(root);
}

Result<Credentials> StateDirectory::credentials(const std::vector<std::string>& extra_names, Instant now) const {
  const fs::path pki = root_ / "pki";
  const auto ca = authority(pki, now);
  if (!ca) return std::unexpected(ca.error());
  Credentials credentials;
  credentials.ca_certificate_pem = ca->certificate_pem;
  // The names may have changed since the last start, so the server's certificate is always made fresh.
  net::ServerSubject subject{.common_name = "basalt", .names = net::kubernetes_server_names()};
  subject.names.insert(subject.names.end(), extra_names.begin(), extra_names.end());
  auto server = net::sign_server(*ca, subject, now);
  if (!server) return std::unexpected(server.error());
  if (auto saved = save(files_of(pki, "server"), *server); !saved) return std::unexpected(saved.error());
  credentials.server = std::move(*server);
  auto admin = leaf(pki, "admin", *ca, now, [&] {
    return net::sign_client(*ca, {.common_name = "admin", .organizations = {"system:masters"}}, now);
  });
  if (!admin) return std::unexpected(admin.error());
  credentials.admin = std::move(*admin);
  auto entries = tokens(root_ / "tokens.csv");
  if (!entries) return std::unexpected(entries.error());
  credentials.tokens = std::move(*entries);
  return credentials;
}

}  // namespace basalt::up
