// What the writer that gets killed and the checker that comes after it agree upon.
//
// Every write of every run has a number of its own, and the object's bytes follow from its key and that number alone:
// whoever reads an object can tell whether it is whole. The writer says over a pipe what it issues, before it does, and
// what was acknowledged, after it was.
#pragma once

#include <cstdint>
#include <string>

#include "server/store/store.h"

namespace basalt::crash {

inline constexpr uint32_t kWriters = 4;                    // threads; each has keys of its own
inline constexpr uint32_t kKeysOfWriter = 25;              // so that updates and removals are frequent
inline constexpr size_t kInFlight = 12;                    // writes that one thread issues without waiting
inline constexpr size_t kMaxFiller = 3'000;                // bytes
inline constexpr uint64_t kNumbersPerRun = 1'000'000'000;  // numbers of one run: run * kNumbersPerRun + …

// Small, so that trimming happens all the time.
inline const store::StoreOptions kOptions{.history_events = 1'500, .history_bytes = 1'500'000, .reserve_bytes = 0};

struct WriterMessage {
  enum class Kind : uint32_t { Opened, Issued, Acknowledged, Refused };
  Kind kind = Kind::Opened;
  uint32_t key = 0;
  uint64_t number = 0;  // of the write
  store::Revision revision = 0;
  uint64_t removes = 0;
};

inline std::string resource_of(uint32_t key) { return key % 3 == 0 ? "nodes" : "pods"; }
inline std::string key_text(uint32_t key) { return "ns/" + std::to_string(key); }

// The bytes of the object, and back: the number of the write that made them; 0: they are not whole.
std::string bytes_of(uint32_t key, uint64_t number);
uint64_t number_in(uint32_t key, const std::string& bytes);

}  // namespace basalt::crash
