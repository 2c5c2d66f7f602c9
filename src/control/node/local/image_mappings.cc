#include "control/node/local/image_mappings.h"

#include <algorithm>
#include <array>
#include <set>

#include "kube/text/field.h"
#include "kube/text/read_file.h"
#include "kube/text/yaml.h"

namespace basalt::node {
namespace {

constexpr std::array<std::string_view, 7> kFields = {"image", "root", "prefix",    "entrypoint",
                                                     "cmd",   "env",  "workingDir"};

Result<std::vector<std::string>> texts_of(const text::Field& field) {
  std::vector<std::string> texts;
  auto read = field.each([&](const text::Field& each) -> Result<void> {
    auto text = each.as_text();
    if (!text) return std::unexpected(text.error());
    texts.push_back(std::move(*text));
    return {};
  });
  if (!read) return std::unexpected(read.error());
  return texts;
}

Result<void> known_fields(const text::Field& entry) {
  return entry.each_member([](std::string_view key, const text::Field& member) -> Result<void> {
    if (std::ranges::find(kFields, key) != kFields.end()) return {};
    return std::unexpected(member.error("unknown field; use image, root, prefix, entrypoint, cmd, env or workingDir"));
  });
}

Result<void> read_place(const text::Field& field, ImageMapping& entry) {
  if (field.field("root").given() && field.field("prefix").given()) {
    return std::unexpected(field.field("prefix").error("an image has a root or a prefix, not both; remove one"));
  }
  if (field.field("root").given()) {
    auto root = field.field("root").as_string();
    if (!root) return std::unexpected(root.error());
    if (!root->starts_with('/')) {
      return std::unexpected(field.field("root").error("must be an absolute path, such as /srv/images/x"));
    }
    entry.root = std::move(*root);
  }
  auto prefix = texts_of(field.field("prefix"));
  if (!prefix) return std::unexpected(prefix.error());
  if (field.field("prefix").given() && (prefix->empty() || prefix->front().empty())) {
    return std::unexpected(field.field("prefix").error("must have a program, such as [apptainer, exec, image.sif]"));
  }
  entry.prefix = std::move(*prefix);
  return {};
}

Result<ImageMapping> read_entry(const text::Field& field) {
  ImageMapping entry;
  if (auto known = known_fields(field); !known) return std::unexpected(known.error());
  auto pattern = field.field("image").as_string();
  if (!pattern) return std::unexpected(pattern.error());
  if (pattern->empty()) {
    return std::unexpected(field.field("image").error("must name an image; * stands for any text"));
  }
  entry.pattern = std::move(*pattern);
  if (auto place = read_place(field, entry); !place) return std::unexpected(place.error());
  auto entrypoint = texts_of(field.field("entrypoint"));
  if (!entrypoint) return std::unexpected(entrypoint.error());
  entry.entrypoint = std::move(*entrypoint);
  auto cmd = texts_of(field.field("cmd"));
  if (!cmd) return std::unexpected(cmd.error());
  entry.cmd = std::move(*cmd);
  auto variables = field.field("env").each_member([&](std::string_view name, const text::Field& each) -> Result<void> {
    auto value = each.given() ? each.as_text() : Result<std::string>("");
    if (!value) return std::unexpected(value.error());
    if (name.empty() || name.find('=') != std::string_view::npos) {
      return std::unexpected(each.error("is no name of a variable"));
    }
    entry.environment[std::string(name)] = std::move(*value);
    return {};
  });
  if (!variables) return std::unexpected(variables.error());
  auto directory = field.field("workingDir").string_or("");
  if (!directory) return std::unexpected(directory.error());
  if (!directory->empty() && !directory->starts_with('/')) {
    return std::unexpected(field.field("workingDir").error("must be an absolute path"));
  }
  entry.working_directory = std::move(*directory);
  return entry;
}

// The ways to write one image: as it is, and without what Kubernetes adds.
std::set<std::string> spellings(std::string_view image) {
  std::set<std::string> all = {std::string(image)};
  for (const std::string_view host : {"docker.io/library/", "docker.io/"}) {
    if (image.starts_with(host)) all.emplace(image.substr(host.size()));
  }
  std::set<std::string> shorter;
  for (const std::string& each : all) {
    if (each.ends_with(":latest")) shorter.insert(each.substr(0, each.size() - std::string_view(":latest").size()));
  }
  all.merge(shorter);
  return all;
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  size_t star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;  // the last star takes one more
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<ImageMappings> ImageMappings::parse(std::string_view yaml) {
  const auto document = text::parse_yaml(yaml);
  if (!document) return std::unexpected(document.error());
  const text::Field root = document->root();
  ImageMappings images;
  if (!root.given()) return images;
  const bool is_list = root.value() != nullptr && root.value()->is_array();
  if (!is_list) {
    if (!root.field("images").given()) {
      return std::unexpected(root.error("expected a list of images: \"images:\" and below it \"- image: NAME\""));
    }
    auto known = root.each_member([](std::string_view key, const text::Field& member) -> Result<void> {
      if (key == "images") return {};
      return std::unexpected(member.error("unknown field; the file has one, images"));
    });
    if (!known) return std::unexpected(known.error());
  }
  const text::Field list = is_list ? root : root.field("images");
  auto read = list.each([&](const text::Field& field) -> Result<void> {
    if (images.entries_.size() >= kMaxImageEntries) {
      return std::unexpected(field.error("too many images; " + std::to_string(kMaxImageEntries) + " are allowed"));
    }
    auto entry = read_entry(field);
    if (!entry) return std::unexpected(entry.error());
    images.entries_.push_back(std::move(*entry));
    return {};
  });
  if (!read) return std::unexpected(read.error());
  return images;
}

Result<ImageMappings> ImageMappings::read(const std::filesystem::path& file) {
  const auto yaml = text::read_file(file.string(), kMaxImagesFileBytes);
  if (!yaml) return std::unexpected(yaml.error());
  auto images = parse(*yaml);
  if (!images) return std::unexpected(images.error().within(file.string()));
  images->file_ = file.string();
  return images;
}

const ImageMapping* ImageMappings::find(std::string_view image) const {
  const std::set<std::string> names = spellings(image);
  for (const ImageMapping& entry : entries_) {
    for (const std::string& name : names) {
      if (matches_pattern(entry.pattern, name)) return &entry;
    }
  }
  return nullptr;
}

Result<ImageStart> ImageMappings::start_of(std::string_view image, std::span<const std::string> command,
                                           std::span<const std::string> args) const {
  const ImageMapping* const entry = find(image);
  ImageStart start;
  const auto add = [&](const auto& words) { start.argv.insert(start.argv.end(), words.begin(), words.end()); };
  // As Kubernetes: a command replaces entrypoint and cmd, args replace cmd.
  if (!command.empty()) {
    add(command);
    add(args);
  } else {
    if (entry != nullptr) add(entry->entrypoint);
    if (!args.empty()) {
      add(args);
    } else if (entry != nullptr) {
      add(entry->cmd);
    }
  }
  if (entry != nullptr) {
    start.argv.insert(start.argv.begin(), entry->prefix.begin(), entry->prefix.end());
    start.root = entry->root;
    start.environment = entry->environment;
    start.working_directory = entry->working_directory;
  }
  const size_t prefix = entry == nullptr ? 0 : entry->prefix.size();
  const bool runs_itself = entry != nullptr && !entry->prefix.empty();  // "apptainer run x.sif" has its own command
  if (start.argv.size() > prefix || runs_itself) return start;
  const std::string place = file_.empty() ? "an images file (--images FILE)" : file_;
  return invalid("image \"" + std::string(image) +
                 "\": nothing is pulled on this node, so there is no command to run; give the container a command, or "
                 "write into " +
                 place + ":\n- image: " + std::string(image) + "\n  entrypoint: [PROGRAM]");
}

}  // namespace basalt::node
