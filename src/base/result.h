// Errors as values.
//
// Result<T> is std::expected with our Error. An Error names what is wrong and what to do about it: the message is
// shown to a person as it is. Codes map one to one to Kubernetes Status reasons.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace basalt {

enum class ErrorCode : uint8_t {
  Invalid,        // malformed or out of range input
  NotFound,       // a named thing does not exist
  AlreadyExists,  // a named thing exists already
  Unsupported,    // understood, but not offered here
  Io,             // the operating system refused
};

struct Error {
  ErrorCode code = ErrorCode::Invalid;
  std::string message;

  // The same error seen from further out: "conf.yaml: tiers[0]: unknown plugin".
  [[nodiscard]] Error within(std::string_view place) const {
    return Error{.code = code, .message = std::string(place) + ": " + message};
  }
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> invalid(std::string message) {
  return std::unexpected(Error{.code = ErrorCode::Invalid, .message = std::move(message)});
}
inline std::unexpected<Error> failure(ErrorCode code, std::string message) {
  return std::unexpected(Error{.code = code, .message = std::move(message)});
}

}  // namespace basalt
