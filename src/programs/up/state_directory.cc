#include "programs/up/state_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <random>
#include <set>
#include <system_error>

#include "kube/net/private_file.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMarker = "basalt-state";
constexpr std::string_view kMarkerText =
    "This directory holds the state of a Basalt cluster (basalt up --state). All of it belongs together.\n";

std::unexpected<Error> refuse(const fs::path& root, const std::string& why) {
  return failure(ErrorCode::Io, "the state directory " + root.string() + ": " + why + "; nothing in it was changed");
}

std::unexpected<Error> refuse(const fs::path& root, int error) {
  return failure(ErrorCode::Io, "the state directory " + root.string() + ": " + std::generic_category().message(error));
}

// What is in a directory that nobody has used: nothing, what mkfs makes, and what a first start left that was killed.
bool is_unused(const std::set<std::string>& names) {
  for (const std::string& name : names) {
    if (name != "lost+found" && !name.starts_with(std::string(".") + kMarker + ".")) return false;
  }
  return true;
}

// As versions before the marker left it.
bool is_of_old(const std::set<std::string>& names) {
  return names.contains("pki") && (names.contains("store.db") || names.contains("store.db.lock"));
}

Result<std::set<std::string>> names_in(const fs::path& directory) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    names.insert(at->path().filename().string());
  }
  if (error) return refuse(directory, error.value());
  return names;
}

// Whether a directory that is there may be used.
Result<void> judge(const fs::path& root) {
  struct stat status{};
  if (::stat(root.c_str(), &status) != 0) return refuse(root, errno);
  if (!S_ISDIR(status.st_mode)) return refuse(root, ENOTDIR);
  if (status.st_uid != ::geteuid()) {
    return refuse(root, "it belongs to another user: start as that user, or choose another directory with --state");
  }
  const auto names = names_in(root);
  if (!names) return std::unexpected(names.error());
  if (!is_unused(*names) && !names->contains(kMarker) && !is_of_old(*names)) {
    return refuse(
        root,
        "it is not empty, and no cluster of Basalt has used it: choose a new or an empty directory, such as --state " +
            (root / "basalt").string());
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refuse(root, "others may write to it: run chmod go-w " + root.string() +
                            " if it is meant for this cluster, or choose another directory with --state");
  }
  return {};
}

Result<void> take(const fs::path& root) {
  std::error_code error;
  if (root.has_parent_path()) fs::create_directories(root.parent_path(), error);
  if (error) return refuse(root, error.value());
  if (::mkdir(root.c_str(), S_IRWXU) == 0) return {};
  return errno == EEXIST ? judge(root) : refuse(root, errno);
}

std::string random_token() {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::random_device device;  // the operating system's generator: this is a secret, not a choice of the scheduler
  std::string token;
  for (int i = 0; i < 8; ++i) {
    const unsigned bits = device();
    for (unsigned shift = 0; shift < 32; shift += 4) token += kHex[bits >> shift & 0xFU];
  }
  return token;
}

}  // namespace

fs::path default_state() {
  if (const char* home = std::getenv("XDG_STATE_HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / "basalt";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".local" / "state" / "basalt";
  }
  return "basalt-state";
}

Result<StateDirectory> StateDirectory::open(const fs::path& given) {
  const fs::path root = given.has_filename() ? given : given.parent_path();  // "state/": the same as "state"
  if (auto taken = take(root); !taken) return std::unexpected(taken.error());
  StateDirectory directory(root);
  const fs::path marker = root / kMarker;
  std::error_code ignored;
  if (!fs::exists(marker, ignored)) {
    if (auto written = net::write_private_file(marker, kMarkerText); !written) return std::unexpected(written.error());
  }
  for (const fs::path& part : {directory.pki(), directory.logs(), directory.component_logs()}) {
    if (auto made = net::make_private_directory(part); !made) return std::unexpected(made.error());
  }
  return directory;
}

void StateDirectory::remove_unfinished() const {
  for (const fs::path& file : {root_ / kMarker, network_file(), tokens_file(), kubeconfig()}) {
    net::remove_unfinished(file);
  }
}

Result<std::vector<server::TokenEntry>> StateDirectory::tokens() const {
  const fs::path file = tokens_file();
  auto text = net::read_private_file(file);
  if (!text && text.error().code == ErrorCode::NotFound) {
    text = random_token() + ",admin,admin,\"system:masters\"\n";
    if (auto written = net::write_private_file(file, *text); !written) return std::unexpected(written.error());
  }
  if (!text) return std::unexpected(text.error());
  auto entries = server::parse_tokens(*text);
  if (!entries) return std::unexpected(entries.error().within(file.string()));
  return entries;
}

}  // namespace basalt::up
