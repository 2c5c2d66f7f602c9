#include "lab/conformance/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace basalt::lab {

namespace {

constexpr size_t kMaxShownEntries = 5;

double number_of(const text::Value& value) {
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  return value.get_double();
}

bool same_number(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(a)); }

// Lists as sorted texts: they stand for multisets.
std::vector<std::string> sorted_texts(const text::Array& list) {
  std::vector<std::string> texts;
  for (const text::Value& item : list) texts.push_back(text::to_json(item));
  std::sort(texts.begin(), texts.end());
  return texts;
}

class DifferenceText {
 public:
  void add(std::string entry) {
    if (entries_++ >= kMaxShownEntries) return;
    if (!out_.empty()) out_ += "; ";
    out_ += entry;
  }
  std::string take() {
    if (entries_ > kMaxShownEntries) out_ += "; … " + std::to_string(entries_ - kMaxShownEntries) + " more";
    return std::move(out_);
  }

 private:
  std::string out_;
  size_t entries_ = 0;
};

std::string describe_objects(const text::Object& recorded, const text::Object& ours) {
  DifferenceText out;
  for (const auto& member : recorded) {
    const std::string key(member.key());
    const auto* other = ours.if_contains(member.key());
    if (other == nullptr) {
      out.add("only recorded: " + key + "=" + text::to_json(member.value()));
    } else if (!same_fact(member.value(), *other)) {
      out.add(key + ": " + describe_difference(member.value(), *other));
    }
  }
  for (const auto& member : ours) {
    if (!recorded.contains(member.key())) {
      out.add("only ours: " + std::string(member.key()) + "=" + text::to_json(member.value()));
    }
  }
  return out.take();
}

std::string describe_lists(const text::Array& recorded, const text::Array& ours) {
  std::map<std::string, int> balance;
  for (const std::string& item : sorted_texts(recorded)) ++balance[item];
  for (const std::string& item : sorted_texts(ours)) --balance[item];
  DifferenceText out;
  for (const auto& [item, count] : balance) {
    if (count != 0) out.add((count > 0 ? "only recorded: " : "only ours: ") + item);
  }
  return out.take();
}

}  // namespace

bool same_fact(const text::Value& recorded, const text::Value& ours) {
  if (recorded.is_number() && ours.is_number()) return same_number(number_of(recorded), number_of(ours));
  if (recorded.is_array() && ours.is_array()) {
    return sorted_texts(recorded.get_array()) == sorted_texts(ours.get_array());
  }
  if (recorded.is_object() && ours.is_object()) {
    const text::Object& left = recorded.get_object();
    const text::Object& right = ours.get_object();
    return left.size() == right.size() && std::all_of(left.begin(), left.end(), [&](const auto& member) {
             const auto* other = right.if_contains(member.key());
             return other != nullptr && same_fact(member.value(), *other);
           });
  }
  return recorded == ours;
}

std::string describe_difference(const text::Value& recorded, const text::Value& ours) {
  if (recorded.is_object() && ours.is_object()) return describe_objects(recorded.get_object(), ours.get_object());
  if (recorded.is_array() && ours.is_array()) return describe_lists(recorded.get_array(), ours.get_array());
  return "recorded " + text::to_json(recorded) + ", ours " + text::to_json(ours);
}

void Comparison::add(std::string_view fact, const text::Value& recorded, const text::Value& ours) {
  ++compared;
  if (same_fact(recorded, ours)) {
    ++equal;
  } else {
    differences.push_back(std::string(fact) + ": " + describe_difference(recorded, ours));
  }
}

void Comparison::add(const Comparison& other) {
  compared += other.compared;
  equal += other.equal;
  differences.insert(differences.end(), other.differences.begin(), other.differences.end());
}

}  // namespace basalt::lab
