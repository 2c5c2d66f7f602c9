#include "programs/up/merged_kubeconfig.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/net/private_file.h"
#include "kube/text/read_file.h"
#include "kube/text/yaml.h"
#include "kube/text/yaml_writer.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = "basalt.sh/up";
constexpr size_t kMaxUsersKubeconfig = size_t{16} << 20U;
constexpr int kLockTries = 40;
constexpr std::chrono::milliseconds kLockPause{50};

std::unexpected<Error> unchanged(const fs::path& file, std::string_view why) {
  return failure(ErrorCode::Io, fmt::format("{}: {}; it was not changed", file.string(), why));
}

class ConfigLock {
 public:
  static Result<ConfigLock> acquire(const fs::path& file) {
    const fs::path lock = file.string() + ".lock";
    for (int i = 0; i < kLockTries; ++i) {
      const int descriptor = ::open(lock.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
      if (descriptor >= 0) {
        ::close(descriptor);
        return ConfigLock(lock);
      }
      if (errno != EEXIST) return unchanged(file, std::generic_category().message(errno));
      std::this_thread::sleep_for(kLockPause);
    }
    return unchanged(file, fmt::format("{} is there: another program writes it, or was killed and left that file "
                                       "behind",
                                       lock.string()));
  }
  ConfigLock(ConfigLock&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ConfigLock& operator=(ConfigLock&&) = delete;
  ~ConfigLock() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

 private:
  explicit ConfigLock(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

Result<text::Object> read_config(const fs::path& file) {
  const auto text = text::read_file(file.string(), kMaxUsersKubeconfig);
  if (!text && text.error().code != ErrorCode::NotFound) return std::unexpected(text.error());
  auto document = text::parse_yaml(text ? *text : "");
  if (!document) return unchanged(file, "it cannot be read: " + document.error().message);
  if (document->value.is_null()) return text::Object{{"apiVersion", "v1"}, {"kind", "Config"}};
  if (!document->value.is_object()) return unchanged(file, "it is no kubeconfig");
  const std::string_view kind = api::ObjectView(document->value.get_object()).kind();
  if (!kind.empty() && kind != "Config") return unchanged(file, "it is no kubeconfig");
  return std::move(document->value.get_object());
}

bool is_named(const text::Value& entry, std::string_view name) {
  return entry.is_object() && api::string_at(entry.get_object(), "name") == name;
}

// The list without the entry of that name.
text::Array others_of(const text::Object& config, std::string_view list, std::string_view name) {
  text::Array others;
  const text::Array* entries = api::array_at(config, {list});
  for (size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
    if (!is_named((*entries)[i], name)) others.push_back((*entries)[i]);
  }
  return others;
}

const text::Object* entry_of(const text::Object& config, std::string_view list, std::string_view name) {
  const text::Array* entries = api::array_at(config, {list});
  for (size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
    if (is_named((*entries)[i], name)) return &(*entries)[i].get_object();
  }
  return nullptr;
}

// What was current before our context; nullopt: the context is not ours.
std::optional<std::string> former_of(const text::Object& context) {
  const text::Array* extensions = api::array_at(context, {"context", "extensions"});
  for (size_t i = 0; extensions != nullptr && i < extensions->size(); ++i) {
    if (is_named((*extensions)[i], kExtension)) {
      return std::string(api::string_at((*extensions)[i].get_object(), {"extension", "former-context"}));
    }
  }
  return std::nullopt;
}

text::Object our_context(std::string_view name, const std::string& former) {
  const text::Object extension{{"name", kExtension}, {"extension", text::Object{{"former-context", former}}}};
  return {{"name", name},
          {"context",
           text::Object{
               {"cluster", name}, {"user", name}, {"namespace", "default"}, {"extensions", text::Array{extension}}}}};
}

// A link's target, so that the link stays; the file itself where there is no link.
fs::path place_of_file(const fs::path& file) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(file, error);
  return error ? file : target;
}

Result<void> check_owner(const fs::path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) return {};
  if (!S_ISREG(found.st_mode)) return unchanged(file, "it is no plain file");
  if (found.st_uid != ::geteuid()) return unchanged(file, "it belongs to another user");
  return {};
}

Result<void> write_config(const fs::path& file, const text::Object& config) {
  return net::write_private_file(file, text::to_yaml(config));
}

}  // namespace

std::optional<fs::path> users_kubeconfig(const std::function<std::string(const std::string&)>& environment) {
  std::string list = environment("KUBECONFIG");
  while (!list.empty()) {
    const size_t colon = std::min(list.find(':'), list.size());
    if (colon > 0) return fs::absolute(list.substr(0, colon));
    list.erase(0, 1);
  }
  const std::string home = environment("HOME");
  if (home.empty()) return std::nullopt;
  return fs::path(home) / ".kube" / "config";
}

Result<void> merge_into(const fs::path& given, std::string_view name, std::string_view of_cluster) {
  const fs::path file = place_of_file(given);
  if (auto may = check_owner(file); !may) return may;
  const auto made = text::parse_yaml(of_cluster);
  if (!made || !made->value.is_object()) return invalid("the kubeconfig of the cluster cannot be read");
  const auto first_of = [&made](std::string_view list, std::string_view key) -> text::Value {
    const text::Array* entries = api::array_at(made->value.get_object(), {list});
    if (entries == nullptr || entries->empty() || !(*entries)[0].is_object()) return nullptr;
    const text::Value* value = (*entries)[0].get_object().if_contains(key);
    return value == nullptr ? text::Value(nullptr) : *value;
  };
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) return unchanged(file, error.message());
  const auto lock = ConfigLock::acquire(file);
  if (!lock) return std::unexpected(lock.error());
  auto config = read_config(file);
  if (!config) return std::unexpected(config.error());
  std::string former(api::string_at(*config, "current-context"));
  if (const text::Object* there = entry_of(*config, "contexts", name); there != nullptr) {
    const auto kept = former_of(*there);
    if (!kept) return unchanged(file, fmt::format("it has a context {} of somebody else", name));
    if (former == name) former = *kept;
  }
  const std::pair<std::string_view, text::Object> entries[] = {
      {"clusters", {{"name", name}, {"cluster", first_of("clusters", "cluster")}}},
      {"users", {{"name", name}, {"user", first_of("users", "user")}}},
      {"contexts", our_context(name, former)}};
  for (const auto& [list, entry] : entries) {
    text::Array all = others_of(*config, list, name);
    all.push_back(entry);
    (*config)[list] = std::move(all);
  }
  (*config)["current-context"] = name;
  return write_config(file, *config);
}

Result<void> remove_from(const fs::path& given, std::string_view name) {
  const fs::path file = place_of_file(given);
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  if (auto may = check_owner(file); !may) return may;
  const auto lock = ConfigLock::acquire(file);
  if (!lock) return std::unexpected(lock.error());
  auto config = read_config(file);
  if (!config) return std::unexpected(config.error());
  const text::Object* context = entry_of(*config, "contexts", name);
  const auto former = context == nullptr ? std::nullopt : former_of(*context);
  if (!former) return {};
  const bool current = api::string_at(*config, "current-context") == name;
  for (const std::string_view list : {"clusters", "users", "contexts"}) {
    text::Array others = others_of(*config, list, name);
    (*config)[list] = std::move(others);
  }
  if (current) (*config)["current-context"] = *former;
  return write_config(file, *config);
}

}  // namespace basalt::up
