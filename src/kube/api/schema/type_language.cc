#include "kube/api/schema/type_language.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "kube/api/schema/crd_lines.h"
#include "kube/api/schema/type_lines.h"
#include "kube/api/schema/type_words.h"

namespace basalt::api {
namespace {

constexpr std::array<std::pair<std::string_view, Shape>, 12> kScalars{{
    {"string", Shape::String},
    {"bool", Shape::Bool},
    {"int", Shape::Int64},
    {"int32", Shape::Int32},
    {"int64", Shape::Int64},
    {"number", Shape::Number},
    {"quantity", Shape::Quantity},
    {"int-or-string", Shape::IntOrString},
    {"time", Shape::Time},
    {"micro-time", Shape::MicroTime},
    {"bytes", Shape::Bytes},
    {"any", Shape::Any},
}};

using Words = std::span<const std::string_view>;

// One text, cut into lines, and what its names mean.
struct Source {
  std::string_view name;
  std::vector<TypeLine> lines;
  std::string package;
  std::map<std::string, std::string, std::less<>> aliases;

  [[nodiscard]] std::string full_name(std::string_view name_here) const {
    return package.empty() ? std::string(name_here) : package + "." + std::string(name_here);
  }
};

// A type that starts as a copy of one that may not be read yet.
struct Copy {
  Schema* target = nullptr;
  const Schema* source = nullptr;
  std::vector<std::string_view> words;
  std::string place;
  std::string description;  // "": that of the source
  bool done = false;
};

class Reader {
 public:
  explicit Reader(const SchemaSet* base) : base_(base) {}

  Result<TypeLibrary> read(std::span<const TypeText> texts) {
    for (const TypeText& text : texts) {
      if (auto declared = declare(text); !declared) return std::unexpected(declared.error().within(text.name));
    }
    for (const Source& source : sources_) {
      if (auto filled = fill(source); !filled) return std::unexpected(filled.error().within(source.name));
    }
    if (auto copied = make_copies(); !copied) return std::unexpected(copied.error());
    return std::move(library_);
  }

 private:
  static std::unexpected<Error> at(const TypeLine& line, const Error& error) {
    return std::unexpected(error.within("line " + std::to_string(line.number)));
  }
  static std::unexpected<Error> at(const TypeLine& line, std::string message) {
    return at(line, Error{.message = std::move(message)});
  }

  static std::string place_of(const Source& source, const TypeLine& line) {
    return std::string(source.name) + ": line " + std::to_string(line.number);
  }

  Result<void> declare(const TypeText& text);
  Result<void> declare_line(Source& source, const TypeLine& line);
  Result<void> fill(const Source& source);
  Result<void> fill_block(const Source& source, std::span<const TypeLine> block);
  Result<void> fill_crd(const Source& source, std::span<const TypeLine> block);
  Result<void> fill_type_line(const Source& source, const TypeLine& line, Schema& type, bool& alias);
  Result<SchemaField> field_of(const Source& source, const TypeLine& line);
  Result<const Schema*> type_of(const Source& source, std::string_view text, size_t depth = 0);
  Result<const Schema*> named_type(const Source& source, std::string_view text) const;
  const Schema* scalar(std::string_view name, Shape shape);
  Result<void> make_copies();
  Result<void> finish(Copy& copy);

  const SchemaSet* base_;
  TypeLibrary library_;
  std::vector<Source> sources_;
  std::vector<Copy> copies_;
  std::map<std::string_view, const Schema*> scalars_;
  std::map<std::pair<Shape, const Schema*>, const Schema*> containers_;
};

Result<void> Reader::declare(const TypeText& text) {
  auto lines = type_lines(text.text);
  if (!lines) return std::unexpected(lines.error());
  Source source{.name = text.name, .lines = std::move(*lines), .package = {}, .aliases = {}};
  for (const TypeLine& line : source.lines) {
    if (line.indented) continue;
    if (auto declared = declare_line(source, line); !declared) return at(line, declared.error());
  }
  sources_.push_back(std::move(source));
  return {};
}

Result<void> Reader::declare_line(Source& source, const TypeLine& line) {
  const auto& words = line.words;
  if (words[0] == "package") {
    if (words.size() != 2 || !source.package.empty()) return invalid("expected once: package NAME");
    source.package = words[1];
  } else if (words[0] == "use") {
    if (words.size() != 4 || words[2] != "=") return invalid("expected: use ALIAS = PACKAGE");
    if (!source.aliases.emplace(words[1], words[3]).second) return invalid("the alias is in use");
  } else if (words[0] == "type") {
    if (words.size() < 2) return invalid("type wants a name");
    std::string name = source.full_name(words[1]);
    if (library_.schemas.find(name) != nullptr) return invalid("the type " + name + " is written twice");
    library_.schemas.add(std::move(name)).shape = Shape::Object;
  } else if (words[0] != "crd") {
    return invalid("a line at the margin starts with package, use, type or crd");
  }
  return {};
}

Result<void> Reader::fill(const Source& source) {
  std::span<const TypeLine> rest = source.lines;
  if (!rest.empty() && rest.front().indented)
    return at(rest.front(), "an indented line without one that it belongs to");
  while (!rest.empty()) {
    size_t size = 1;
    while (size < rest.size() && rest[size].indented) ++size;
    if (auto filled = fill_block(source, rest.first(size)); !filled) return filled;
    rest = rest.subspan(size);
  }
  return {};
}

Result<void> Reader::fill_block(const Source& source, std::span<const TypeLine> block) {
  const TypeLine& head = block.front();
  if (head.words[0] == "crd") return fill_crd(source, block);
  if (head.words[0] != "type") {
    if (block.size() > 1) return at(block[1], "an indented line without a type that it belongs to");
    return {};
  }
  Schema& type = *library_.schemas.by_name().find(source.full_name(head.words[1]))->second;
  bool alias = false;
  if (auto read = fill_type_line(source, head, type, alias); !read) return at(head, read.error());
  if (alias && block.size() > 1) return at(block[1], "another name for a type has no fields of its own");
  for (const TypeLine& line : block.subspan(1)) {
    auto field = field_of(source, line);
    if (!field) return at(line, field.error());
    type.fields.push_back(std::move(*field));
  }
  std::ranges::sort(type.fields, {}, &SchemaField::name);
  const auto twice = std::ranges::adjacent_find(type.fields, {}, &SchemaField::name);
  if (twice != type.fields.end()) return at(head, "the field " + twice->name + " is written twice");
  return {};
}

Result<void> Reader::fill_crd(const Source& source, std::span<const TypeLine> block) {
  auto row = read_crd_line(block.front());
  if (!row) return at(block.front(), row.error());
  row->type = library_.schemas.find(source.full_name(row->kind));
  if (row->type == nullptr) return at(block.front(), "no type called " + row->kind);
  for (const TypeLine& line : block.subspan(1)) {
    auto column = read_column_line(line);
    if (!column) return at(line, column.error());
    row->columns.push_back(std::move(*column));
  }
  library_.crds.push_back(std::move(*row));
  return {};
}

// type NAME [= TYPE] words "description"
Result<void> Reader::fill_type_line(const Source& source, const TypeLine& line, Schema& type, bool& alias) {
  Words words = Words(line.words).subspan(2);
  alias = !words.empty() && words[0] == "=";
  std::vector<std::string_view> about_type;
  std::string description;
  const Schema* original = nullptr;
  if (alias) {
    if (words.size() < 2) return invalid("expected a type after =");
    const auto named = type_of(source, words[1]);
    if (!named) return std::unexpected(named.error());
    original = *named;
    words = words.subspan(2);
  }
  for (const std::string_view word : words) {
    if (!word.starts_with('"')) {
      about_type.push_back(word);
      continue;
    }
    auto text = quoted_text(word);
    if (!text) return std::unexpected(text.error());
    description = std::move(*text);
  }
  if (alias) {
    copies_.push_back({.target = &type,
                       .source = original,
                       .words = std::move(about_type),
                       .place = place_of(source, line),
                       .description = std::move(description)});
    return {};
  }
  type.description = std::move(description);
  for (const std::string_view word : about_type) {
    if (auto applied = apply_type_word(word, type); !applied) return applied;
  }
  return {};
}

Result<SchemaField> Reader::field_of(const Source& source, const TypeLine& line) {
  if (line.words.size() < 2) return invalid("a field wants a name and a type");
  SchemaField field;
  field.name = line.words[0];
  const auto type = type_of(source, line.words[1]);
  if (!type) return std::unexpected(type.error());
  field.type = *type;
  std::vector<std::string_view> about_type;
  for (const std::string_view word : Words(line.words).subspan(2)) {
    if (word.starts_with('"')) {
      auto description = quoted_text(word);
      if (!description) return std::unexpected(description.error());
      field.description = std::move(*description);
      continue;
    }
    const auto taken = apply_field_word(word, field);
    if (!taken) return std::unexpected(taken.error());
    if (!*taken) about_type.push_back(word);
  }
  if (!about_type.empty()) {
    Schema& own = library_.schemas.add("");
    copies_.push_back({.target = &own,
                       .source = field.type,
                       .words = std::move(about_type),
                       .place = place_of(source, line),
                       .description = {}});
    field.type = &own;
  }
  return field;
}

Result<const Schema*> Reader::type_of(const Source& source, std::string_view text, size_t depth) {
  if (depth > kMaxTypeNesting) return invalid("lists and maps are nested too deep");
  const bool list = text.starts_with('[') && text.ends_with(']');
  const bool map = text.starts_with('{') && text.ends_with('}');
  if (list || map) {
    const auto element = type_of(source, text.substr(1, text.size() - 2), depth + 1);
    if (!element) return element;
    const Shape shape = list ? Shape::List : Shape::Map;
    const Schema*& known = containers_[{shape, *element}];
    if (known == nullptr) {
      Schema& made = library_.schemas.add("");
      made.shape = shape;
      made.element = *element;
      known = &made;
    }
    return known;
  }
  for (const auto& [name, shape] : kScalars) {
    if (name == text) return scalar(name, shape);
  }
  return named_type(source, text);
}

const Schema* Reader::scalar(std::string_view name, Shape shape) {
  const Schema*& known = scalars_[name];
  if (known == nullptr) {
    Schema& made = library_.schemas.add("");
    made.shape = shape;
    if (name == "int") {
      made.limits = std::make_unique<ValueLimits>();
      made.limits->format = kNoFormat;
    }
    known = &made;
  }
  return known;
}

// Name of this package, alias.Name, or a full name.
Result<const Schema*> Reader::named_type(const Source& source, std::string_view text) const {
  std::string name;
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    name = source.full_name(text);
  } else if (const auto alias = source.aliases.find(text.substr(0, dot)); alias != source.aliases.end()) {
    name = alias->second + std::string(text.substr(dot));
  } else {
    name = text;
  }
  if (const Schema* type = library_.schemas.find(name)) return type;
  if (const Schema* type = base_ != nullptr ? base_->find(name) : nullptr) return type;
  return invalid("unknown type \"" + std::string(text) + "\" (" + name + ")");
}

// A source may be a copy itself: it is finished first. Chains are walked with a list, not by recursion.
Result<void> Reader::make_copies() {
  std::map<const Schema*, Copy*> by_target;
  for (Copy& copy : copies_) by_target.emplace(copy.target, &copy);
  for (Copy& first : copies_) {
    std::vector<Copy*> chain;
    for (Copy* copy = &first; copy != nullptr && !copy->done;) {
      if (chain.size() > copies_.size()) return invalid(copy->place + ": the type is another name for itself");
      chain.push_back(copy);
      const auto next = by_target.find(copy->source);
      copy = next == by_target.end() ? nullptr : next->second;
    }
    while (!chain.empty()) {
      if (auto finished = finish(*chain.back()); !finished) return finished;
      chain.pop_back();
    }
  }
  return {};
}

Result<void> Reader::finish(Copy& copy) {
  copy_type(*copy.source, *copy.target);
  for (const std::string_view word : copy.words) {
    if (auto applied = apply_type_word(word, *copy.target); !applied) {
      return std::unexpected(applied.error().within(copy.place));
    }
  }
  if (!copy.description.empty()) copy.target->description = std::move(copy.description);
  copy.done = true;
  return {};
}

}  // namespace

Result<TypeLibrary> parse_types(std::span<const TypeText> texts, const SchemaSet* base) {
  return Reader(base).read(texts);
}

}  // namespace basalt::api
