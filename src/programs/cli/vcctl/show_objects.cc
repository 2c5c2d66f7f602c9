#include "programs/cli/vcctl/show_objects.h"

#include <fmt/format.h>

#include <ostream>

#include "kube/api/age_text.h"
#include "kube/api/api_error.h"
#include "kube/api/object_fields.h"
#include "programs/cli/vcctl/show_and_follow.h"

namespace basalt::cli::vcctl {
namespace {

using Objects = std::span<const client::ObjectPtr>;

// "No resources found" stands where a table would; formats for programs have their own empty form.
Result<void> print_first(Terminal& terminal, Format format, const VcctlKind& kind, Table& table, Objects objects) {
  if (format != Format::Table && format != Format::Wide) {
    print_list(terminal, format, kind, objects);
  } else if (objects.empty()) {
    terminal.out << "No resources found\n";
  } else {
    table.print(terminal, objects);
  }
  return {};
}

Result<void> print_rest(Terminal& terminal, Format format, const VcctlKind& kind, Table& table, Objects objects) {
  if (format == Format::Table || format == Format::Wide) {
    table.print(terminal, objects);
  } else {
    print_later(terminal, format, kind, objects);
  }
  return {};
}

Table table_of(ShowOptions& shown, Format format) {
  if (format == Format::Wide) std::move(shown.wide.begin(), shown.wide.end(), std::back_inserter(shown.columns));
  return Table(std::move(shown.columns));
}

ListScope scope_of_one(std::string_view namespace_name, std::string_view name) {
  return {.namespace_name = std::string(namespace_name), .field_selector = fmt::format("metadata.name={}", name)};
}

std::unexpected<Error> missing(const VcctlKind& kind, std::string_view name) {
  return std::unexpected(error_of(api::not_found(kind.group, kind.plural, name)));
}

const text::Value* value_at(const text::Object& object, const std::vector<std::string_view>& path) {
  const text::Object* place = &object;
  for (size_t i = 0; i < path.size(); ++i) {
    const text::Value* value = place->if_contains(path[i]);
    if (value == nullptr || i + 1 == path.size()) return value;
    place = value->if_object();
    if (place == nullptr) return nullptr;
  }
  return nullptr;
}

std::string text_of(const text::Value* value) {
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

}  // namespace

Result<void> show_list(CommandSession& session, ShowOptions shown) {
  const auto format = read_format(session.flags.text("output"));
  if (!format) return std::unexpected(format.error());
  Table table = table_of(shown, *format);
  const auto prepared = [&shown](auto print) {
    return [&shown, print](Objects objects) -> Result<void> {
      if (shown.prepare && !objects.empty()) {
        if (auto done = shown.prepare(); !done) return done;
      }
      return print(objects);
    };
  };
  Terminal& terminal = session.terminal;
  const WatchOptions watched{
      .kind = shown.kind,
      .scope = shown.scope,
      .filter = shown.filter,
      .first = prepared([&](Objects objects) { return print_first(terminal, *format, shown.kind, table, objects); }),
      .later = prepared([&](Objects objects) { return print_rest(terminal, *format, shown.kind, table, objects); })};
  return show_and_follow(session, watched, session.flags.on("watch"));
}

Result<void> show_one(CommandSession& session, ShowOptions shown, std::string_view namespace_name,
                      std::string_view name) {
  if (session.flags.on("watch")) {
    auto there = session.get(shown.kind, namespace_name, name);  // else a watch of nothing would wait forever
    if (!there) return std::unexpected(there.error());
    shown.scope = scope_of_one(namespace_name, name);
    return show_list(session, std::move(shown));
  }
  const auto format = read_format(session.flags.text("output"));
  if (!format) return std::unexpected(format.error());
  const auto object = session.get(shown.kind, namespace_name, name);
  if (!object) return std::unexpected(object.error());
  if (*format != Format::Table && *format != Format::Wide) {
    print_one(session.terminal, *format, shown.kind, (*object)->get_object());
    return {};
  }
  if (shown.prepare) {
    if (auto done = shown.prepare(); !done) return done;
  }
  table_of(shown, *format).print(session.terminal, {&*object, 1});
  return {};
}

Result<void> show_page(CommandSession& session, const VcctlKind& kind, std::string_view namespace_name,
                       std::string_view name, const std::function<Result<void>(const text::Object&)>& page) {
  const auto format = read_format(session.flags.text("output"));
  if (!format) return std::unexpected(format.error());
  const auto print = [&](const text::Object& object) -> Result<void> {
    if (*format == Format::Table || *format == Format::Wide) return page(object);
    print_one(session.terminal, *format, kind, object);
    return {};
  };
  if (!session.flags.on("watch")) {
    const auto object = session.get(kind, namespace_name, name);
    if (!object) return std::unexpected(object.error());
    return print((*object)->get_object());
  }
  const auto print_all = [&](Objects objects, std::string_view before) -> Result<void> {
    for (const client::ObjectPtr& object : objects) {
      session.terminal.out << before;
      if (auto printed = print(object->get_object()); !printed) return printed;
    }
    return {};
  };
  const WatchOptions watched{
      .kind = kind,
      .scope = scope_of_one(namespace_name, name),
      .first = [&](Objects objects) -> Result<void> {
        if (objects.empty()) return missing(kind, name);
        return print_all(objects, "");
      },
      .later =
          [&](Objects objects) {
            return print_all(objects, *format == Format::Yaml ? "---\n" : *format == Format::Table ? "\n" : "");
          }};
  return show_and_follow(session, watched, true);
}

TableColumn namespace_column(Width width) { return text_column("Namespace", width, {"metadata", "namespace"}); }
TableColumn name_column(Width width) { return text_column("Name", width, {"metadata", "name"}); }

TableColumn age_column(Width width) {
  return {.header = "Age", .width = width, .cell = [](const text::Object& object, Instant now) {
            return Cell{.text = api::age_of(object, now)};
          }};
}

TableColumn text_column(std::string_view header, Width width, std::vector<std::string_view> path) {
  return {.header = header, .width = width, .cell = [path = std::move(path)](const text::Object& object, Instant) {
            return Cell{.text = text_of(value_at(object, path))};
          }};
}

TableColumn number_column(std::string_view header, Width width, std::vector<std::string_view> path) {
  return {.header = header, .width = width, .cell = [path = std::move(path)](const text::Object& object, Instant) {
            const text::Value* value = value_at(object, path);
            return Cell{.text = std::to_string(value != nullptr && value->is_int64() ? value->get_int64() : 0)};
          }};
}

TableColumn phase_column(std::string_view header, Width width, std::vector<std::string_view> path) {
  return {.header = header, .width = width, .cell = [path = std::move(path)](const text::Object& object, Instant) {
            return phase_cell(text_of(value_at(object, path)));
          }};
}

}  // namespace basalt::cli::vcctl
