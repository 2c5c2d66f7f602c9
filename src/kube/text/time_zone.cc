#include "kube/text/time_zone.h"

#include <algorithm>
#include <array>

#include "kube/text/document_path.h"
#include "kube/text/read_file.h"

namespace basalt::text {
namespace {

constexpr size_t kHeaderBytes = 44;

// Where systems keep their time zone data, in the order in which we look.
constexpr std::array<std::string_view, 3> kZoneDirectories = {"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/",
                                                              "/etc/zoneinfo/"};

std::unexpected<Error> broken(std::string_view what) {
  return invalid("time zone data: " + std::string(what) + ": install the system's time zone data anew");
}

// Bounded big-endian reading; a read beyond the end answers zero and spoils `good`.
struct Bytes {
  std::string_view rest;
  bool good = true;

  std::string_view take(uint64_t count) {
    if (count > rest.size()) {
      good = false;
      rest = {};
      return {};
    }
    const std::string_view taken = rest.substr(0, static_cast<size_t>(count));
    rest.remove_prefix(static_cast<size_t>(count));
    return taken;
  }
};

uint64_t big_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char c : bytes) value = (value << 8) | static_cast<uint8_t>(c);
  return value;
}

int32_t signed32(std::string_view bytes) { return static_cast<int32_t>(static_cast<uint32_t>(big_endian(bytes))); }

struct Header {
  char version = 0;
  uint64_t utc_flags = 0, standard_flags = 0, leaps = 0, times = 0, types = 0, chars = 0;

  [[nodiscard]] uint64_t block_bytes(uint64_t time_bytes) const {
    return times * (time_bytes + 1) + types * 6 + chars + leaps * (time_bytes + 4) + standard_flags + utc_flags;
  }
};

std::optional<Header> take_header(Bytes& bytes) {
  const std::string_view text = bytes.take(kHeaderBytes);
  if (!text.starts_with("TZif")) return std::nullopt;
  const auto count = [text](size_t index) { return big_endian(text.substr(20 + index * 4, 4)); };
  return Header{.version = text[4],
                .utc_flags = count(0),
                .standard_flags = count(1),
                .leaps = count(2),
                .times = count(3),
                .types = count(4),
                .chars = count(5)};
}

}  // namespace

TimeZone TimeZone::fixed(int32_t east_seconds) {
  TimeZone zone;
  zone.first_east_ = std::clamp(east_seconds, -kMaxZoneOffsetSeconds, kMaxZoneOffsetSeconds);
  return zone;
}

Result<TimeZone> TimeZone::parse(std::string_view tzif) {
  Bytes bytes{tzif};
  std::optional<Header> header = take_header(bytes);
  if (!header) return broken("it does not start like a TZif file");
  uint64_t time_bytes = 4;
  if (header->version != 0) {  // version 1 in 32 bits comes first, for old readers
    bytes.take(header->block_bytes(4));
    header = take_header(bytes);
    if (!header) return broken("the second part is missing");
    time_bytes = 8;
  }
  const std::string_view times = bytes.take(header->times * time_bytes);
  const std::string_view indices = bytes.take(header->times);
  const std::string_view types = bytes.take(header->types * 6);
  bytes.take(header->chars + header->leaps * (time_bytes + 4) + header->standard_flags + header->utc_flags);
  if (!bytes.good || types.empty()) return broken("it is cut short");
  TimeZone zone;
  std::vector<int32_t> offsets;
  for (size_t i = 0; i < header->types; ++i) {
    offsets.push_back(signed32(types.substr(i * 6, 4)));
    if (offsets.back() > kMaxZoneOffsetSeconds || offsets.back() < -kMaxZoneOffsetSeconds) {
      return broken("an offset is more than a day");
    }
  }
  zone.first_east_ = offsets[0];
  zone.changes_.reserve(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::string_view at = times.substr(i * time_bytes, time_bytes);
    const int64_t moment = time_bytes == 4 ? signed32(at) : static_cast<int64_t>(big_endian(at));
    const auto type = static_cast<uint8_t>(indices[i]);
    if (type >= offsets.size()) return broken("a change names a type that is not there");
    if (!zone.changes_.empty() && moment <= zone.changes_.back().at) return broken("its changes are not in order");
    zone.changes_.push_back({.at = moment, .east_seconds = offsets[type]});
  }
  if (time_bytes == 4 || !bytes.rest.starts_with('\n')) return zone;
  const std::string_view footer = bytes.rest.substr(1, bytes.rest.find('\n', 1) - 1);
  if (footer.empty()) return zone;
  const Result<ZoneRule> rule = parse_zone_rule(footer);
  if (!rule) return std::unexpected(rule.error().within("time zone data"));
  zone.rule_ = *rule;
  return zone;
}

ZoneSpan TimeZone::at(int64_t unix_seconds) const {
  const auto next = std::ranges::upper_bound(changes_, unix_seconds, {}, &Change::at);
  ZoneSpan span{.east_seconds = first_east_};
  if (next != changes_.begin()) {
    span.from = std::prev(next)->at;
    span.east_seconds = std::prev(next)->east_seconds;
  }
  if (next != changes_.end()) {
    span.until = next->at;
  } else if (rule_) {
    ZoneSpan ruled = span_under(*rule_, unix_seconds);
    ruled.from = std::max(ruled.from, span.from);
    return ruled;
  }
  return span;
}

bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxZoneName) return false;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '+' || c == '-';
  };
  while (true) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part[0] == '-') return false;
    if (!std::ranges::all_of(part, fits)) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

Result<TimeZone> load_time_zone(std::string_view name, const std::string& directory) {
  if (name == "UTC") return TimeZone();
  const auto unknown = [name] {
    return failure(ErrorCode::NotFound, "time zone " + in_quotes(name) +
                                            R"( is not known here: write an IANA name like "Europe/Berlin" or "UTC")");
  };
  if (!is_zone_name(name)) return unknown();
  const auto load = [name](std::string path) -> Result<TimeZone> {
    if (!path.ends_with('/')) path += '/';
    const Result<std::string> bytes = read_file(path.append(name), kMaxZoneBytes);
    if (!bytes) return std::unexpected(bytes.error());
    return TimeZone::parse(*bytes);
  };
  if (!directory.empty()) {
    if (Result<TimeZone> zone = load(directory)) return zone;
    return unknown();
  }
  for (const std::string_view place : kZoneDirectories) {
    if (Result<TimeZone> zone = load(std::string(place))) return zone;
  }
  return unknown();
}

}  // namespace basalt::text
