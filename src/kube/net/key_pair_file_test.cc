#include "kube/net/key_pair_file.h"

#include <gmock/gmock.h>

#include "kube/net/net_fixture.h"
#include "kube/net/private_file.h"

namespace basalt::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PairFile : public ::testing::Test {
 protected:
  PairFile() { std::filesystem::create_directories(root); }
  ~PairFile() override {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }
  const std::filesystem::path root =
      std::filesystem::path(::testing::TempDir()) / ("pair_file_" + std::to_string(::getpid()));
  const std::filesystem::path file = root / "ca.pem";
  const KeyPair pair = must(make_authority("ca", test_now()));
};

TEST_F(PairFile, KeepsBothApart) {
  ASSERT_TRUE(write_key_pair_file(file, pair));
  const KeyPair read = must(read_key_pair_file(file));
  EXPECT_EQ(read.certificate_pem, pair.certificate_pem);
  EXPECT_EQ(read.key_pem, pair.key_pem);
  EXPECT_THAT(read.certificate_pem, Not(HasSubstr("PRIVATE KEY"))) << "it goes into kubeconfigs";
}

TEST_F(PairFile, IsAbsentOrWholeOrRefused) {
  EXPECT_EQ(read_key_pair_file(file).error().code, ErrorCode::NotFound);
  const std::string whole = pair.key_pem + pair.certificate_pem;
  for (size_t size = 0; size + 1 < whole.size(); size += 7) {
    ASSERT_TRUE(write_private_file(file, whole.substr(0, size)));
    const auto read = read_key_pair_file(file);
    ASSERT_FALSE(read) << size;
    EXPECT_NE(read.error().code, ErrorCode::NotFound) << size;
    EXPECT_THAT(read.error().message, HasSubstr(file.string())) << size;
  }
}

TEST_F(PairFile, AnotherKeyIsRefused) {
  const KeyPair other = must(make_authority("ca", test_now()));
  ASSERT_TRUE(write_key_pair_file(file, {.certificate_pem = pair.certificate_pem, .key_pem = other.key_pem}));
  EXPECT_THAT(read_key_pair_file(file).error().message, HasSubstr("not that of the certificate"));
}

}  // namespace
}  // namespace basalt::net
