// One version of one object, as bytes.
//
// A Record never changes once made. Its bytes are the object's JSON without metadata.resourceVersion, because the
// revision is known only when the write is ordered: `version_at` is where the text `"resourceVersion":"<n>",` belongs,
// and append_json() puts it there. So an object is serialised once, whoever reads it later.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kube/text/json.h"

namespace basalt::store {

using Revision = uint64_t;  // 0: none

// Where an object lives: resource "pods" or "jobs.batch.volcano.sh", key "namespace/name" or "name".
struct Address {
  std::string resource, key;
  friend auto operator<=>(const Address&, const Address&) = default;
};

class Record {
 public:
  Record(std::string key, Revision revision, bool deleted, std::string bytes, uint32_t version_at)
      : key_(std::move(key)),
        bytes_(std::move(bytes)),
        revision_(revision),
        version_at_(version_at),
        deleted_(deleted) {}

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] Revision revision() const { return revision_; }
  // The last state of an object that is gone; its revision is that of the deletion.
  [[nodiscard]] bool deleted() const { return deleted_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] uint32_t version_at() const { return version_at_; }

  // The object's JSON, with its resourceVersion, at the end of `out`. Cost: one copy.
  void append_json(std::string& out) const;
  // The object as a value, with its resourceVersion; a null value when the bytes are no JSON. Parsed when nobody holds
  // it already; shared by all who ask while one of them holds it, so that a crowd of readers pays once and an idle
  // store holds only bytes.
  [[nodiscard]] std::shared_ptr<const text::Value> object() const;
  // The same as a value of the caller's own, to be changed: copied when somebody holds it, else parsed.
  [[nodiscard]] text::Value copy_object() const;
  // The writer has the value at hand and saves readers the parsing. Requires: it equals what object() would parse.
  void remember(const std::shared_ptr<const text::Value>& object) const;

 private:
  [[nodiscard]] text::Value parse() const;
  // What is remembered, or `fresh`, which is then remembered if it is not null.
  std::shared_ptr<const text::Value> remembered(const std::shared_ptr<const text::Value>& fresh) const;

  std::string key_, bytes_;
  Revision revision_;
  uint32_t version_at_;
  bool deleted_;
  // A lock of one byte for a few instructions: std::atomic<std::weak_ptr> of gcc 12 is not free of races.
  mutable std::atomic_flag object_busy_;
  mutable std::weak_ptr<const text::Value> object_;
};

using RecordPtr = std::shared_ptr<const Record>;

// What a watcher sees: `now` is the new state (deleted() tells a removal), `before` the one it replaced (null:
// created).
struct StoreEvent {
  RecordPtr now, before;
};

}  // namespace basalt::store
