#include "kube/net/response_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace basalt::net {
namespace {

struct Reason {
  unsigned status;
  std::string_view text;
};

constexpr auto kReasons = std::to_array<Reason>({
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {412, "Precondition Failed"},
    {413, "Request Entity Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Entity"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {507, "Insufficient Storage"},
});

std::string_view reason_of(unsigned status) {
  const auto* found = std::ranges::find(kReasons, status, &Reason::status);
  return found != kReasons.end() ? found->text : std::string_view("Unknown");
}

bool is_token(char c) {
  const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

bool is_field_value(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F); }

void append_number(std::string& out, uint64_t number, int base = 10) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  out.append(digits.data(), end.ptr);
}

void append_two(std::string& out, int number) {
  out.push_back(static_cast<char>('0' + number / 10 % 10));
  out.push_back(static_cast<char>('0' + number % 10));
}

// By hand: strftime would ask the locale for names.
void append_date(std::string& out, std::time_t now) {
  constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  std::tm time{};
  if (::gmtime_r(&now, &time) == nullptr) return;
  out.append("Date: ").append(kDays.substr(static_cast<size_t>(time.tm_wday) * 3, 3)).append(", ");
  append_two(out, time.tm_mday);
  out.append(" ").append(kMonths.substr(static_cast<size_t>(time.tm_mon) * 3, 3)).append(" ");
  append_number(out, static_cast<uint64_t>(time.tm_year) + 1900);
  out.append(" ");
  append_two(out, time.tm_hour);
  out.append(":");
  append_two(out, time.tm_min);
  out.append(":");
  append_two(out, time.tm_sec);
  out.append(" GMT\r\n");
}

}  // namespace

bool append_header(std::string& out, std::string_view name, std::string_view value) {
  if (name.empty() || !std::ranges::all_of(name, is_token) || !std::ranges::all_of(value, is_field_value)) return false;
  out.append(name).append(": ").append(value).append("\r\n");
  return true;
}

bool has_body(unsigned status) { return status >= 200 && status != 204 && status != 304; }

void append_head(std::string& out, const HttpResponse& response, const HeadOptions& options) {
  out.append("HTTP/1.1 ");
  append_number(out, response.status);
  out.append(" ").append(reason_of(response.status)).append("\r\n");
  if (!response.content_type.empty() && has_body(response.status)) {
    append_header(out, "Content-Type", response.content_type);
  }
  for (const auto& [name, value] : response.headers.list) append_header(out, name, value);
  append_date(out, options.now);
  if (!options.keep_alive) out.append("Connection: close\r\n");
  if (has_body(response.status)) {
    if (options.framing == Framing::Chunked) {
      out.append("Transfer-Encoding: chunked\r\n");
    } else if (options.framing == Framing::Length) {
      out.append("Content-Length: ");
      append_number(out, response.body.size());
      out.append("\r\n");
    }
  }
  out.append("\r\n");
}

void append_chunk(std::string& out, std::string_view data) {
  append_number(out, data.size(), 16);
  out.append("\r\n").append(data).append("\r\n");
}

}  // namespace basalt::net
