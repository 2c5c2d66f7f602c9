#include "kube/text/document_path.h"

#include <gtest/gtest.h>

#include "kube/text/line_map.h"

namespace basalt::text {
namespace {

TEST(Path, WritesPlainWordsWithDotsAndOthersInBrackets) {
  std::string path;
  append_key(path, "metadata");
  append_key(path, "annotations");
  append_key(path, "volcano.sh/preemptable");
  append_index(path, 3);
  EXPECT_EQ(path, "metadata.annotations[volcano.sh/preemptable][3]");
  EXPECT_EQ(parent_path(path), "metadata.annotations[volcano.sh/preemptable]");
  EXPECT_EQ(parent_path("metadata.annotations[volcano.sh/preemptable]"), "metadata.annotations");
  EXPECT_EQ(parent_path("metadata"), "");
}

TEST(Path, QuotesAndCutsValues) {
  EXPECT_EQ(in_quotes("a\"b\n\x01"), R"("a\"b\n\x01")");
  const std::string cut = in_quotes(std::string(63, 'a') + "é" + std::string(50, 'b'));
  EXPECT_EQ(cut, "\"" + std::string(63, 'a') + "…\"");
}

TEST(LineMap, AnswersTheNearestAncestor) {
  LineMap lines;
  EXPECT_EQ(lines.line_of("a.b"), 0U);
  lines.add("", 1);
  lines.add("a", 2);
  lines.add("a.b", 3);
  EXPECT_EQ(lines.line_of("a.b"), 3U);
  EXPECT_EQ(lines.line_of("a.c[0].d"), 2U);
  EXPECT_EQ(lines.line_of("x"), 1U);
}

}  // namespace
}  // namespace basalt::text
