#include "kube/text/patch.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/text/document_path.h"

namespace basalt::text {
namespace {

// Small objects keep the order of their members; in large ones order is worth less than O(1).
constexpr size_t kMaxStableErase = 64;

void erase_member(Object& object, Object::iterator at) {
  if (object.size() <= kMaxStableErase) {
    object.stable_erase(at);
  } else {
    object.erase(at);
  }
}

std::unexpected<Error> inapplicable(std::string message) { return failure(ErrorCode::NotFound, std::move(message)); }

// One step of a JSON pointer: ~1 is '/', ~0 is '~'.
std::string decode_step(std::string_view step) {
  std::string out;
  out.reserve(step.size());
  for (size_t i = 0; i < step.size(); ++i) {
    if (step[i] == '~' && i + 1 < step.size() && (step[i + 1] == '0' || step[i + 1] == '1')) {
      out.push_back(step[++i] == '0' ? '~' : '/');
    } else {
      out.push_back(step[i]);
    }
  }
  return out;
}

// An index as Go's Atoi reads it: an optional sign and digits. Negative counts from the end of `size` elements.
std::optional<size_t> array_index(std::string_view step, size_t size) {
  if (!step.empty() && step.front() == '+') step.remove_prefix(1);
  int64_t index = 0;
  const auto [end, code] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (code != std::errc() || end != step.data() + step.size()) return std::nullopt;
  if (index < 0) index += static_cast<int64_t>(size);
  if (index < 0 || static_cast<size_t>(index) >= size) return std::nullopt;
  return static_cast<size_t>(index);
}

// Adds the values that it looks at to `visited`.
size_t depth_of(const Value& value, size_t limit, size_t& visited) {
  ++visited;
  if (limit == 0) return 1;
  size_t deepest = 0;
  if (const Object* object = value.if_object()) {
    for (const auto& member : *object) deepest = std::max(deepest, depth_of(member.value(), limit - 1, visited));
  } else if (const Array* array = value.if_array()) {
    for (const Value& element : *array) deepest = std::max(deepest, depth_of(element, limit - 1, visited));
  }
  return deepest + 1;
}

// Of a value that is part of the patch, or of the document as it was given: paid for by its text.
size_t depth_of(const Value& value) {
  size_t visited = 0;
  return depth_of(value, kMaxJsonDepth, visited);
}

// The container that holds the last step of a pointer, that step, and how many steps led there.
struct Place {
  Value* container = nullptr;
  std::string step;
  size_t depth = 1;

  [[nodiscard]] Value* value() const {
    if (Object* object = container->if_object()) return object->if_contains(step);
    Array& array = container->as_array();
    const auto index = array_index(step, array.size());
    return index ? &array[*index] : nullptr;
  }
};

class Application {
 public:
  explicit Application(Value& document) : document_(document), depth_bound_(depth_of(document)) {}

  Result<void> apply(const Object& operation);

 private:
  Result<Place> place(std::string_view pointer) const;
  Result<void> put(const Place& at, Value value, size_t value_depth);
  Result<void> set_depth(size_t depth);
  Result<void> charge(size_t moves);
  Result<Value> take(const Place& at);
  Result<void> replace(std::string_view path, const Value* value);
  Result<void> copy(std::string_view from, std::string_view path);
  Result<void> test(std::string_view path, const Value* value) const;

  Value& document_;
  size_t copied_bytes_ = 0;
  size_t moves_ = 0;
  size_t depth_bound_;  // the document is at most this deep
};

Result<Place> Application::place(std::string_view pointer) const {
  const size_t first = pointer.find('/');
  if (first == std::string_view::npos) return inapplicable("the document has no path " + in_quotes(pointer));
  std::string_view rest = pointer.substr(first + 1);
  Value* at = &document_;
  size_t depth = 1;
  for (size_t slash = rest.find('/'); at != nullptr && slash != std::string_view::npos; slash = rest.find('/')) {
    if (!at->is_object() && !at->is_array()) break;
    at = Place{.container = at, .step = decode_step(rest.substr(0, slash))}.value();
    rest.remove_prefix(slash + 1);
    ++depth;
  }
  if (at == nullptr || (!at->is_object() && !at->is_array())) {
    return inapplicable("the document has no path " + in_quotes(pointer));
  }
  return Place{.container = at, .step = decode_step(rest), .depth = depth};
}

Result<void> Application::charge(size_t moves) {
  moves_ += moves;
  if (moves_ <= kMaxJsonPatchMoves) return {};
  return inapplicable("the patch moves more than " + std::to_string(kMaxJsonPatchMoves) +
                      " list elements: add at the end of long lists (\"-\"), or replace them as a whole");
}

// Something that reaches down to level `depth` was put in. Moves can nest a document without end, so the bound is kept
// after each; walking the whole document for the true depth is work that is charged.
Result<void> Application::set_depth(size_t depth) {
  depth_bound_ = std::max(depth_bound_, depth);
  if (depth_bound_ <= kMaxJsonDepth) return {};
  size_t visited = 0;
  depth_bound_ = depth_of(document_, kMaxJsonDepth, visited);
  if (const auto paid = charge(visited); !paid) return paid;
  if (depth_bound_ <= kMaxJsonDepth) return {};
  return inapplicable("the patched document would be nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
}

Result<void> Application::put(const Place& at, Value value, size_t value_depth) {
  if (Object* object = at.container->if_object()) {
    object->insert_or_assign(at.step, std::move(value));
    return set_depth(at.depth + value_depth);
  }
  Array& array = at.container->as_array();
  if (at.step == "-") {
    array.push_back(std::move(value));
    return set_depth(at.depth + value_depth);
  }
  const auto index = array_index(at.step, array.size() + 1);
  if (!index) return inapplicable(in_quotes(at.step) + " is no index of a list of " + std::to_string(array.size()));
  if (const auto paid = charge(array.size() - *index); !paid) return paid;
  array.insert(array.begin() + *index, std::move(value));
  return set_depth(at.depth + value_depth);
}

Result<Value> Application::take(const Place& at) {
  if (Object* object = at.container->if_object()) {
    const auto found = object->find(at.step);
    if (found == object->end()) return inapplicable("there is no member " + in_quotes(at.step));
    Value value = std::move(found->value());
    erase_member(*object, found);
    return value;
  }
  Array& array = at.container->as_array();
  const auto index = array_index(at.step, array.size());
  if (!index) return inapplicable(in_quotes(at.step) + " is no index of a list of " + std::to_string(array.size()));
  if (const auto paid = charge(array.size() - *index); !paid) return std::unexpected(paid.error());
  Value value = std::move(array[*index]);
  array.erase(array.begin() + *index);
  return value;
}

// An object's member that is not there yet is set, as Kubernetes does; a list's element must exist.
Result<void> Application::replace(std::string_view path, const Value* value) {
  if (path.empty()) {
    if (value == nullptr || (!value->is_object() && !value->is_array())) {
      return inapplicable("the whole document can only be replaced by an object or a list");
    }
    document_ = *value;
    return set_depth(depth_of(document_));
  }
  const auto at = place(path);
  if (!at) return std::unexpected(at.error());
  Value given = value == nullptr ? Value(nullptr) : *value;
  const size_t depth = depth_of(given);
  if (Value* there = at->value()) {
    *there = std::move(given);
    return set_depth(at->depth + depth);
  }
  if (at->container->is_array()) return inapplicable("the list has no element " + in_quotes(at->step));
  return put(*at, std::move(given), depth);
}

Result<void> Application::copy(std::string_view from, std::string_view path) {
  const auto source = place(from);
  if (!source) return std::unexpected(source.error());
  const Value* found = source->value();
  if (found == nullptr && source->container->is_array()) {
    return inapplicable("the list has no element " + in_quotes(source->step));
  }
  Value value = found == nullptr ? Value(nullptr) : *found;
  copied_bytes_ += to_json(value).size();
  if (copied_bytes_ > kMaxJsonPatchCopiedBytes) {
    return inapplicable("the patch copies more than " + std::to_string(kMaxJsonPatchCopiedBytes) + " bytes");
  }
  const auto at = place(path);
  if (!at) return std::unexpected(at.error());
  const size_t depth = depth_of(value);
  return put(*at, std::move(value), depth);
}

Result<void> Application::test(std::string_view path, const Value* value) const {
  const Value* found = &document_;
  if (!path.empty()) {
    const auto at = place(path);
    if (!at) return std::unexpected(at.error());
    found = at->value();
    if (found == nullptr && at->container->is_array()) {
      return inapplicable("the list has no element " + in_quotes(at->step));
    }
  }
  const bool found_null = found == nullptr || found->is_null();
  const bool asked_null = value == nullptr || value->is_null();
  if (found_null && asked_null) return {};
  if (found_null || asked_null || *found != *value) return inapplicable("the test of " + in_quotes(path) + " failed");
  return {};
}

// The string member `key`: nullptr when it is missing; its type was checked before.
const boost::json::string* text_of(const Object& operation, std::string_view key) {
  const Value* value = operation.if_contains(key);
  return value == nullptr ? nullptr : value->if_string();
}

Result<void> Application::apply(const Object& operation) {
  const auto* op = text_of(operation, "op");
  const auto* path = text_of(operation, "path");
  const auto* from = text_of(operation, "from");
  const Value* value = operation.if_contains("value");
  if (op == nullptr) return inapplicable("\"op\" is missing");
  const std::string_view verb = *op;
  const bool needs_from = verb == "move" || verb == "copy";
  if (!needs_from && verb != "add" && verb != "remove" && verb != "replace" && verb != "test") {
    return inapplicable("unknown operation " + in_quotes(verb));
  }
  if (path == nullptr) return inapplicable("\"path\" is missing");
  if (needs_from && from == nullptr) return inapplicable("\"from\" is missing");
  if (verb == "replace") return replace(*path, value);
  if (verb == "test") return test(*path, value);
  if (verb == "copy") return copy(*from, *path);
  if (verb == "add") {
    const auto at = place(*path);
    if (!at) return std::unexpected(at.error());
    return value == nullptr ? put(*at, nullptr, 1) : put(*at, *value, depth_of(*value));
  }
  const auto source = place(verb == "move" ? *from : *path);
  if (!source) return std::unexpected(source.error());
  auto taken = take(*source);
  if (!taken) return std::unexpected(taken.error());
  if (verb == "remove") return {};
  const auto at = place(*path);
  if (!at) return std::unexpected(at.error());
  return put(*at, std::move(*taken), depth_bound_ - std::min(depth_bound_, source->depth));
}

Result<void> check_shape(const Array& operations) {
  for (size_t i = 0; i < operations.size(); ++i) {
    const std::string where = "operation " + std::to_string(i) + ": ";
    if (operations[i].is_null()) continue;
    const Object* operation = operations[i].if_object();
    if (operation == nullptr) return invalid(where + "expected an object, got " + describe(operations[i]));
    for (const std::string_view key : {"op", "path", "from"}) {
      const Value* value = operation->if_contains(key);
      if (value != nullptr && !value->is_null() && !value->is_string()) {
        return invalid(where + std::string(key) + ": expected a string, got " + describe(*value));
      }
    }
  }
  return {};
}

void drop_nulls(Value& value) {
  if (Object* object = value.if_object()) {
    std::vector<std::string_view> nulls;
    for (auto& member : *object) {
      if (member.value().is_null()) {
        nulls.push_back(member.key());
      } else {
        drop_nulls(member.value());
      }
    }
    if (nulls.empty()) return;
    Object kept(object->storage());
    for (auto& member : *object) {
      if (!member.value().is_null()) kept.emplace(member.key(), std::move(member.value()));
    }
    *object = std::move(kept);
  } else if (Array* array = value.if_array()) {
    for (Value& element : *array) drop_nulls(element);
  }
}

Value without_nulls(const Value& patch) {
  Value value = patch;
  drop_nulls(value);
  return value;
}

void merge_into(Value& document, const Value& patch) {
  const Object* changes = patch.if_object();
  Object* object = document.if_object();
  if (changes == nullptr || object == nullptr) {
    // Lists that take an object's place stay as they are: what stands there was never looked into.
    document = object != nullptr ? patch : without_nulls(patch);
    return;
  }
  for (const auto& change : *changes) {
    const auto found = object->find(change.key());
    if (change.value().is_null()) {
      if (found != object->end()) erase_member(*object, found);
    } else if (found == object->end() || found->value().is_null()) {
      object->insert_or_assign(change.key(), without_nulls(change.value()));
    } else {
      merge_into(found->value(), change.value());
    }
  }
}

}  // namespace

Result<Value> json_patch(Value document, const Value& patch) {
  if (patch.is_null()) return document;
  const Array* operations = patch.if_array();
  if (operations == nullptr) return invalid("a JSON patch is a list of operations, got " + describe(patch));
  if (const auto shape = check_shape(*operations); !shape) return std::unexpected(shape.error());
  if (operations->size() > kMaxJsonPatchOperations) {
    return failure(ErrorCode::Unsupported, "a JSON patch has at most " + std::to_string(kMaxJsonPatchOperations) +
                                               " operations, got " + std::to_string(operations->size()));
  }
  static const Object kNoOperation;
  Application application(document);
  for (size_t i = 0; i < operations->size(); ++i) {
    const Object* operation = (*operations)[i].if_object();
    if (const auto done = application.apply(operation == nullptr ? kNoOperation : *operation); !done) {
      return std::unexpected(done.error().within("operation " + std::to_string(i)));
    }
  }
  return document;
}

Value merge_patch(Value document, const Value& patch) {
  merge_into(document, patch);
  return document;
}

}  // namespace basalt::text
