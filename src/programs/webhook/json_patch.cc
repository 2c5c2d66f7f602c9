#include "programs/webhook/json_patch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kube/text/patch.h"

namespace basalt::webhook {
namespace {

// A pointer that grows and shrinks with the walk.
class Pointer {
 public:
  class Step {
   public:
    Step(Pointer& pointer, std::string_view key) : pointer_(pointer), size_(pointer.text_.size()) {
      pointer.text_ += '/';
      for (const char c : key) {
        if (c == '~') {
          pointer.text_ += "~0";
        } else if (c == '/') {
          pointer.text_ += "~1";
        } else {
          pointer.text_ += c;
        }
      }
    }
    Step(Pointer& pointer, size_t index) : Step(pointer, std::to_string(index)) {}
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { pointer_.text_.resize(size_); }

   private:
    Pointer& pointer_;
    size_t size_;
  };
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Difference {
 public:
  void between(const text::Value& from, const text::Value& to) {
    if (full()) return;
    if (from.is_object() && to.is_object()) return between(from.get_object(), to.get_object());
    if (from.is_array() && to.is_array()) return between(from.get_array(), to.get_array());
    if (from != to || from.kind() != to.kind()) say("replace", &to);
  }
  void between(const text::Object& from, const text::Object& to) {
    for (const auto& member : from) {
      if (to.contains(member.key())) continue;
      const Pointer::Step step(at_, member.key());
      say("remove", nullptr);
    }
    for (const auto& member : to) {
      const Pointer::Step step(at_, member.key());
      const text::Value* old = from.if_contains(member.key());
      if (old == nullptr) {
        say("add", &member.value());
      } else {
        between(*old, member.value());
      }
    }
  }
  [[nodiscard]] bool full() const { return patch_.size() > text::kMaxJsonPatchOperations; }
  [[nodiscard]] text::Array take() { return std::move(patch_); }

 private:
  void between(const text::Array& from, const text::Array& to) {
    const size_t both = std::min(from.size(), to.size());
    for (size_t i = 0; i < both; ++i) {
      const Pointer::Step step(at_, i);
      between(from[i], to[i]);
    }
    for (size_t i = from.size(); i > both; --i) {  // from the end: indices before it stay what they are
      const Pointer::Step step(at_, i - 1);
      say("remove", nullptr);
    }
    for (size_t i = both; i < to.size(); ++i) {
      const Pointer::Step step(at_, i);
      say("add", &to[i]);
    }
  }
  void say(std::string_view operation, const text::Value* value) {
    if (full()) return;
    text::Object one{{"op", operation}, {"path", at_.text()}};
    if (value != nullptr) one["value"] = *value;
    patch_.emplace_back(std::move(one));
  }

  Pointer at_;
  text::Array patch_;
};

// Of a document that changed in very many places: its members as a whole.
text::Array coarse_patch(const text::Object& from, const text::Object& to) {
  text::Array patch;
  for (const auto& member : from) {
    if (to.contains(member.key())) continue;
    Pointer at;
    const Pointer::Step step(at, member.key());
    patch.emplace_back(text::Object{{"op", "remove"}, {"path", at.text()}});
  }
  for (const auto& member : to) {
    const text::Value* old = from.if_contains(member.key());
    if (old != nullptr && *old == member.value()) continue;
    Pointer at;
    const Pointer::Step step(at, member.key());
    patch.emplace_back(text::Object{{"op", "add"}, {"path", at.text()}, {"value", member.value()}});
  }
  return patch;
}

}  // namespace

text::Array json_patch_between(const text::Object& from, const text::Object& to) {
  Difference difference;
  difference.between(from, to);
  return difference.full() ? coarse_patch(from, to) : difference.take();
}

}  // namespace basalt::webhook
