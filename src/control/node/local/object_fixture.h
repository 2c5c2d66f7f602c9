// Shared by tests of what a pod sees: objects written as JSON, a PodObjectLookup over them, a temporary directory.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "control/node/local/object_lookup.h"
#include "control/node/local/remove_tree.h"
#include "kube/api/object_fields.h"
#include "kube/text/json.h"

namespace basalt::node {

inline text::Object json(std::string_view text) {
  auto value = text::parse_json(text);
  EXPECT_TRUE(value) << (value ? "" : value.error().message) << "\n" << text;
  return value && value->is_object() ? value->get_object() : text::Object();
}

class ObjectFixture {
 public:
  // By kind and name; the namespace is "blue" unless the object has one.
  void put(std::string_view text) {
    text::Object object = json(text);
    if (api::namespace_of(object).empty()) api::metadata_of(object)["namespace"] = "blue";
    const std::string kind(api::string_at(object, "kind"));
    objects_[kind][api::key_of(object)] = std::move(object);
  }
  void lose(const std::string& kind, const std::string& key) { objects_[kind].erase(key); }

  [[nodiscard]] PodObjectLookup lookup() const {
    return {.config_map = finder("ConfigMap"),
            .secret = finder("Secret"),
            .claim = finder("PersistentVolumeClaim"),
            .volume = finder("PersistentVolume"),
            .services = [this] { return services(); },
            .token = {}};
  }
  [[nodiscard]] std::vector<const text::Object*> services() const {
    std::vector<const text::Object*> out;
    if (const auto kind = objects_.find("Service"); kind != objects_.end()) {
      for (const auto& [key, object] : kind->second) out.push_back(&object);
    }
    return out;
  }

 private:
  [[nodiscard]] PodObjectLookup::Find finder(const std::string& kind) const {
    return [this, kind](std::string_view ns, std::string_view name) -> const text::Object* {
      const auto objects = objects_.find(kind);
      if (objects == objects_.end()) return nullptr;
      const auto object = objects->second.find(std::string(ns.empty() ? "blue" : ns) + "/" + std::string(name));
      return object == objects->second.end() ? nullptr : &object->second;
    };
  }

  std::map<std::string, std::map<std::string, text::Object>> objects_;
};

class TestDirectory {
 public:
  TestDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "basalt-node-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = std::filesystem::canonical(pattern);
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;
  ~TestDirectory() { EXPECT_TRUE(remove_tree(path_)); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "(none)";
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void put_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace basalt::node
