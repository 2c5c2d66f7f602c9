#include "server/store/record.h"

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

TEST(Record, PutsTheVersionWhereItBelongs) {
  const Record record("ns/a", 1234567, false, R"({"metadata":{"name":"a"},"spec":{}})", 13);
  std::string out = "before ";
  record.append_json(out);
  EXPECT_EQ(out, R"(before {"metadata":{"resourceVersion":"1234567","name":"a"},"spec":{}})");
  const Record largest("a", ~Revision{0}, false, R"({"metadata":{"name":"a"}})", 13);
  std::string json;
  largest.append_json(json);
  EXPECT_EQ(json, R"({"metadata":{"resourceVersion":"18446744073709551615","name":"a"}})");
}

TEST(Record, ParsesOnceForAllWhoHoldTheValue) {
  const Record record("ns/a", 7, false, R"({"metadata":{"name":"a"}})", 13);
  const auto first = record.object();
  EXPECT_EQ(first->at("metadata").at("resourceVersion").as_string(), "7");
  EXPECT_EQ(record.object(), first);
}

TEST(Record, ServesTheWritersValueWhileItLives) {
  const Record record("ns/a", 7, false, R"({"metadata":{"name":"a"}})", 13);
  auto writers = std::make_shared<const text::Value>("writer's");
  record.remember(writers);
  EXPECT_EQ(record.object(), writers);
  writers.reset();
  EXPECT_TRUE(record.object()->is_object());
}

TEST(Record, BytesThatAreNoJsonAreNull) {
  const Record record("ns/a", 7, false, "not json", 0);
  EXPECT_TRUE(record.object()->is_null());
}

}  // namespace
}  // namespace basalt::store
