#include "programs/daemon/log_level_page.h"

#include <string>

#include "kube/text/document_path.h"
#include "kube/text/scalar.h"

namespace basalt::daemon {
namespace {

constexpr const char* kPath = "/debug/flags/v";

net::HttpResponse set_level(AsyncLog& log, std::string_view body) {
  while (body.ends_with('\n') || body.ends_with('\r')) body.remove_suffix(1);
  const auto level = text::parse_int32(body);
  if (!level || *level < 0) {
    return net::plain_text(
        400, "level " + text::in_quotes(body) + ": give a number from 0 to " + std::to_string(kMaxLogLevel) + "\n");
  }
  log.set_level(*level);
  log.write(Severity::Info, "the level of the log is now " + std::to_string(*level));
  return net::plain_text(200, "the level is now " + std::to_string(*level) + "\n");
}

}  // namespace

void add_log_level_page(PageTable& pages, AsyncLog& log) {
  pages[kPath] = [&log](const net::HttpRequest&) { return net::plain_text(200, std::to_string(log.level()) + "\n"); };
  pages[std::string("PUT ") + kPath] = [&log](const net::HttpRequest& request) { return set_level(log, request.body); };
}

}  // namespace basalt::daemon
