#include "control/volcano/job/expand/job_claims.h"

#include <gtest/gtest.h>

#include "control/volcano/job/expand/expand_job_builders.h"
#include "kube/api/name_validation.h"
#include "kube/text/patch.h"

namespace basalt::volcano {
namespace {

using tests::job_with;
using tests::to_text;

const std::string_view kSpecWithVolumes =
    R"({"volumes": [{"mountPath": "/a", "volumeClaim": {"accessModes": ["ReadWriteOnce"]}},
                    {"mountPath": "/b", "volumeClaimName": "theirs"}, {"mountPath": "/c", "volumeClaim": {}}]})";

TEST(Claims, DerivedNamesNeverChange) {
  const text::Object object = job_with(kSpecWithVolumes);
  const auto claims = job_claims(JobView(object));
  ASSERT_EQ(claims.size(), 3U);
  // Written down: jobs that live through an upgrade of the controller find their claims by these.
  EXPECT_EQ(claims[0].name, "train-pvc-5e6ql0ffrdjp");
  EXPECT_EQ(claims[2].name, "train-pvc-vgcxzvshle6g");
  EXPECT_EQ(pod_volume_name(JobView(object), "theirs"), "train-sf0x4azdjeeu");
  EXPECT_EQ(claims[1].name, "theirs");
  EXPECT_TRUE(claims[0].ours && claims[2].ours);
  EXPECT_TRUE(claims[1].must_exist());
}

TEST(Claims, AnotherJobOfTheSameNameHasOthers) {
  text::Object object = job_with(kSpecWithVolumes);
  const std::string first = job_claims(JobView(object))[0].name;
  object["metadata"].get_object()["uid"] = "u-2";
  EXPECT_NE(job_claims(JobView(object))[0].name, first);
}

TEST(Claims, WritingTheNamesIsOneStepOfManyThatAllConverge) {
  text::Object object = job_with(kSpecWithVolumes);
  const auto before = job_claims(JobView(object));
  const auto change = claim_names_change(JobView(object));
  ASSERT_TRUE(change.has_value());
  object = text::merge_patch(object, *change).get_object();
  // After the names are written: nothing more to write, the same claims, still ours to make.
  EXPECT_FALSE(claim_names_change(JobView(object)).has_value());
  const auto after = job_claims(JobView(object));
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].name, before[i].name);
    EXPECT_EQ(after[i].ours, before[i].ours);
    EXPECT_NE(after[i].spec == nullptr, i != 1);
  }
}

TEST(Claims, TheClaimIsOwnedAndHasTheWrittenSpec) {
  const text::Object object = job_with(kSpecWithVolumes);
  const JobView job(object);
  const text::Object claim = make_claim(job, job_claims(job)[0]);
  EXPECT_EQ(to_text(claim.at("spec").get_object()), R"({"accessModes":["ReadWriteOnce"]})");
  EXPECT_EQ(claim.at("metadata").get_object().at("namespace"), "lab");
  EXPECT_EQ(claim.at("metadata").get_object().at("ownerReferences").get_array().at(0), owner_reference(job));
  EXPECT_EQ(claim_resource_key("x"), "volume-pvc-x");
}

TEST(Claims, VolumeNamesStayLabels) {
  text::Object object = job_with(kSpecWithVolumes);
  object["metadata"].get_object()["name"] = std::string(60, 'j');
  const std::string name = pod_volume_name(JobView(object), "theirs");
  EXPECT_TRUE(api::dns1123_label(name).empty()) << name;
}

TEST(Claims, OddEntriesAreCopiedUntouched) {
  const text::Object object = job_with(R"({"volumes": [null, {"mountPath": "/a"}]})");
  const auto change = claim_names_change(JobView(object));
  ASSERT_TRUE(change.has_value());
  const text::Array& volumes = change->at("spec").get_object().at("volumes").get_array();
  EXPECT_TRUE(volumes.at(0).is_null());
  EXPECT_EQ(volumes.at(1).get_object().at("volumeClaimName"), job_claims(JobView(object))[0].name.c_str());
}

}  // namespace
}  // namespace basalt::volcano
