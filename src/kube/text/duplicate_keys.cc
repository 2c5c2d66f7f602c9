#include "kube/text/duplicate_keys.h"

#include <algorithm>
#include <set>

namespace basalt::text {
namespace {

// Behind the quote that closes the string which opens at `at`.
size_t string_end(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return std::min(at + 1, json.size());
}

size_t keys_in(std::string_view json) {
  size_t keys = 0;
  for (size_t at = 0; at < json.size();) {
    if (json[at] == ':') ++keys;
    at = json[at] == '"' ? string_end(json, at) : at + 1;
  }
  return keys;
}

// Recursion is bounded by the depth that parse_json takes.
size_t members_in(const Value& value) {
  size_t members = 0;
  if (const Object* object = value.if_object()) {
    members = object->size();
    for (const auto& member : *object) members += members_in(member.value());
  } else if (const Array* array = value.if_array()) {
    for (const Value& element : *array) members += members_in(element);
  }
  return members;
}

// Reads a text that is known to be JSON, and keeps of each open object the keys that were read.
class Scan {
 public:
  Scan(std::string_view json, size_t most) : json_(json), most_(most) {}

  std::vector<std::string> run() {
    for (size_t at = 0; at < json_.size() && found_.size() < most_;) {
      const char c = json_[at];
      if (c == '"') {
        const size_t end = string_end(json_, at);
        take_string(json_.substr(at, end - at), end);
        at = end;
        continue;
      }
      if (c == '{' || c == '[') open_.push_back({.list = c == '['});
      if ((c == '}' || c == ']') && !open_.empty()) open_.pop_back();
      if (c == ',' && !open_.empty() && open_.back().list) ++open_.back().index;
      ++at;
    }
    return std::move(found_);
  }

 private:
  struct Level {
    bool list = false;
    size_t index = 0;
    std::string key;  // the last one
    std::set<std::string> keys;
  };

  void take_string(std::string_view quoted, size_t end) {
    const size_t next = json_.find_first_not_of(" \t\r\n", end);
    if (next == std::string_view::npos || json_[next] != ':' || open_.empty()) return;  // a value, not a key
    const auto key = parse_json(quoted);
    if (!key || !key->is_string()) return;
    Level& level = open_.back();
    level.key = std::string_view(key->get_string());
    if (level.keys.insert(level.key).second) return;
    std::string path = path_here();
    if (std::ranges::find(found_, path) == found_.end()) found_.push_back(std::move(path));
  }

  [[nodiscard]] std::string path_here() const {
    std::string path;
    for (const Level& level : open_) {
      if (level.list) {
        path += "[" + std::to_string(level.index) + "]";
      } else {
        path += (path.empty() ? "" : ".") + level.key;
      }
    }
    return path;
  }

  std::string_view json_;
  size_t most_;
  std::vector<Level> open_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> duplicate_keys(std::string_view json, const Value& value, size_t most) {
  if (keys_in(json) == members_in(value)) return {};
  return Scan(json, most).run();
}

}  // namespace basalt::text
