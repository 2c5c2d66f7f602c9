#include "kube/text/yaml_builder.h"

#include <algorithm>
#include <utility>

#include "kube/text/document_path.h"

namespace basalt::text {
namespace {

constexpr size_t kBytesPerWeight = 16;
constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

// A scalar by its tag: "?" is plain, "!" quoted; explicit core tags other than !!str only confirm the plain rules.
Value tagged_scalar(std::string_view tag, const std::string& text) {
  const bool plain = tag == "?" || tag.empty() ||
                     (tag.starts_with(kCoreTag) && tag != "tag:yaml.org,2002:str" && tag != "tag:yaml.org,2002:binary");
  return plain ? plain_scalar(text) : Value(boost::json::string(text));
}

}  // namespace

Result<Document> YamlBuilder::take() {
  if (error_) return std::unexpected(*std::move(error_));
  return std::move(document_);
}

void YamlBuilder::fail(const std::string& what) {
  if (error_) return;
  error_ = Error{.code = ErrorCode::Invalid,
                 .message = "line " + std::to_string(line_) + ": " + (path_.empty() ? "" : path_ + ": ") + what};
}

bool YamlBuilder::charge(size_t weight) {
  if (weight > kMaxYamlWeight - weight_.all) {
    fail("the YAML text holds more than " + std::to_string(kMaxYamlWeight) + " values: split it");
    return false;
  }
  weight_.all += weight;
  return true;
}

bool YamlBuilder::charge_copy(size_t weight) {
  if (weight > kMaxYamlAliasWeight - weight_.copies) {
    fail("the document grows too large with its aliases expanded: write them out, split it or use fewer anchors");
    return false;
  }
  weight_.copies += weight;
  return charge(weight);
}

bool YamlBuilder::begin(const YAML::Mark& mark, size_t weight) {
  if (error_) return false;
  line_ = static_cast<uint32_t>(mark.line + 1);
  return charge(weight);
}

bool YamlBuilder::key_comes_next() const {
  return !frames_.empty() && frames_.back().node.value.is_object() && !frames_.back().key;
}

void YamlBuilder::enter_path() {
  if (key_comes_next()) return;
  uint32_t line = line_;
  if (!frames_.empty()) {
    const Frame& frame = frames_.back();
    path_.resize(frame.path_size);
    if (frame.key) {
      append_key(path_, *frame.key);
      line = frame.key_line;
    } else {
      append_index(path_, frame.node.value.get_array().size());
    }
  }
  document_.lines.add(path_, line);
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (!begin(mark, 1)) return;
  enter_path();
  add(anchor, Node{.value = nullptr});
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  const size_t weight = 1 + value.size() / kBytesPerWeight;
  if (!begin(mark, weight)) return;
  enter_path();
  add(anchor,
      Node{.value = tagged_scalar(tag, value), .weight = weight, .plain_merge_key = tag == "?" && value == "<<"});
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (!begin(mark, 0)) return;
  enter_path();
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) return fail("an alias stands inside its own anchor: write the value out");
  if (!charge_copy(found->second.weight)) return;
  add(0, found->second);
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value /*style*/) {
  if (begin(mark, 1)) open(anchor, Array());
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value /*style*/) {
  if (begin(mark, 1)) open(anchor, Object());
}

void YamlBuilder::OnSequenceEnd() {
  if (!error_) close();
}

void YamlBuilder::OnMapEnd() {
  if (error_) return;
  apply_merges(frames_.back());
  if (!error_) close();
}

void YamlBuilder::open(YAML::anchor_t anchor, Value container) {
  if (key_comes_next()) return fail("a mapping key is a list or a mapping: only scalars can be keys");
  if (frames_.size() >= kMaxYamlDepth) {
    return fail("nested deeper than " + std::to_string(kMaxYamlDepth) + " levels: flatten the document");
  }
  enter_path();
  frames_.push_back(Frame{.node = Node{.value = std::move(container)}, .anchor = anchor, .path_size = path_.size()});
}

void YamlBuilder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  path_.resize(frame.path_size);
  add(frame.anchor, std::move(frame.node));
}

void YamlBuilder::add(YAML::anchor_t anchor, Node node) {
  if (anchor != 0) {
    if (!charge_copy(node.weight)) return;  // the anchor keeps a copy
    anchors_.insert_or_assign(anchor, node);
  }
  if (frames_.empty()) {
    document_.value = std::move(node.value);
    return;
  }
  Frame& frame = frames_.back();
  if (key_comes_next()) return add_key(frame, node);
  frame.node.depth = std::max(frame.node.depth, node.depth + 1);
  frame.node.weight += node.weight;
  if (frames_.size() + node.depth > kMaxYamlDepth + 1) {
    return fail("nested deeper than " + std::to_string(kMaxYamlDepth) + " levels with aliases expanded: flatten it");
  }
  if (frame.node.value.is_array()) {
    frame.node.value.get_array().push_back(std::move(node.value));
  } else if (frame.key_is_merge) {
    frame.merges.push_back(std::move(node));
  } else {
    frame.node.value.get_object().insert_or_assign(*frame.key, std::move(node.value));
  }
  frame.key.reset();
  frame.key_is_merge = false;
}

void YamlBuilder::add_key(Frame& frame, const Node& node) {
  const Value& key = node.value;
  path_.resize(frame.path_size);
  if (key.is_null() || key.is_structured()) {
    return fail("a mapping key is " + describe(key) + ": write a word, or quote it");
  }
  frame.node.weight += node.weight;
  frame.key = key.is_string() ? std::string(std::string_view(key.get_string())) : to_json(key);
  frame.key_line = line_;
  frame.key_is_merge = node.plain_merge_key;
  if (!frame.key_is_merge && frame.node.value.get_object().contains(*frame.key)) {
    fail("the key " + in_quotes(*frame.key) + " is given twice: remove one of them");
  }
}

// Fills what the mapping itself did not set: from `<<: *a`, or from `<<: [*a, *b]`, where the first one wins.
void YamlBuilder::apply_merges(Frame& frame) {
  Object& target = frame.node.value.get_object();
  const auto fill_from = [&target](const Value& source) {
    for (const auto& member : source.get_object()) {
      if (!target.contains(member.key())) target.insert(member);
    }
  };
  for (const Node& merge : frame.merges) {
    if (merge.value.is_object()) {
      fill_from(merge.value);
      continue;
    }
    const Array* list = merge.value.if_array();
    if (list == nullptr || !std::ranges::all_of(*list, [](const Value& v) { return v.is_object(); })) {
      return fail("the merge key << needs a mapping or a list of mappings");
    }
    for (const Value& source : *list) fill_from(source);
  }
}

}  // namespace basalt::text
