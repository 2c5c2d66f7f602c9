#include "kube/text/yaml.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <sstream>
#include <string>
#include <utility>

#include "kube/text/utf8.h"
#include "kube/text/yaml_builder.h"

namespace basalt::text {
namespace {

Result<std::vector<Document>> parse_all(std::string_view text) {
  if (text.size() > kMaxYamlBytes) {
    return invalid("YAML text of " + std::to_string(text.size()) + " bytes; at most " + std::to_string(kMaxYamlBytes) +
                   " are read: split it into several files");
  }
  // The library passes invalid bytes through; everyone downstream counts on UTF-8.
  if (!is_utf8(text) || text.find('\0') != std::string_view::npos) {
    return invalid("YAML text is not valid UTF-8: save the file as UTF-8");
  }
  std::vector<Document> documents;
  YamlBuilder::Weight weight;
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    while (true) {
      YamlBuilder builder(weight);
      if (!parser.HandleNextDocument(builder)) return documents;
      Result<Document> document = builder.take();
      if (!document) return std::unexpected(std::move(document.error()));
      documents.push_back(*std::move(document));
      if (documents.size() > kMaxYamlDocuments) {
        return invalid("more than " + std::to_string(kMaxYamlDocuments) + " YAML documents in one stream: split it");
      }
    }
  } catch (const YAML::Exception& e) {
    return invalid("line " + std::to_string(e.mark.line + 1) + ", column " + std::to_string(e.mark.column + 1) +
                   ": not YAML: " + e.msg);
  } catch (const std::exception& e) {
    return invalid(std::string("not YAML: ") + e.what());
  }
}

}  // namespace

Result<Document> parse_yaml(std::string_view text) {
  Result<std::vector<Document>> documents = parse_all(text);
  if (!documents) return std::unexpected(std::move(documents.error()));
  if (documents->empty()) return Document{};
  if (documents->size() > 1) {
    return invalid("expected one YAML document, got " + std::to_string(documents->size()) +
                   ": remove what follows the second \"---\"");
  }
  return std::move(documents->front());
}

Result<std::vector<Document>> parse_yaml_stream(std::string_view text) {
  Result<std::vector<Document>> documents = parse_all(text);
  if (documents) std::erase_if(*documents, [](const Document& document) { return document.value.is_null(); });
  return documents;
}

Result<std::vector<Document>> parse_documents(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '{') return parse_yaml_stream(text);
  Result<Value> json = parse_json(text);
  if (json) {
    std::vector<Document> documents(1);
    documents.front().value = *std::move(json);
    return documents;
  }
  // A flow mapping such as {a: b} is YAML but not JSON; if it is neither, the JSON error is the one to show.
  Result<std::vector<Document>> documents = parse_yaml_stream(text);
  return documents ? std::move(documents) : std::unexpected(std::move(json.error()));
}

}  // namespace basalt::text
