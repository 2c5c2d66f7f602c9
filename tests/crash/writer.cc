#include "tests/crash/writer.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <thread>
#include <vector>

#include "base/rng.h"
#include "tests/crash/writer_protocol.h"

namespace basalt::crash {

namespace {

// One write of less than PIPE_BUF bytes: messages of several threads do not mix.
void say(int pipe, const WriterMessage& message) {
  if (write(pipe, &message, sizeof message) != sizeof message) _exit(3);
}

void write_for_ever(store::Store& store, uint32_t writer, uint64_t life, int pipe) {
  Rng rng(life * kWriters + writer);
  std::counting_semaphore<> room(kInFlight);
  for (uint64_t number = life * kNumbersPerRun + writer;; number += kWriters) {
    const uint32_t key = writer * kKeysOfWriter + static_cast<uint32_t>(rng.below(kKeysOfWriter));
    room.acquire();
    const store::RecordPtr latest = store.latest(resource_of(key), key_text(key));
    WriterMessage message{.kind = WriterMessage::Kind::Issued, .key = key, .number = number};
    message.removes = latest != nullptr && rng.chance(0.25) ? 1 : 0;
    say(pipe, message);
    store::StoreWrite write{.address = {.resource = resource_of(key), .key = key_text(key)},
                            .expected = latest == nullptr ? 0 : latest->revision(),
                            .remove = message.removes != 0,
                            .bytes = bytes_of(key, number),
                            .version_at = 13};
    (void)store.write(std::move(write), [=, &room](const store::StoreResult<store::RecordPtr>& result) {
      WriterMessage told = message;
      told.kind = result ? WriterMessage::Kind::Acknowledged : WriterMessage::Kind::Refused;
      told.revision = result ? (*result)->revision() : 0;
      if (!result) std::fprintf(stderr, "refused: %s\n", result.error().message.c_str());
      say(pipe, told);
      room.release();
    });
  }
}

}  // namespace

void write_until_killed(const std::filesystem::path& file, uint64_t life, int pipe) {
  auto store = store::Store::open(file, kOptions);
  if (!store) {
    std::fprintf(stderr, "the writer cannot open: %s\n", store.error().message.c_str());
    return;
  }
  say(pipe, {.kind = WriterMessage::Kind::Opened, .revision = (*store)->revision()});
  std::vector<std::jthread> writers;
  for (uint32_t i = 0; i < kWriters; ++i) {
    writers.emplace_back([&store, i, life, pipe] { write_for_ever(**store, i, life, pipe); });
  }
}

}  // namespace basalt::crash
