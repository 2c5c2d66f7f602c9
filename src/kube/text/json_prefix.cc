#include "kube/text/json_prefix.h"

#include "kube/text/utf8.h"

namespace basalt::text {
namespace {

class PrefixPrinter {
 public:
  explicit PrefixPrinter(size_t max_bytes) : max_bytes_(max_bytes) {}

  void print(const Value& value) {
    if (is_full()) return;
    if (const Array* list = value.if_array()) {
      out_ += '[';
      for (const Value& element : *list) {
        if (&element != list->begin()) out_ += ',';
        print(element);
        if (is_full()) return;
      }
      out_ += ']';
    } else if (const Object* object = value.if_object()) {
      out_ += '{';
      for (const auto& member : *object) {
        if (&member != object->begin()) out_ += ',';
        print_string(member.key());
        out_ += ':';
        print(member.value());
        if (is_full()) return;
      }
      out_ += '}';
    } else if (const auto* string = value.if_string()) {
      print_string({string->data(), string->size()});
    } else {
      append_json(out_, value);
    }
  }
  [[nodiscard]] std::string finish() && {
    if (!is_full()) return std::move(out_);
    return std::string(utf8_prefix(out_, max_bytes_)).append("...");
  }

 private:
  [[nodiscard]] bool is_full() const { return out_.size() > max_bytes_; }
  // One byte more than fits makes it full.
  void print_string(std::string_view text) { append_json_string(out_, text.substr(0, max_bytes_ + 1)); }

  size_t max_bytes_;
  std::string out_;
};

}  // namespace

std::string json_prefix(const Value& value, size_t max_bytes) {
  PrefixPrinter printer(max_bytes);
  printer.print(value);
  return std::move(printer).finish();
}

}  // namespace basalt::text
