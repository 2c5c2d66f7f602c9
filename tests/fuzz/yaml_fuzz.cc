// Any text as YAML: documents whose lines are known within bounds and that are the same when written and read again, or
// an error with a message.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "kube/text/document_path.h"
#include "kube/text/json.h"
#include "kube/text/yaml.h"
#include "kube/text/yaml_writer.h"

namespace {

using namespace basalt;

// Every place of the document stands somewhere in the text, if it is known where. `path` is as it was afterwards.
void check_lines(const text::Value& value, std::string& path, const text::LineMap& lines, uint32_t last) {
  check(lines.line_of(path) <= last, "a line is one of the text");
  const size_t length = path.size();
  if (const text::Object* object = value.if_object()) {
    for (const auto& member : *object) {
      text::append_key(path, member.key());
      check_lines(member.value(), path, lines, last);
      path.resize(length);
    }
  } else if (const text::Array* array = value.if_array()) {
    for (size_t i = 0; i < array->size(); ++i) {
      text::append_index(path, i);
      check_lines((*array)[i], path, lines, last);
      path.resize(length);
    }
  }
}

void check_document(const text::Document& document, uint32_t last) {
  check(document.lines.size() <= text::LineMap::kMaxLineEntries, "entries are bounded");
  check(document.lines.bytes() <= text::LineMap::kMaxLineBytes, "bytes are bounded");
  std::string path;
  check_lines(document.value, path, document.lines, last);
  const auto again = text::parse_yaml(text::to_yaml(document.value));
  check(again.has_value(), "what is written can be read");
  check(text::to_json(again->value) == text::to_json(document.value), "what is written reads the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto last = static_cast<uint32_t>(std::ranges::count(input, '\n') + std::ranges::count(input, '\r') + 1);
  (void)text::parse_yaml(input);
  (void)text::plain_scalar(input);
  for (const auto& documents : {text::parse_yaml_stream(input), text::parse_documents(input)}) {
    if (!documents) {
      check(!documents.error().message.empty(), "a refusal says why");
      continue;
    }
    for (const text::Document& document : *documents) check_document(document, last);
  }
  return 0;
}
