#include "server/store/record.h"

#include <charconv>
#include <limits>
#include <thread>

namespace basalt::store {

void Record::append_json(std::string& out) const {
  constexpr std::string_view kBefore = "\"resourceVersion\":\"", kAfter = "\",";
  char digits[std::numeric_limits<Revision>::digits10 + 1];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), revision_);
  const std::string_view number(digits, static_cast<size_t>(end - digits));
  const std::string_view text = bytes_;
  out.reserve(out.size() + text.size() + kBefore.size() + number.size() + kAfter.size());
  out.append(text.substr(0, version_at_))
      .append(kBefore)
      .append(number)
      .append(kAfter)
      .append(text.substr(version_at_));
}

std::shared_ptr<const text::Value> Record::remembered(const std::shared_ptr<const text::Value>& fresh) const {
  while (object_busy_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  std::shared_ptr<const text::Value> object = object_.lock();
  if (object == nullptr && fresh != nullptr) {
    object_ = fresh;
    object = fresh;
  }
  object_busy_.clear(std::memory_order_release);
  return object;
}

std::shared_ptr<const text::Value> Record::object() const {
  if (auto object = remembered(nullptr)) return object;
  return remembered(std::make_shared<const text::Value>(parse()));
}

text::Value Record::copy_object() const {
  if (const auto object = remembered(nullptr)) return *object;
  return parse();
}

text::Value Record::parse() const {
  std::string json;
  append_json(json);
  Result<text::Value> parsed = text::parse_json(json);
  return parsed ? std::move(*parsed) : text::Value();
}

void Record::remember(const std::shared_ptr<const text::Value>& object) const { (void)remembered(object); }

}  // namespace basalt::store
