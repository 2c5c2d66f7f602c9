#include "server/http/log_stream.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "kube/text/rfc3339.h"
#include "server/http/pod_container.h"

namespace basalt::server {
namespace {

// What one stream reads before others get their turn on the thread.
constexpr int kMaxPiecesPerTurn = 16;

// An option that is a number: 400 when it is none; below `least` it is a cause.
api::ApiResult<std::optional<int64_t>> count_option(const RequestTarget& target, const std::string& name, int64_t least,
                                                    api::Causes& causes) {
  const std::string_view text = target.option(name);
  if (text.empty()) return std::optional<int64_t>();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::unexpected(api::bad_request(name + ": \"" + std::string(text) + "\" is not an integer"));
  }
  if (value < least) {
    causes.invalid(name, value, least > 0 ? "must be greater than 0" : "must be greater than or equal to 0");
  }
  return std::optional(value);
}

// The CRI prefix of a line, if it has one: where the time and where the text is.
struct LogLine {
  std::string_view time, text;
  bool whole = true;  // false: a part, the rest of the line follows
};

LogLine split_line(std::string_view line) {
  const size_t first = line.find(' ');
  if (first == std::string_view::npos || first < 20) return {.time = "", .text = line};
  const std::string_view rest = line.substr(first + 1);
  for (const std::string_view mark : {"stdout F ", "stderr F ", "stdout P ", "stderr P "}) {
    if (!rest.starts_with(mark)) continue;
    return {.time = line.substr(0, first), .text = rest.substr(mark.size()), .whole = mark.ends_with("F ")};
  }
  return {.time = "", .text = line};
}

// Tells one file from another at the same path; 0: there is none.
uint64_t file_number(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 ? static_cast<uint64_t>(found.st_ino) : 0;
}

// Which part of the log: as kube-apiserver, 422 for numbers that mean nothing. Large ones are as good as infinite.
api::ApiResult<void> read_part(const RequestTarget& target, const std::string& pod, Instant now, LogOptions& options) {
  api::Causes causes;
  auto tail = count_option(target, "tailLines", 0, causes);
  if (!tail) return std::unexpected(std::move(tail.error()));
  auto limit = count_option(target, "limitBytes", 1, causes);
  if (!limit) return std::unexpected(std::move(limit.error()));
  auto seconds = count_option(target, "sinceSeconds", 1, causes);
  if (!seconds) return std::unexpected(std::move(seconds.error()));
  const std::string_view since = target.option("sinceTime");
  if (*seconds && !since.empty()) {
    causes.forbidden("sinceSeconds", "at most one of `sinceTime` or `sinceSeconds` may be specified");
  }
  if (!causes.empty()) return std::unexpected(api::invalid_object("", "PodLogOptions", pod, causes.take()));
  options.tail_lines = *tail;
  options.limit_bytes = *limit;
  if (*seconds) options.since = now + Duration::seconds(-**seconds);
  if (!since.empty()) {
    const auto time = text::parse_time(since);
    if (!time) return std::unexpected(api::bad_request("sinceTime: " + time.error().message));
    options.since = *time;
  }
  return {};
}

bool is_safe_part(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.find('/') == std::string_view::npos &&
         part.find('\0') == std::string_view::npos;
}

// Where a pod's logs are, or will be.
std::string pod_directory(std::span<const std::string> directories, const std::string& ns, const std::string& pod) {
  const auto in = [&](const std::string& directory) { return directory + "/" + ns + "/" + pod; };
  std::error_code ignored;
  for (const std::string& directory : directories) {
    if (std::filesystem::is_directory(in(directory), ignored)) return in(directory);
  }
  return directories.empty() ? in("") : in(directories.front());
}

}  // namespace

api::ApiResult<LogOptions> read_log_options(ApiServer& server, std::span<const std::string> directories,
                                            const api::Call& call, const RequestTarget& target) {
  const store::RecordPtr record = server.store().get("pods", call.namespace_name + "/" + call.name);
  if (record == nullptr) return std::unexpected(api::not_found("", "pods", call.name));
  auto container = choose_container(record->object()->get_object(), target.option("container"));
  if (!container) return std::unexpected(std::move(container.error()));
  if (!is_safe_part(call.namespace_name) || !is_safe_part(call.name) || !is_safe_part(*container)) {
    return std::unexpected(api::no_such_path());
  }
  LogOptions options;
  const bool previous = target.truth("previous");
  options.file = pod_directory(directories, call.namespace_name, call.name) + "/" + *container +
                 (previous ? ".previous.log" : ".log");
  std::error_code ignored;
  if (previous && !std::filesystem::exists(options.file, ignored)) {
    return std::unexpected(api::bad_request("previous terminated container \"" + *container + "\" in pod \"" +
                                            call.name + "\" not found"));
  }
  options.follow = target.truth("follow");
  options.timestamps = target.truth("timestamps");
  if (auto read = read_part(target, call.name, server.now(), options); !read) return std::unexpected(read.error());
  return options;
}

LogStream::LogStream(LogOptions options, std::shared_ptr<net::ResponseStream> stream, std::function<bool()> ended,
                     std::shared_ptr<void> record)
    : options_(std::move(options)), stream_(std::move(stream)), ended_(std::move(ended)), record_(std::move(record)) {}

void LogStream::start() {
  self_ = shared_from_this();
  std::weak_ptr<LogStream> weak = self_;
  stream_->on_closed([weak] {
    if (const auto stream = weak.lock()) stream->finish();
  });
  open_file();
  if (options_.tail_lines) seek_tail();
  busy_ = true;
  stream_->run([self = shared_from_this()] { self->pump(); });
}

void LogStream::tick() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || busy_) return;
    busy_ = true;
  }
  stream_->run([self = shared_from_this()] { self->pump(); });
}

void LogStream::open_file() {
  file_number_ = file_number(options_.file);
  file_.open(options_.file, std::ios::binary);
}

// Puts the file's position at the beginning of the last `tail_lines` lines, reading backwards.
void LogStream::seek_tail() {
  if (!file_.is_open()) return;
  file_.seekg(0, std::ios::end);
  std::streamoff at = file_.tellg();
  int64_t ends_left = std::min(*options_.tail_lines, kMaxTailLines);
  if (ends_left == 0 || at == 0) return;
  file_.seekg(at - 1);
  if (file_.get() == '\n') ++ends_left;  // the end of the last line itself
  std::string piece;
  while (at > 0) {
    const std::streamoff size = std::min<std::streamoff>(at, static_cast<std::streamoff>(kMaxLogChunk));
    at -= size;
    piece.resize(static_cast<size_t>(size));
    file_.seekg(at);
    file_.read(piece.data(), size);
    for (size_t i = piece.size(); i-- > 0;) {
      if (piece[i] != '\n' || --ends_left > 0) continue;
      file_.seekg(at + static_cast<std::streamoff>(i) + 1);
      return;
    }
  }
  file_.seekg(0);
}

void LogStream::append_line(std::string& out, std::string_view line) {
  const LogLine parts = split_line(line);
  if (options_.since && !parts.time.empty()) {
    const auto time = text::parse_time(parts.time);
    if (time && *time < *options_.since) return;
  }
  const bool begins = !std::exchange(continues_, !parts.whole);
  if (options_.timestamps && begins && !parts.time.empty()) {
    out += parts.time;
    out += ' ';
  }
  out += parts.text;
  if (parts.whole) out += '\n';
}

// Up to kMaxLogChunk of new whole lines; an unfinished line waits, but not without bound. "" without `more`: there is
// nothing new. A long log of which nothing is wanted (sinceTime) is read in turns.
std::string LogStream::next_piece(bool& more) {
  more = false;
  if (!file_.is_open()) open_file();
  if (!file_.is_open()) return "";
  std::string out;
  std::string piece;
  for (int turn = 0; turn < kMaxPiecesPerTurn && out.empty(); ++turn) {
    const uint64_t number =
        file_number(options_.file);  // before the read: what was written before a rotation is not lost
    piece.resize(kMaxLogChunk);
    file_.clear();
    file_.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    piece.resize(static_cast<size_t>(file_.gcount()));
    more = piece.size() == kMaxLogChunk;
    if (piece.empty() && number != 0 && number != file_number_) {
      file_.close();
      open_file();
      more = true;
      continue;
    }
    take_lines(piece, out);
    if (!more) break;
  }
  return out;
}

// Whole lines go to `out`; the rest waits for its end.
void LogStream::take_lines(std::string_view piece, std::string& out) {
  partial_ += piece;
  size_t start = 0;
  for (size_t end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n', start)) {
    append_line(out, std::string_view(partial_).substr(start, end - start));
    start = end + 1;
  }
  partial_.erase(0, start);
  if (partial_.size() >= kMaxLogChunk) out += std::exchange(partial_, "");
}

void LogStream::pump() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
  }
  const bool over = ended_();  // asked before reading: what was written until then is sent
  bool more = false;
  std::string piece = next_piece(more);
  if (piece.empty() && more) return stream_->run([self = shared_from_this()] { self->pump(); });
  if (piece.empty() && (!options_.follow || over)) {
    piece = std::exchange(partial_, "");  // a last line without an end
    if (piece.empty()) {
      stream_->finish();
      return finish();
    }
  }
  if (piece.empty()) {
    const std::lock_guard lock(mutex_);
    busy_ = false;
    return;
  }
  bool last = false;
  if (options_.limit_bytes) {
    const int64_t room = *options_.limit_bytes - sent_;
    last = static_cast<int64_t>(piece.size()) >= room;
    if (last) piece.resize(static_cast<size_t>(std::max<int64_t>(room, 0)));
  }
  if (piece.empty()) {
    stream_->finish();
    return finish();
  }
  sent_ += static_cast<int64_t>(piece.size());
  stream_->write(std::move(piece), [self = shared_from_this(), last](bool written) {
    if (!written) return self->finish();
    if (last) {
      self->stream_->finish();
      return self->finish();
    }
    self->pump();
  });
}

void LogStream::finish() {
  std::shared_ptr<LogStream> self;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  self = std::move(self_);
}

}  // namespace basalt::server
