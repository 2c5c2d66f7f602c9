// What the generated views of objects are made of (PodView and the like, in headers of kube/api/views; views.txt lists
// them).
//
//   const api::PodView pod(object);
//   if (pod.spec().node_name().empty()) …
//   for (const api::ContainerView container : pod.spec().containers()) …
//
// 1. Reading never fails: what is absent or of another type reads as its zero value, as it would in Go. Objects of the
//    store have been checked against their schema, so "of another type" does not happen there.
// 2. A view is one pointer into the JSON value, which must outlive it and what it answers; like any pointer into JSON
//    it does not survive an insert. Copy it freely. It reads nothing before it is asked.
// 3. A part that is absent is a view that is false and whose every field is zero: pod.status().phase() is "" as well
//    when there is no status.
//
// Cost: one lookup in the object per field that is read, no allocation.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "kube/text/json.h"

namespace basalt::api {

// An object. The generated classes add the fields:
//   string, time, bytes   std::string_view
//   int…, bool            int64_t, bool; std::optional of them where Go has a pointer (neither `omit` nor `write`), and
//                         in Volcano's kinds, whose types do not say what Go has
//   a type, [T], {T}      a view, ListView, MapView
//   all others            const text::Value*: quantities, int-or-string, any; nullptr when absent or null
class View {
 public:
  View() = default;
  explicit View(const text::Object* object) : object_(object) {}
  explicit View(const text::Object& object) : object_(&object) {}
  explicit View(const text::Value& value) : object_(value.if_object()) {}
  explicit View(const text::Object&&) = delete;
  explicit View(const text::Value&&) = delete;

  [[nodiscard]] explicit operator bool() const { return object_ != nullptr; }
  [[nodiscard]] const text::Object* json() const { return object_; }  // nullptr: absent

 protected:
  [[nodiscard]] const text::Value* read_value(std::string_view name) const {
    const text::Value* value = object_ == nullptr ? nullptr : object_->if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  [[nodiscard]] std::string_view read_string(std::string_view name) const {
    const text::Value* value = read_value(name);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
  }
  [[nodiscard]] std::optional<int64_t> read_int(std::string_view name) const {
    const text::Value* value = read_value(name);
    return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
  }
  [[nodiscard]] std::optional<bool> read_bool(std::string_view name) const {
    const text::Value* value = read_value(name);
    return value != nullptr && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
  }
  [[nodiscard]] const text::Object* read_object(std::string_view name) const {
    const text::Value* value = read_value(name);
    return value == nullptr ? nullptr : value->if_object();
  }
  [[nodiscard]] const text::Array* read_array(std::string_view name) const {
    const text::Value* value = read_value(name);
    return value == nullptr ? nullptr : value->if_array();
  }

 private:
  const text::Object* object_ = nullptr;
};

template <class T>
class ListView;

// What a list or a map can hold.
template <class T>
concept Viewed = std::derived_from<T, View> || std::same_as<T, std::string_view> || std::same_as<T, int64_t> ||
                 std::same_as<T, bool> || std::same_as<T, const text::Value*> || requires { typename T::Element; };

// The element as T; nothing when it is of another type.
template <Viewed T>
[[nodiscard]] std::optional<T> viewed_as(const text::Value& value) {
  if constexpr (std::same_as<T, std::string_view>) {
    return value.is_string() ? std::optional<T>(value.get_string()) : std::nullopt;
  } else if constexpr (std::same_as<T, int64_t>) {
    return value.is_int64() ? std::optional<T>(value.get_int64()) : std::nullopt;
  } else if constexpr (std::same_as<T, bool>) {
    return value.is_bool() ? std::optional<T>(value.get_bool()) : std::nullopt;
  } else if constexpr (std::same_as<T, const text::Value*>) {
    return &value;
  } else if constexpr (std::derived_from<T, View>) {
    return value.is_object() ? std::optional<T>(value.get_object()) : std::nullopt;
  } else {
    return value.is_array() ? std::optional<T>(&value.get_array()) : std::nullopt;
  }
}

// Walks over the elements or members that are of type T; others are passed by.
template <class Place, class Read>
class ViewIterator {
 public:
  ViewIterator(Place at, Place end) : at_(at), end_(end) { pass_by(); }
  [[nodiscard]] auto operator*() const { return *Read()(*at_); }
  ViewIterator& operator++() {
    ++at_;
    pass_by();
    return *this;
  }
  [[nodiscard]] bool operator==(const ViewIterator& other) const { return at_ == other.at_; }

 private:
  void pass_by() {
    while (at_ != end_ && !Read()(*at_)) ++at_;
  }
  Place at_, end_;
};

// A list, in its order.
template <class T>
class ListView {
 public:
  using Element = T;
  struct Read {
    std::optional<T> operator()(const text::Value& value) const { return viewed_as<T>(value); }
  };
  using Iterator = ViewIterator<const text::Value*, Read>;

  ListView() = default;
  explicit ListView(const text::Array* array) : array_(array) {}

  [[nodiscard]] explicit operator bool() const { return array_ != nullptr; }
  [[nodiscard]] const text::Array* json() const { return array_; }  // nullptr: absent
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] size_t size() const { return array_ == nullptr ? 0 : array_->size(); }  // of any type
  // Requires: index < size(). An element of another type is its zero value: a view that is false.
  [[nodiscard]] T operator[](size_t index) const { return viewed_as<T>((*array_)[index]).value_or(T()); }
  [[nodiscard]] Iterator begin() const { return Iterator(first(), first() + size()); }
  [[nodiscard]] Iterator end() const { return Iterator(first() + size(), first() + size()); }

 private:
  [[nodiscard]] const text::Value* first() const { return array_ == nullptr ? nullptr : array_->data(); }
  const text::Array* array_ = nullptr;
};

// A map from strings, in the order of the object: pairs of key and value.
template <class T>
class MapView {
 public:
  struct Read {
    std::optional<std::pair<std::string_view, T>> operator()(const boost::json::key_value_pair& member) const {
      const std::optional<T> value = viewed_as<T>(member.value());
      return value ? std::optional(std::pair(std::string_view(member.key()), *value)) : std::nullopt;
    }
  };
  using Iterator = ViewIterator<const boost::json::key_value_pair*, Read>;

  MapView() = default;
  explicit MapView(const text::Object* object) : object_(object) {}

  [[nodiscard]] explicit operator bool() const { return object_ != nullptr; }
  [[nodiscard]] const text::Object* json() const { return object_; }  // nullptr: absent
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] size_t size() const { return object_ == nullptr ? 0 : object_->size(); }  // of any type
  [[nodiscard]] std::optional<T> find(std::string_view key) const {
    const text::Value* value = object_ == nullptr ? nullptr : object_->if_contains(key);
    return value == nullptr ? std::nullopt : viewed_as<T>(*value);
  }
  // The zero value when there is no such key.
  [[nodiscard]] T operator[](std::string_view key) const { return find(key).value_or(T()); }
  [[nodiscard]] Iterator begin() const { return Iterator(first(), first() + size()); }
  [[nodiscard]] Iterator end() const { return Iterator(first() + size(), first() + size()); }

 private:
  [[nodiscard]] const boost::json::key_value_pair* first() const {
    return object_ == nullptr ? nullptr : object_->begin();
  }
  const text::Object* object_ = nullptr;
};

using StringMapView = MapView<std::string_view>;

}  // namespace basalt::api
