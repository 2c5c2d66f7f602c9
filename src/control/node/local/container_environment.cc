#include "control/node/local/container_environment.h"

#include <fmt/format.h>

#include <concepts>
#include <cstdlib>
#include <optional>

#include "control/node/local/config_data.h"
#include "control/node/local/downward_api.h"
#include "control/node/local/process.h"
#include "control/node/local/service_variables.h"
#include "kube/api/go_quote.h"
#include "kube/api/name_validation.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

using Value = std::optional<std::string>;  // none: the variable is left out

constexpr size_t kMaxNamesInNote = 10;

// Makes the variables of one container.
class Maker {
 public:
  Maker(const text::Object& pod, api::ContainerView container, const PodPlacement& place, const PodObjectLookup& lookup)
      : pod_(pod),
        container_(container),
        place_(place),
        lookup_(lookup),
        space_(api::PodView(pod).metadata().namespace_name()) {}

  Result<void> take_sources(std::vector<std::string>& notes) {
    for (const api::EnvFromSourceView source : container_.env_from()) {
      const api::ConfigMapEnvSourceView map = source.config_map_ref();
      const api::SecretEnvSourceView secret = source.secret_ref();
      if (!map && !secret) continue;
      const ConfigKind kind = map ? ConfigKind::ConfigMap : ConfigKind::Secret;
      const auto object = map ? find(kind, map) : find(kind, secret);
      if (!object) return std::unexpected(object.error());
      if (*object != nullptr) take_all(**object, kind, source.prefix(), notes);
    }
    return {};
  }

  Result<void> take_declared(const Variables& services) {
    const auto list = container_.env();
    if (list.size() > kMaxVariables) return invalid(fmt::format("more than {} variables in env", kMaxVariables));
    for (const api::EnvVarView variable : list) {
      const std::string name(variable.name());
      if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
        return invalid(fmt::format("env: {} is no name of a variable", api::go_quote(name)));
      }
      auto value = value_of(variable, services);
      if (!value) return std::unexpected(value.error());
      if (!*value) continue;
      if ((*value)->find('\0') != std::string::npos) {
        return invalid(fmt::format("env {}: its value has a zero byte, which no environment can hold", name));
      }
      variables.insert_or_assign(name, std::move(**value));
    }
    return {};
  }

  Variables variables;

 private:
  // nullptr: there is none, and it is optional.
  template <std::derived_from<api::View> Reference>
  [[nodiscard]] Result<const text::Object*> find(ConfigKind kind, Reference reference) const {
    const std::string_view name = reference.name();
    const text::Object* object =
        kind == ConfigKind::ConfigMap ? lookup_.find_config_map(space_, name) : lookup_.find_secret(space_, name);
    if (object != nullptr || reference.optional().value_or(false)) return object;
    return failure(ErrorCode::NotFound, fmt::format("{} {} not found", word_of(kind), api::go_quote(name)));
  }

  void take_all(const text::Object& object, ConfigKind kind, std::string_view prefix, std::vector<std::string>& notes) {
    std::vector<std::string> skipped;
    for (auto& [key, value] : config_data(object, kind, false)) {
      const std::string name = std::string(prefix) + key;
      const bool fits = api::env_name(name).empty() && value.find('\0') == std::string::npos;
      if (fits && variables.size() < kMaxVariables) {
        variables.insert_or_assign(name, value);
      } else if (skipped.size() < kMaxNamesInNote) {
        skipped.push_back(key);
      }
    }
    if (skipped.empty()) return;
    notes.push_back(
        fmt::format("Keys [{}] from the EnvFrom {} {}/{} were skipped: they are no names of variables, or "
                    "their values have zero bytes.",
                    fmt::join(skipped, ", "), word_of(kind), space_, api::name_of(object)));
  }

  [[nodiscard]] Result<Value> value_of(api::EnvVarView variable, const Variables& services) const {
    const std::string_view plain = variable.value();
    if (!plain.empty()) {
      auto expanded = expand(plain, [&](std::string_view name) -> const std::string* {
        if (const auto own = variables.find(name); own != variables.end()) return &own->second;
        const auto service = services.find(name);
        return service == services.end() ? nullptr : &service->second;
      });
      if (!expanded) {
        return std::unexpected(expanded.error().within(fmt::format("env {}", variable.name())));
      }
      return Value(std::move(*expanded));
    }
    const api::EnvVarSourceView from = variable.value_from();
    return from ? value_from(from) : Result<Value>(Value(""));
  }

  [[nodiscard]] Result<Value> value_from(api::EnvVarSourceView from) const {
    if (const auto field = from.field_ref()) return some(field_value(pod_, field.field_path(), place_));
    if (const auto resource = from.resource_field_ref()) {
      return some(resource_value(pod_, container_, resource, place_));
    }
    if (const auto key = from.config_map_key_ref()) return of_key(ConfigKind::ConfigMap, key);
    if (const auto key = from.secret_key_ref()) return of_key(ConfigKind::Secret, key);
    return failure(ErrorCode::Unsupported,
                   "env valueFrom: this node reads fieldRef, resourceFieldRef, configMapKeyRef "
                   "and secretKeyRef only");
  }

  template <std::derived_from<api::View> Reference>
  [[nodiscard]] Result<Value> of_key(ConfigKind kind, Reference reference) const {
    const auto object = find(kind, reference);
    if (!object) return std::unexpected(object.error());
    if (*object == nullptr) return Value();
    const std::string_view key = reference.key();
    Value value = config_value(**object, kind, key);
    if (value || reference.optional().value_or(false)) return value;
    return failure(ErrorCode::NotFound,
                   fmt::format("couldn't find key {} in {} {}/{}", key,
                               kind == ConfigKind::ConfigMap ? "ConfigMap" : "Secret", space_, api::name_of(**object)));
  }

  static Result<Value> some(Result<std::string> value) {
    if (!value) return std::unexpected(value.error());
    return Value(std::move(*value));
  }

  const text::Object& pod_;
  api::ContainerView container_;
  const PodPlacement& place_;
  const PodObjectLookup& lookup_;
  std::string_view space_;
};

Result<std::vector<std::string>> expand_all(api::ListView<std::string_view> words, std::string_view list,
                                            const Variables& variables) {
  std::vector<std::string> out;
  for (const std::string_view word : words) {
    auto expanded = expand(word, variables);
    if (!expanded) return std::unexpected(expanded.error().within(list));
    if (expanded->find('\0') != std::string::npos) return invalid(std::string(list) + ": a word has a zero byte");
    out.push_back(std::move(*expanded));
  }
  return out;
}

}  // namespace

std::vector<std::string> Environment::as_list() const {
  std::vector<std::string> out;
  out.reserve(all.size());
  for (const auto& [name, value] : all) out.push_back(name + "=" + value);
  return out;
}

Result<Environment> make_environment(const text::Object& object, const text::Object& container,
                                     const NodeEnvironment& host, const PodPlacement& place,
                                     const PodObjectLookup& lookup) {
  Environment environment;
  const api::PodView pod(object);
  const Variables services =
      service_variables(lookup.all_services(), pod.metadata().namespace_name(),
                        pod.spec().enable_service_links().value_or(true), host.api_address, host.api_port);
  Maker maker(object, api::ContainerView(container), place, lookup);
  if (auto taken = maker.take_sources(environment.notes); !taken) return std::unexpected(taken.error());
  if (auto taken = maker.take_declared(services); !taken) return std::unexpected(taken.error());

  environment.declared = std::move(maker.variables);
  environment.declared.insert(services.begin(), services.end());
  environment.all = environment.declared;
  environment.all.emplace("HOSTNAME", hostname_of(object));
  environment.all.insert(host.variables.begin(), host.variables.end());

  size_t bytes = 0;
  for (const auto& [name, value] : environment.all) bytes += name.size() + value.size() + 2;
  if (bytes > kMaxEnvironmentBytes) {
    return invalid(fmt::format("the environment has {} bytes; at most {} can be passed to a program", bytes,
                               kMaxEnvironmentBytes));
  }
  return environment;
}

Result<CommandLine> command_line(const text::Object& object, const Environment& environment) {
  const api::ContainerView container(object);
  auto command = expand_all(container.command(), "command", environment.declared);
  if (!command) return std::unexpected(command.error());
  auto args = expand_all(container.args(), "args", environment.declared);
  if (!args) return std::unexpected(args.error());
  return CommandLine{.command = std::move(*command), .args = std::move(*args)};
}

Variables host_variables() {
  Variables out;
  for (const char* name : {"PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr) out.emplace(name, value);
  }
  out.emplace("PATH", kDefaultPath);
  out.emplace("HOME", "/");
  return out;
}

}  // namespace basalt::node
