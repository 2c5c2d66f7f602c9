#include "kube/client/credentials.h"

#include <chrono>

#include "kube/text/base64.h"

namespace basalt::client {
namespace {

constexpr std::chrono::milliseconds kLookForInterrupt{50};

// A token is one word; files that hold one end with a line end.
std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
  return text;
}

std::string authorization_of(const AuthInfo& identity, const std::string& token) {
  if (!token.empty()) return "Bearer " + token;
  if (identity.username.empty() && identity.password.empty()) return "";
  return "Basic " + text::encode_base64(identity.username + ":" + identity.password);
}

}  // namespace

CredentialSource::CredentialSource(AuthInfo identity, HostEnvironment host_environment, std::string ca_pem,
                                   std::string ca_file)
    : identity_(std::move(identity)),
      host_environment_(std::move(host_environment)),
      ca_pem_(std::move(ca_pem)),
      ca_file_(std::move(ca_file)) {}

// A lock that is given up waiting for when one is interrupted. False: that has happened.
class CredentialSource::Turn {
 public:
  Turn(CredentialSource& source, const net::Interrupt* interrupt) : source_(source) {
    std::unique_lock lock(source_.mutex_);
    while (source_.taken_) {
      source_.left_.wait_for(lock, kLookForInterrupt);
      if (interrupt != nullptr && interrupt->raised()) return;
    }
    mine_ = source_.taken_ = true;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (!mine_) return;
    {
      const std::lock_guard lock(source_.mutex_);
      source_.taken_ = false;
    }
    source_.left_.notify_one();
  }
  explicit operator bool() const { return mine_; }

 private:
  CredentialSource& source_;
  bool mine_ = false;
};

Result<std::shared_ptr<const Credentials>> CredentialSource::current(const net::Interrupt* interrupt) {
  const Instant now = host_environment_.clock();
  {
    const std::lock_guard lock(mutex_);
    if (!taken_ && is_fresh(now)) return latest_;
  }
  const Turn turn(*this, interrupt);
  if (!turn) return failure(ErrorCode::Io, "interrupted");
  if (!is_fresh(now)) {
    if (auto renewed = renew(now, interrupt); !renewed) return std::unexpected(renewed.error());
  }
  return latest_;
}

bool CredentialSource::refused(uint64_t number, const net::Interrupt* interrupt) {
  const Turn turn(*this, interrupt);
  if (!turn) return false;
  if (!latest_ || latest_->number != number) return true;  // others have renewed them in the meantime
  if (!identity_.exec && !has_files()) return false;
  issued_.reset();
  read_at_ = kNever;
  return renew(host_environment_.clock(), interrupt) && latest_->number != number;
}

bool CredentialSource::has_files() const {
  return !identity_.token_file.empty() || !identity_.certificate_file.empty() || !ca_file_.empty();
}

bool CredentialSource::files_are_fresh(Instant now) const {
  if (!from_files_) return false;
  return !has_files() || (read_at_.is_set() && now >= read_at_ && now < read_at_ + kRereadAfter);
}

bool CredentialSource::issued_is_fresh(Instant now) const {
  if (!identity_.exec) return true;
  return issued_ && (!issued_->expires.is_set() || now + kRenewBeforeExpiry < issued_->expires);
}

Result<void> CredentialSource::renew(Instant now, const net::Interrupt* interrupt) {
  if (!files_are_fresh(now)) {
    auto read = read_files();
    if (!read && !from_files_) return std::unexpected(read.error());
    if (read) from_files_ = std::move(*read);
    read_at_ = now;
  }
  if (!issued_is_fresh(now)) {
    auto issued = run_exec_plugin(*identity_.exec, interrupt);
    if (!issued) return std::unexpected(issued.error());
    issued_ = std::move(*issued);
  }
  Credentials next = *from_files_;
  if (issued_ && !issued_->token.empty()) next.authorization = "Bearer " + issued_->token;
  if (issued_ && !issued_->certificate_pem.empty()) {
    next.certificate_pem = issued_->certificate_pem;
    next.key_pem = issued_->key_pem;
  }
  const Credentials old = latest_ ? *latest_ : Credentials{};
  const bool certificate_same =
      next.certificate_pem == old.certificate_pem && next.key_pem == old.key_pem && next.ca_pem == old.ca_pem;
  const bool same = latest_ && certificate_same && next.authorization == old.authorization;
  next.certificate_number = old.certificate_number + (certificate_same ? 0 : 1);
  next.number = old.number + (same ? 0 : 1);
  latest_ = std::make_shared<const Credentials>(std::move(next));
  return {};
}

Result<Credentials> CredentialSource::read_files() const {
  Credentials read;
  std::string token = identity_.token;
  if (!identity_.token_file.empty()) {
    auto text = host_environment_.read_file(identity_.token_file);
    if (!text && token.empty()) return std::unexpected(text.error().within("token file"));
    if (text) token = without_blanks(std::move(*text));
    if (token.empty()) return invalid("token file: " + identity_.token_file + ": is empty");
  }
  read.authorization = authorization_of(identity_, token);
  read.certificate_pem = identity_.certificate_pem;
  read.key_pem = identity_.key_pem;
  if (read.certificate_pem.empty() && !identity_.certificate_file.empty()) {
    auto pem = host_environment_.read_file(identity_.certificate_file);
    if (!pem) return std::unexpected(pem.error().within("client certificate"));
    read.certificate_pem = std::move(*pem);
  }
  if (read.key_pem.empty() && !identity_.key_file.empty()) {
    auto pem = host_environment_.read_file(identity_.key_file);
    if (!pem) return std::unexpected(pem.error().within("client key"));
    read.key_pem = std::move(*pem);
  }
  read.ca_pem = from_files_ ? from_files_->ca_pem : ca_pem_;
  if (!ca_file_.empty()) {
    auto pem = host_environment_.read_file(ca_file_);
    if (pem && !pem->empty()) read.ca_pem = std::move(*pem);
  }
  return read;
}

}  // namespace basalt::client
