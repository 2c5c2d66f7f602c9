#include "kube/text/field.h"

#include <cmath>

#include "kube/text/document_path.h"

namespace basalt::text {
namespace {

// Extends `path` (the path of `from`) to the path of `target`; false and `path` unchanged if it is not below `from`.
// Recursion is bounded by the nesting limits of the readers.
bool find_path(const Value& from, const Value* target, std::string& path) {
  if (&from == target) return true;
  const size_t mark = path.size();
  if (const Object* object = from.if_object()) {
    for (const auto& member : *object) {
      append_key(path, member.key());
      if (find_path(member.value(), target, path)) return true;
      path.resize(mark);
    }
  } else if (const Array* array = from.if_array()) {
    for (size_t i = 0; i < array->size(); ++i) {
      append_index(path, i);
      if (find_path((*array)[i], target, path)) return true;
      path.resize(mark);
    }
  }
  return false;
}

}  // namespace

Field Field::step(const Value* value, std::string_view key, size_t index) const {
  Field next = *this;
  if (value_ == nullptr || misplaced_) return next;  // the first missing or misplaced step is the one to name
  next.parent_ = value_;
  next.value_ = value;
  next.key_ = key;
  next.index_ = index;
  return next;
}

Field Field::field(std::string_view key) const {
  if (value() == nullptr) return step(nullptr, key, kNoIndex);
  if (!value_->is_object()) {
    Field misplaced = step(value_, key, kNoIndex);
    misplaced.misplaced_ = true;
    return misplaced;
  }
  return step(find_member(*value_, key), key, kNoIndex);
}

Field Field::at(size_t index) const {
  if (value() == nullptr) return step(nullptr, {}, index);
  const Array* array = value_->if_array();
  if (array == nullptr) {
    Field misplaced = step(value_, {}, index);
    misplaced.misplaced_ = true;
    return misplaced;
  }
  return step(index < array->size() ? &(*array)[index] : nullptr, {}, index);
}

std::string Field::path() const {
  std::string path;
  if (misplaced_) {
    find_path(*root_, parent_, path);
  } else if (value_ != nullptr) {
    find_path(*root_, value_, path);
  } else {
    find_path(*root_, parent_, path);
    if (index_ == kNoIndex) {
      append_key(path, key_);
    } else {
      append_index(path, index_);
    }
  }
  return path;
}

uint32_t Field::line() const { return lines_ == nullptr ? 0 : lines_->line_of(path()); }

Error Field::error(std::string_view what) const {
  std::string place = path();
  std::string message;
  if (const uint32_t at_line = lines_ == nullptr ? 0 : lines_->line_of(place); at_line != 0) {
    message = "line " + std::to_string(at_line) + ": ";
  }
  if (!place.empty()) message += place + ": ";
  message += what;
  return Error{.code = ErrorCode::Invalid, .message = std::move(message)};
}

std::unexpected<Error> Field::wrong_type(std::string_view expected) const {
  if (misplaced_) {
    const std::string container = index_ == kNoIndex ? "an object" : "a list";
    return std::unexpected(error("expected " + container + ", got " + describe(*parent_)));
  }
  if (!given()) return std::unexpected(error("is required: give " + std::string(expected)));
  return std::unexpected(error("expected " + std::string(expected) + ", got " + describe(*value_)));
}

Result<std::string> Field::as_string() const {
  const Value* here = value();
  if (here == nullptr || !here->is_string()) return wrong_type("a string");
  return std::string(std::string_view(here->get_string()));
}

Result<int64_t> Field::as_int() const {
  const Value* here = value();
  if (here == nullptr || !here->is_int64()) {
    return wrong_type(here != nullptr && here->is_uint64() ? "an integer below 2^63" : "an integer");
  }
  return here->get_int64();
}

Result<int32_t> Field::as_int32() const {
  const Result<int64_t> wide = as_int();
  if (!wide) return std::unexpected(wide.error());
  if (*wide < std::numeric_limits<int32_t>::min() || *wide > std::numeric_limits<int32_t>::max()) {
    return wrong_type("an integer of 32 bits");
  }
  return static_cast<int32_t>(*wide);
}

Result<double> Field::as_double() const {
  const Value* here = value();
  if (here == nullptr || !here->is_number()) return wrong_type("a number");
  const auto number = here->is_double()  ? here->get_double()
                      : here->is_int64() ? static_cast<double>(here->get_int64())
                                         : static_cast<double>(here->get_uint64());
  if (!std::isfinite(number)) return wrong_type("a finite number");
  return number;
}

Result<bool> Field::as_bool() const {
  const Value* here = value();
  if (here == nullptr || !here->is_bool()) return wrong_type("true or false");
  return here->get_bool();
}

Result<const Array*> Field::as_array() const {
  const Value* here = value();
  if (here == nullptr || !here->is_array()) return wrong_type("a list");
  return &here->get_array();
}

Result<const Object*> Field::as_object() const {
  const Value* here = value();
  if (here == nullptr || !here->is_object()) return wrong_type("an object");
  return &here->get_object();
}

Result<std::string> Field::as_text() const {
  const Value* here = value();
  if (here == nullptr || here->is_structured()) return wrong_type("a string");
  return here->is_string() ? std::string(std::string_view(here->get_string())) : to_json(*here);
}

Result<std::string> Field::string_or(std::string_view fallback) const {
  return given() ? as_string() : std::string(fallback);
}
Result<int64_t> Field::int_or(int64_t fallback) const { return given() ? as_int() : fallback; }
Result<double> Field::double_or(double fallback) const { return given() ? as_double() : fallback; }
Result<bool> Field::bool_or(bool fallback) const { return given() ? as_bool() : fallback; }

}  // namespace basalt::text
