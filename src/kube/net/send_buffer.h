// The bytes that a connection still has to send, in order: text that was put together here, then at most one large body
// that was handed over whole and is not copied again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace basalt::net {

class SendBuffer {
 public:
  // A TLS record. A body that fits one with its head travels with it.
  static constexpr size_t kRecordBytes = size_t{16} * 1024;

  [[nodiscard]] bool empty() const { return text_sent_ == text_.size() && body_sent_ == body_.size(); }
  // To be added to. Requires: no body is waiting.
  [[nodiscard]] std::string& text() { return text_; }
  // Behind the text. The first record gets filled up with it.
  void put_body(std::string body);
  // What is next; never empty unless the box is.
  [[nodiscard]] std::string_view next() const;
  void sent(size_t bytes);
  // Gives the memory back too.
  void clear();

 private:
  std::string text_, body_;
  size_t text_sent_ = 0, body_sent_ = 0;
};

}  // namespace basalt::net
