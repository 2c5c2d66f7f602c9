// Objects that admission reads with every request (the namespace, priority classes, queues), kept parsed.
//
// A record never changes, so what was parsed from it stays right; whoever asks for a newer record gets that one parsed.
// Bounded: when kMaxObjects are held, all are let go and the next requests fill it again. Threads: any.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "server/store/record.h"

namespace basalt::server {

class ParsedObjectCache {
 public:
  static constexpr size_t kMaxObjects = 512;

  [[nodiscard]] std::shared_ptr<const text::Value> object(const store::RecordPtr& record) {
    {
      const std::lock_guard guard(lock_);
      if (const auto at = held_.find(record); at != held_.end()) return at->second;
    }
    auto object = record->object();  // parses: nobody should wait for that
    const std::lock_guard guard(lock_);
    if (held_.size() >= kMaxObjects) held_.clear();
    return held_.emplace(record, std::move(object)).first->second;
  }

 private:
  std::mutex lock_;
  std::unordered_map<store::RecordPtr, std::shared_ptr<const text::Value>> held_;
};

}  // namespace basalt::server
