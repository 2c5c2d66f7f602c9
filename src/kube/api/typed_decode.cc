#include "kube/api/typed_decode.h"

#include "base/ascii.h"
#include "kube/text/rfc3339.h"

namespace basalt::api {
namespace {

// Stores a Result<T>'s value, or passes its error on.
template <class T>
Result<void> store(Result<T> result, T& out) {
  if (!result) return std::unexpected(std::move(result.error()));
  out = *std::move(result);
  return {};
}

}  // namespace

Result<void> read(const text::Field& at, std::string& out) {
  return at.given() ? store(at.as_string(), out) : Result<void>();
}
Result<void> read(const text::Field& at, bool& out) { return at.given() ? store(at.as_bool(), out) : Result<void>(); }
Result<void> read(const text::Field& at, int32_t& out) {
  return at.given() ? store(at.as_int32(), out) : Result<void>();
}
Result<void> read(const text::Field& at, int64_t& out) { return at.given() ? store(at.as_int(), out) : Result<void>(); }

Result<void> read(const text::Field& at, text::Quantity& out) {
  if (!at.given()) return {};
  const text::Value* value = at.value();
  if (value != nullptr && value->is_string() && value->get_string().empty()) {
    out = {};  // Kubernetes reads the empty string as zero
    return {};
  }
  if (value != nullptr && (value->is_structured() || value->is_bool())) {
    return std::unexpected(at.error("expected a quantity, got " + text::describe(*value)));
  }
  const Result<std::string> written = at.as_text();
  if (!written) return std::unexpected(written.error());
  const Result<text::Quantity> quantity = text::Quantity::parse(trimmed(*written));
  if (!quantity) return std::unexpected(at.error(quantity.error().message));
  out = *quantity;
  return {};
}

Result<void> read(const text::Field& at, Instant& out) {
  if (!at.given()) return {};
  const Result<std::string> written = at.as_string();
  if (!written) return std::unexpected(written.error());
  const Result<Instant> instant = text::parse_time(*written);
  if (!instant) return std::unexpected(at.error(instant.error().message));
  out = *instant;
  return {};
}

std::string object_place(const text::Field& root, std::string_view kind) {
  const text::Field metadata = root.field("metadata");
  const std::string ns = metadata.field("namespace").string_or("").value_or("");
  const std::string name = metadata.field("name").string_or("").value_or("");
  return std::string(kind) + " " + (ns.empty() ? "" : ns + "/") + (name.empty() ? "(no name)" : name);
}

}  // namespace basalt::api
