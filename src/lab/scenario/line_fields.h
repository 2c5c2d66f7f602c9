// The key=value words of one line, taken one by one.
//
// Every getter notes that its key is understood on this kind of line; finish() then refuses what nobody took and lists
// what is understood. The first bad value is kept as the error and the getters go on with fallbacks, so a caller reads
// all its fields and checks once, at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "kube/api/typed_decode.h"
#include "lab/scenario/scenario_script.h"

namespace basalt::lab::scenario {

class LineFields {
 public:
  // The words of `line` from index `first` on.
  LineFields(const ScriptLine& line, size_t first);

  [[nodiscard]] bool flag(std::string_view name);  // a bare word
  [[nodiscard]] bool has(std::string_view key);
  [[nodiscard]] std::string text(std::string_view key, std::string_view fallback = "");
  [[nodiscard]] int64_t number(std::string_view key, int64_t fallback, int64_t min, int64_t max);
  [[nodiscard]] int32_t number32(std::string_view key, int32_t fallback, int32_t min = INT32_MIN,
                                 int32_t max = INT32_MAX);
  [[nodiscard]] bool boolean(std::string_view key, bool fallback);
  [[nodiscard]] std::optional<bool> optional_boolean(std::string_view key);
  [[nodiscard]] Duration duration(std::string_view key, Duration fallback);
  [[nodiscard]] std::vector<std::string> list(std::string_view key);  // a,b,c
  [[nodiscard]] api::StringMap labels(std::string_view key);          // a=x,b=y
  [[nodiscard]] api::ResourceList resources(std::string_view key);    // cpu=4,memory=8Gi
  // Every word of the line itself that names a resource: cpu=4 memory=8Gi nvidia.com/gpu=1
  [[nodiscard]] api::ResourceList own_resources();
  // Parses the value with `parse`, a function string_view → Result<T>; T() if the key is not there.
  template <class Parse>
  [[nodiscard]] auto parsed(std::string_view key, Parse parse) {
    using Value = typename decltype(parse(std::string_view()))::value_type;
    const std::string* value = take(key);
    if (value == nullptr) return Value();
    auto result = parse(std::string_view(*value));
    if (result) return Value(std::move(*result));
    refuse(key, result.error());
    return Value();
  }

  // An error if a value was bad or a word was not understood.
  [[nodiscard]] Result<void> finish();

 private:
  const std::string* take(std::string_view key);
  void refuse(std::string_view key, const Error& error);

  struct Entry {
    const ScriptWord* word = nullptr;
    bool taken = false;
  };
  std::vector<Entry> entries_;
  std::vector<std::string> understood_;
  std::optional<Error> error_;
};

// A length of time that is not negative. Scenarios play within a human life: what is longer is a slip.
inline constexpr Duration kMaxLength = Duration::seconds(int64_t{50} * 366 * 86'400);
[[nodiscard]] Result<Duration> parse_length(std::string_view text);

// Pieces of `text` between `separator`, outside of parentheses, without blanks around them. Empty text: no pieces.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text, char separator);
[[nodiscard]] Result<api::StringMap> parse_labels(std::string_view text);
[[nodiscard]] Result<api::ResourceList> parse_resources(std::string_view text);

}  // namespace basalt::lab::scenario
