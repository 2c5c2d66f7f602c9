#include "kube/net/listening_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

namespace basalt::net {
namespace {

constexpr int kBacklog = SOMAXCONN;
constexpr mode_t kOwnerOnly = 0700;

// An address of any family, as the socket calls want it.
struct Place {
  sockaddr_storage storage{};
  socklen_t size = 0;
  [[nodiscard]] const sockaddr* pointer() const {
    return reinterpret_cast<const sockaddr*>(&storage);  // NOLINT: the calls' own convention
  }
  [[nodiscard]] sockaddr* pointer() { return reinterpret_cast<sockaddr*>(&storage); }  // NOLINT
  [[nodiscard]] int family() const { return storage.ss_family; }
};

Place place_of(const in_addr& address, uint16_t port) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_port = htons(port);
  made.sin_addr = address;
  Place place{.size = sizeof made};
  std::memcpy(&place.storage, &made, sizeof made);
  return place;
}

Place place_of(const in6_addr& address, uint16_t port) {
  sockaddr_in6 made{};
  made.sin6_family = AF_INET6;
  made.sin6_port = htons(port);
  made.sin6_addr = address;
  Place place{.size = sizeof made};
  std::memcpy(&place.storage, &made, sizeof made);
  return place;
}

std::optional<Place> parse_place(const std::string& address, uint16_t port) {
  if (in_addr four{}; inet_pton(AF_INET, address.c_str(), &four) == 1) return place_of(four, port);
  if (in6_addr six{}; inet_pton(AF_INET6, address.c_str(), &six) == 1) return place_of(six, port);
  return {};
}

std::string text_of(const std::string& address, uint16_t port) {
  return (address.contains(':') ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

int open_socket(int family) { return ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

// 0, or errno.
int bind_and_listen(int descriptor, const Place& place, bool both_families) {
  const auto set = [&](int level, int name, int value) {
    return ::setsockopt(descriptor, level, name, &value, sizeof value) == 0;
  };
  const bool bound = descriptor >= 0 && (place.family() == AF_UNIX || set(SOL_SOCKET, SO_REUSEADDR, 1)) &&
                     (place.family() != AF_INET6 || set(IPPROTO_IPV6, IPV6_V6ONLY, both_families ? 0 : 1)) &&
                     ::bind(descriptor, place.pointer(), place.size) == 0 && ::listen(descriptor, kBacklog) == 0;
  return bound ? 0 : errno;
}

uint16_t port_of(const Place& place) {
  if (place.family() == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &place.storage, sizeof four);
    return ntohs(four.sin_port);
  }
  sockaddr_in6 six{};
  std::memcpy(&six, &place.storage, sizeof six);
  return ntohs(six.sin6_port);
}

uint16_t bound_port(int descriptor) {
  Place place{.size = sizeof(sockaddr_storage)};
  return ::getsockname(descriptor, place.pointer(), &place.size) == 0 ? port_of(place) : uint16_t{0};
}

std::unexpected<Error> cannot_listen(const std::string& where, int error) {
  return failure(ErrorCode::Io, "listen on " + where + ": " + std::generic_category().message(error));
}

}  // namespace

ListeningSocket::~ListeningSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<ListeningSocket> ListeningSocket::on_address(const std::string& address, uint16_t port) {
  const bool everywhere = address.empty();
  const auto place = everywhere ? place_of(in6addr_any, port) : parse_place(address, port);
  if (!place) return invalid("listen on " + text_of(address, port) + ": not an IP address, give one such as 127.0.0.1");
  ListeningSocket made(open_socket(place->family()), place->family());
  int error = bind_and_listen(made.descriptor_, *place, everywhere);
  // A machine without IPv6 says so in one of these ways.
  if (everywhere && (error == EAFNOSUPPORT || error == EADDRNOTAVAIL || error == EPROTONOSUPPORT)) {
    const in_addr any{.s_addr = htonl(INADDR_ANY)};
    ListeningSocket four(open_socket(AF_INET), AF_INET);
    error = bind_and_listen(four.descriptor_, place_of(any, port), false);
    if (error == 0) {
      four.port_ = bound_port(four.descriptor_);
      return four;
    }
  }
  if (error != 0) return cannot_listen(text_of(address, port), error);
  made.port_ = bound_port(made.descriptor_);
  return made;
}

Result<ListeningSocket> ListeningSocket::on_file(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof name.sun_path) {
    return invalid("listen on the socket file " + path + ": the path must have 1 to " +
                   std::to_string(sizeof name.sun_path - 1) + " bytes");
  }
  path.copy(name.sun_path, path.size());
  struct stat found{};
  if (::lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) ::unlink(path.c_str());
  Place place{.size = sizeof name};
  std::memcpy(&place.storage, &name, sizeof name);
  ListeningSocket made(open_socket(AF_UNIX), AF_UNIX);
  // Before it is bound: there is no moment in which others could connect.
  if (made.descriptor_ < 0 || ::fchmod(made.descriptor_, kOwnerOnly) != 0) return cannot_listen(path, errno);
  if (const int error = bind_and_listen(made.descriptor_, place, false); error != 0) return cannot_listen(path, error);
  return made;
}

std::string peer_address(int connected_socket) {
  Place place{.size = sizeof(sockaddr_storage)};
  if (::getpeername(connected_socket, place.pointer(), &place.size) != 0) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (place.family() == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &place.storage, sizeof four);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
  } else if (place.family() == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &place.storage, sizeof six);
    const auto* bytes = six.sin6_addr.s6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
      ::inet_ntop(AF_INET, bytes + 12, text.data(), text.size());
    } else {
      ::inet_ntop(AF_INET6, bytes, text.data(), text.size());
    }
  } else {
    return {};
  }
  return text_of(text.data(), port_of(place));
}

}  // namespace basalt::net
