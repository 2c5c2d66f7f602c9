#include "control/node/local/detached_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/fingerprint.h"
#include "control/node/local/descriptor_passing.h"
#include "control/node/local/directory_names.h"
#include "control/node/local/start_request.h"
#include "kube/api/object_fields.h"
#include "kube/text/json.h"
#include "kube/text/read_file.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxRecordBytes = 2 * kMaxStartRequest;
constexpr std::string_view kRecord = ".json", kSocket = ".socket", kOutput = ".output";

std::unexpected<Error> cannot_keep(const char* what) {
  return failure(ErrorCode::Io,
                 fmt::format("cannot {} for a container that outlives us: {}", what, std::strerror(errno)));
}

sockaddr_un socket_name(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  return name;
}

Descriptor unix_socket() { return Descriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

const sockaddr* plain(const sockaddr_un& name) { return reinterpret_cast<const sockaddr*>(&name); }

}  // namespace

Result<DetachedFiles> DetachedFiles::open(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (!error) fs::permissions(directory, fs::perms::owner_all, error);
  Descriptor opened(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open() && !error) return DetachedFiles(directory, std::move(opened));
  return failure(ErrorCode::Io, "cannot use the directory " + directory.string());
}

fs::path DetachedFiles::file(const std::string& marker, std::string_view kind) const {
  return directory_ / (fmt::format("{:016x}", Fingerprint().add(marker).value()) + std::string(kind));
}

std::string DetachedFiles::socket_path(const std::string& marker) const {
  return fmt::format("/proc/self/fd/{}/{}", opened_.get(), file(marker, kSocket).filename().string());
}

Result<DetachedFiles::Opened> DetachedFiles::add(const DetachedRecord& record) const {
  remove(record.marker);
  // Not synced: after a failure of the machine there is nothing left to be found.
  const Descriptor noted(::open(file(record.marker, kRecord).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const text::Value value = text::Object{{"marker", record.marker},
                                         {"log", record.log.string()},
                                         {"cgroup", record.cgroup.string()},
                                         {"note", record.note}};
  const std::string bytes = text::to_json(value);
  if (!noted.is_open() || ::write(noted.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    return cannot_keep("write a note");
  }
  Opened opened{.listener = unix_socket(), .output = {}};
  opened.output.reset(
      ::open(file(record.marker, kOutput).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  if (!opened.output.is_open()) return cannot_keep("make a file");
  const sockaddr_un name = socket_name(socket_path(record.marker));
  if (!opened.listener.is_open() || ::bind(opened.listener.get(), plain(name), sizeof name) != 0 ||
      ::listen(opened.listener.get(), 1) != 0 || !unblock(opened.listener)) {
    return cannot_keep("make a socket");
  }
  return opened;
}

void DetachedFiles::remove(const std::string& marker) const {
  std::error_code ignored;
  for (const std::string_view kind : {kSocket, kOutput, kRecord}) fs::remove(file(marker, kind), ignored);
}

std::vector<DetachedRecord> DetachedFiles::list() const {
  std::vector<DetachedRecord> records;
  for (const std::string& name : list_directory(directory_)) {
    if (!name.ends_with(kRecord)) continue;
    const auto bytes = text::read_file((directory_ / name).string(), kMaxRecordBytes);
    const auto value = bytes ? text::parse_json(*bytes) : std::unexpected(bytes.error());
    const text::Object* object = value ? value->if_object() : nullptr;
    if (object == nullptr) continue;
    records.push_back({.marker = std::string(api::string_at(*object, "marker")),
                       .log = api::string_at(*object, "log"),
                       .cgroup = api::string_at(*object, "cgroup"),
                       .note = std::string(api::string_at(*object, "note"))});
  }
  return records;
}

std::optional<DetachedFiles::Link> DetachedFiles::connect(const std::string& marker) const {
  Link link;
  link.held.control_socket = unix_socket();
  const sockaddr_un name = socket_name(socket_path(marker));
  if (!link.held.control_socket.is_open() || ::connect(link.held.control_socket.get(), plain(name), sizeof name) != 0)
    return {};
  pollfd polled{.fd = link.held.control_socket.get(), .events = POLLIN, .revents = 0};
  if (::poll(&polled, 1, static_cast<int>(kMaxAdoptionWait.count())) <= 0) return {};
  SupervisorReport report{};
  std::array<int, 3> came{};
  if (!receive_message(link.held.control_socket.get(), &report, sizeof report, came)) return {};
  std::array<Descriptor, 3> passed;
  for (size_t i = 0; i < came.size(); ++i) passed[i].reset(came[i]);
  if (report.kind != SupervisorReportKind::Adopted) return {};
  size_t next = 0;
  const auto take = [&](PassedPart part, Descriptor& into) {
    if ((report.parts & part) != 0 && next < passed.size()) into = std::move(passed[next++]);
  };
  take(kSupervisorPart, link.held.supervisor);
  take(kOutPart, link.held.out);
  take(kErrPart, link.held.err);
  link.lost = report.lost;
  return link;
}

void DetachedFiles::take_output(const std::string& marker,
                                const std::function<void(OutputStream, std::string_view, Instant)>& take) const {
  const Descriptor opened(::open(file(marker, kOutput).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!opened.is_open()) return;
  const auto read_all = [&](void* into, size_t size) {
    auto* bytes = static_cast<char*>(into);
    while (size > 0) {
      const ssize_t got = ::read(opened.get(), bytes, size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      bytes += got;
      size -= static_cast<size_t>(got);
    }
    return true;
  };
  SpoolHeader head{};
  std::string piece;
  while (read_all(&head, sizeof head) && head.size <= kMaxSpoolPiece) {
    piece.resize(head.size);
    if (!read_all(piece.data(), piece.size())) break;
    take(head.stream == 0 ? OutputStream::Stdout : OutputStream::Stderr, piece, Instant{head.time});
  }
  [[maybe_unused]] const int emptied = ::ftruncate(opened.get(), 0);
}

}  // namespace basalt::node
