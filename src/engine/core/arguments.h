// The free-form arguments of a plugin or action, with the typing rules of volcano-scheduler.conf.
//
// Integer getters take only integers (a quoted number is not one), float getters floats or integers, bool getters bools
// or the spellings of Go's ParseBool, string getters strings. An absent or null key gives the fallback; a value of
// another type is an error that names the key and what was expected.
//
// What the getters were asked for is remembered: a key that nobody asked for is one that its plugin does not know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace basalt::engine {

struct Argument;
using ArgumentMap = std::map<std::string, Argument, std::less<>>;
using ArgumentList = std::vector<Argument>;

struct Argument {
  std::variant<std::monostate, bool, int64_t, double, std::string, ArgumentList, ArgumentMap> value;
};

class Arguments {
 public:
  Arguments() = default;
  explicit Arguments(ArgumentMap map) : map_(std::move(map)) {}

  [[nodiscard]] Result<int64_t> get_int(std::string_view key, int64_t fallback) const;
  [[nodiscard]] Result<double> get_float(std::string_view key, double fallback) const;
  [[nodiscard]] Result<bool> get_bool(std::string_view key, bool fallback) const;
  [[nodiscard]] Result<std::string> get_string(std::string_view key, std::string_view fallback) const;
  [[nodiscard]] const Argument* find(std::string_view key) const;
  [[nodiscard]] const ArgumentMap& all() const { return map_; }

  // The keys that a getter or find() was asked for, given or not.
  [[nodiscard]] const std::set<std::string, std::less<>>& asked() const { return asked_; }
  // The first key by name that is given and was not asked for; "": none.
  [[nodiscard]] std::string_view unasked() const;

 private:
  ArgumentMap map_;
  mutable std::set<std::string, std::less<>> asked_;  // a record of reads; it changes no answer but those about itself
};

}  // namespace basalt::engine
