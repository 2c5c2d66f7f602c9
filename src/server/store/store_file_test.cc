// Damaged files: either everything that was acknowledged is there, or open() fails and names the file.
#include "server/store/store_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "base/rng.h"
#include "server/store/store.h"
#include "server/store/store_fixture.h"

namespace basalt::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kParts[] = {"", "-wal", ".lock"};

// The files of a store as a kill leaves them, and what was acknowledged until then.
struct Remains {
  std::map<std::string, std::string> parts;  // by suffix
  Contents acknowledged;
  Revision revision = 0;
};

Remains killed_store(size_t value_bytes, bool clean) {
  const TempFolder folder;
  const fs::path file = folder / "s.db";
  Remains remains;
  auto store = must_open(file, {.history_events = 40});
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 60; ++i) {
      const std::string key = std::to_string(i % 25);
      const RecordPtr latest = store->latest("pods", key);
      const std::string value(value_bytes + static_cast<size_t>(i) * 7, static_cast<char>('a' + i % 26));
      commit_revision(*store, put("pods", key, latest == nullptr ? 0 : latest->revision(), value));
    }
    if (round == 0)
      store.reset(), store = must_open(file, {.history_events = 40});  // some in the file, some in the log
  }
  remains.acknowledged = contents(*store, "pods");
  remains.revision = store->revision();
  if (clean) store.reset();
  for (const char* suffix : kParts) {
    fs::path part = file;
    part += suffix;
    if (fs::exists(part)) remains.parts[suffix] = file_bytes(part);
  }
  return remains;
}

class Damage : public testing::Test {
 protected:
  void lay_out(const Remains& remains) {
    for (const auto& entry : fs::directory_iterator(folder_ / "")) fs::remove_all(entry);
    for (const auto& [suffix, bytes] : remains.parts) write_file(part(suffix), bytes);
  }
  [[nodiscard]] fs::path part(const std::string& suffix) const { return folder_ / ("s.db" + suffix); }

  // True: it opened.
  bool expect_whole_or_refused(const Remains& remains, const std::string& what) {
    const auto store = Store::open(part(""));
    if (!store) {
      EXPECT_NE(store.error().message.find(part("").string()), std::string::npos) << what << store.error().message;
      return false;
    }
    EXPECT_EQ(contents(**store, "pods"), remains.acknowledged) << what;
    EXPECT_GE((*store)->revision(), remains.revision) << what;
    return true;
  }
  std::string refusal() {
    const auto store = Store::open(part(""));
    return store ? "opened" : store.error().message;
  }

  TempFolder folder_;
};

TEST_F(Damage, RemainsOfAKillAreWhole) {
  for (const bool clean : {false, true}) {
    const Remains remains = killed_store(300, clean);
    lay_out(remains);
    EXPECT_TRUE(expect_whole_or_refused(remains, "untouched"));
  }
}

TEST_F(Damage, TruncatedAnywhere) {
  for (const bool clean : {false, true}) {
    const Remains whole = killed_store(clean ? 3000 : 300, clean);
    for (const auto& [suffix, bytes] : whole.parts) {
      if (suffix == ".lock") continue;
      int refused = 0;
      for (size_t cut = 0; cut <= 24; ++cut) {
        Remains cut_off = whole;
        const size_t size = cut < 4 ? cut * 17 : bytes.size() * (cut - 4) / 20 - (cut == 24 ? 1 : cut % 2);
        cut_off.parts[suffix].resize(size);
        lay_out(cut_off);
        refused += expect_whole_or_refused(whole, suffix + " cut to " + std::to_string(size)) ? 0 : 1;
      }
      // The log of the killed store holds all pages of its small file: that loses nothing when it is cut.
      if (clean || suffix == "-wal") {
        EXPECT_GE(refused, 22) << suffix;
      }
    }
  }
}

TEST_F(Damage, FlippedBytesAnywhere) {
  Rng rng(11);
  for (const bool clean : {false, true}) {
    const Remains whole = killed_store(clean ? 3000 : 300, clean);
    for (const auto& [suffix, bytes] : whole.parts) {
      if (bytes.empty()) continue;
      for (int i = 0; i < 120; ++i) {
        // The beginning of the file holds what hurts most.
        const size_t at = rng.below(i % 3 == 0 ? std::min<size_t>(bytes.size(), 120) : bytes.size());
        Remains flipped = whole;
        flipped.parts[suffix][at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + rng.below(255)));
        lay_out(flipped);
        expect_whole_or_refused(whole, suffix + " flipped at " + std::to_string(at));
      }
    }
  }
}

TEST_F(Damage, WholePagesLostOrSwapped) {
  Rng rng(12);
  const Remains whole = killed_store(3000, true);
  const size_t page = 8192, pages = whole.parts.at("").size() / page;
  for (int i = 0; i < 60; ++i) {
    Remains damaged_file = whole;
    std::string& bytes = damaged_file.parts[""];
    const size_t from = rng.below(pages), to = rng.below(pages);
    bytes.replace(to * page, page, i % 2 == 0 ? std::string(page, '\0') : whole.parts.at("").substr(from * page, page));
    lay_out(damaged_file);
    expect_whole_or_refused(whole, "page " + std::to_string(to));
  }
}

TEST_F(Damage, LostPartsAreNoticed) {
  const Remains whole = killed_store(300, false);
  Remains lost = whole;
  lost.parts.erase("-wal");
  lay_out(lost);
  EXPECT_THAT(refusal(), testing::HasSubstr("were acknowledged"));
  lost = whole;
  lost.parts.erase("");
  lay_out(lost);
  EXPECT_THAT(refusal(), testing::HasSubstr("its write-ahead log is there"));
  lost.parts.erase("-wal");
  lay_out(lost);
  EXPECT_THAT(refusal(), testing::HasSubstr("it is missing"));
  EXPECT_FALSE(fs::exists(part("")));
  lost.parts.erase(".lock");
  lay_out(lost);
  EXPECT_EQ(refusal(), "opened");
}

TEST_F(Damage, OtherThingsInItsPlace) {
  write_file(part(""), "");
  EXPECT_THAT(refusal(), testing::AllOf(testing::HasSubstr("is empty"), testing::HasSubstr(part("").string()),
                                        testing::HasSubstr("Restore a copy")));
  write_file(part(""), "kind: Pod\nmetadata:\n  name: surely no database\n");
  EXPECT_THAT(refusal(), testing::HasSubstr("not a database"));
  EXPECT_EQ(file_bytes(part("")).substr(0, 9), "kind: Pod") << "left as it is";
  fs::remove(part(""));
  fs::create_directory(part(""));
  EXPECT_THAT(refusal(), testing::HasSubstr("is not a file"));
  EXPECT_FALSE(Store::open(folder_ / "no/such/folder/s.db"));
}

void run_sql(const fs::path& file, const std::string& sql) {
  auto database = Database::open(file);
  ASSERT_TRUE(database) << database.error().message;
  const auto done = database->run(sql);
  ASSERT_TRUE(done) << done.error().message;
}

TEST_F(Damage, EditsFromOutsideAreNoticed) {
  const Remains whole = killed_store(300, true);
  struct Edit {
    const char *sql, *message;
  };
  for (const auto& [sql, message] :
       {Edit{"PRAGMA user_version=2", "newer version"}, Edit{"PRAGMA user_version=0", "unknown format"},
        Edit{"PRAGMA application_id=7", "not a store of Basalt"}, Edit{"DROP TABLE meta", "no such table"},
        Edit{"DROP TABLE log", "no such table"}, Edit{"DELETE FROM meta", "is empty"},
        Edit{"UPDATE meta SET highest = highest + 1", "wrong checksum"},
        Edit{"DELETE FROM log WHERE revision = (SELECT max(revision) FROM log)", "should hold"},
        Edit{"DELETE FROM log WHERE revision = (SELECT min(revision) FROM log)", "should hold"},
        Edit{"UPDATE log SET object = replace(object, 'aaa', 'aab')", "is corrupt"},
        Edit{"UPDATE log SET key = 'other' WHERE revision = (SELECT max(revision) FROM log)", "is corrupt"},
        Edit{"UPDATE log SET version_at = 999999", "is corrupt"}, Edit{"UPDATE log SET object = 5", "is corrupt"},
        Edit{"UPDATE log SET revision = -revision", "corrupt"}}) {
    lay_out(whole);
    run_sql(part(""), sql);
    EXPECT_THAT(refusal(), testing::AllOf(testing::HasSubstr(message), testing::HasSubstr(part("").string()))) << sql;
  }
}

TEST_F(Damage, FilesAreForTheirOwnerOnly) {
  const auto store = must_open(part(""));
  commit_revision(*store, put("secrets", "a", 0, "v"));
  for (const char* suffix : kParts) {
    struct stat meta{};
    ASSERT_EQ(stat(part(suffix).c_str(), &meta), 0) << suffix;
    EXPECT_EQ(meta.st_mode & 0777U, 0600U) << suffix;
  }
}

}  // namespace
}  // namespace basalt::store
