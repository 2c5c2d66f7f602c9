// Bundles of authorities: PEM certificates one after the other, as a caBundle holds them.
//
// Certificates compare by their text, brought into one form; what stands between them (comments of a file) is dropped.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt::webhook {

inline constexpr size_t kMaxAuthorities = 16;  // in one bundle; what comes behind is dropped

using Authorities = std::vector<std::string>;  // PEM, each with its line end

// By form alone, without a look at what the certificates say: cheap. Repetitions are left out.
[[nodiscard]] Authorities pem_blocks_in(std::string_view pem);
// Those among them that can be read.
[[nodiscard]] Authorities authorities_in(std::string_view pem);
[[nodiscard]] std::string bundle_of(const Authorities& authorities);

// Are all of `own` among `present`?
[[nodiscard]] bool has_all(const Authorities& present, const Authorities& own);

// The bundle that should stand where `present` stands; nothing: that one is right. Own authorities come first; others
// are kept while other replicas may still need them (`keep_others`). Requires: own is not empty.
[[nodiscard]] std::optional<std::string> next_bundle(std::string_view present, const Authorities& own,
                                                     bool keep_others);

}  // namespace basalt::webhook
