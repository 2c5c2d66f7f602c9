#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::vcctl {
namespace {

class QueueCommands : public VcctlTest {
 protected:
  void SetUp() override {
    api.put("queues", "{metadata: {name: default, uid: q-1}, spec: {weight: 1, parent: root}, status: {state: Open}}");
    api.put("queues", "{metadata: {name: root}, spec: {weight: 1}, status: {state: Open}}");
    api.put("podgroups",
            "{metadata: {name: g, namespace: research}, spec: {queue: default}, status: {phase: Running}}");
  }
};

constexpr std::string_view kQueueHeader =
    "Name                     Weight  State   Parent  Inqueue Pending Running Unknown Completed\n";
constexpr std::string_view kDefault =
    "default                  1       Open    root    0       0       1       0       0       \n";
constexpr std::string_view kRoot =
    "root                     1       Open            0       0       0       0       0       \n";

TEST_F(QueueCommands, ListCountsPodGroups) {
  EXPECT_EQ(vcctl({"queue", "list"}).out, std::string(kQueueHeader) + std::string(kDefault) + std::string(kRoot));
}

TEST_F(QueueCommands, Get) {
  EXPECT_EQ(vcctl({"queue", "get", "-n", "default"}).out, std::string(kQueueHeader) + std::string(kDefault));
  EXPECT_EQ(vcctl({"queue", "get"}).out,
            "Failed to get queue: name is mandatory to get the particular queue details\n");
  EXPECT_EQ(vcctl({"queue", "get", "-n", "x"}).out,
            "Failed to get queue: queues.scheduling.volcano.sh \"x\" not found\n");
}

TEST_F(QueueCommands, VqueuesCountsToo) {
  EXPECT_EQ(tool("vqueues", {"-n", "default"}).out,
            "Name                     Weight  State   Inqueue Pending Running Unknown \n"
            "default                  1       Open    0       0       1       0       \n");
  EXPECT_NE(tool("vqueues", {}).out.find("\nroot "), std::string::npos);
}

TEST_F(QueueCommands, LongNamesAndWideColumnsLineUp) {
  api.put("queues",
          "{metadata: {name: a-queue-with-quite-a-long-name}, spec: {weight: 1, deserved: {memory: 8Gi, cpu: 4}}, "
          "status: {state: Closing}}");
  const std::string out = vcctl({"queue", "list", "-o", "wide"}).out;
  EXPECT_TRUE(out.starts_with(
      "Name                            Weight  State   Parent  Inqueue Pending Running Unknown Completed  "))
      << out;
  EXPECT_NE(out.find("a-queue-with-quite-a-long-name  1       Closing         0  "), std::string::npos) << out;
  EXPECT_NE(out.find("cpu=4,memory=8Gi"), std::string::npos) << out;
}

TEST_F(QueueCommands, NoQueues) {
  FakeApi empty;
  std::swap(api, empty);
  EXPECT_EQ(vcctl({"queue", "list"}).out, "No resources found\n");
  EXPECT_EQ(vcctl({"queue", "list", "-o", "name"}).out, "");
}

TEST_F(QueueCommands, Create) {
  const CommandResult result = vcctl({"queue", "create", "-n", "research", "-w", "4"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(text::to_json(api.created("queues")),
            R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"research"},)"
            R"("spec":{"weight":4}})");
  EXPECT_TRUE(api.created("commands").is_null());
  EXPECT_EQ(vcctl({"queue", "create", "-n", "research"}).out,
            "Failed to create queue: queues.scheduling.volcano.sh \"research\" already exists\n");
  EXPECT_EQ(vcctl({"queue", "create"}).code, 0);
  EXPECT_NE(api.find("queues", "test"), nullptr);
}

TEST_F(QueueCommands, CreateClosedAlsoClosesIt) {
  EXPECT_EQ(vcctl({"queue", "create", "-n", "later", "-S", "Closed"}).code, 0);
  EXPECT_EQ(api.created("commands").at("action"), "CloseQueue");
  EXPECT_EQ(vcctl({"queue", "create", "-n", "x", "-S", "Ajar"}).out,
            "Failed to create queue: state Ajar invalid, valid states are Open and Closed\n");
}

TEST_F(QueueCommands, Operate) {
  EXPECT_EQ(vcctl({"queue", "operate", "-n", "default", "-a", "close"}).code, 0);
  const text::Value command = api.created("commands");
  EXPECT_EQ(command.at("metadata").at("generateName"), "default-closequeue-");
  EXPECT_EQ(command.at("metadata").at("namespace"), "default");
  EXPECT_EQ(command.at("target").at("kind"), "Queue");
  EXPECT_EQ(command.at("target").at("uid"), "q-1");
  EXPECT_EQ(vcctl({"queue", "operate", "-n", "default", "-a", "open"}).code, 0);
  EXPECT_EQ(api.created("commands").at("action"), "OpenQueue");
  EXPECT_EQ(vcctl({"queue", "operate", "-n", "default", "-a", "update", "-w", "9"}).code, 0);
  EXPECT_EQ(api::int_at(*api.find("queues", "default"), {"spec", "weight"}), 9);
}

TEST_F(QueueCommands, OperateSaysWhatIsMissing) {
  const auto failed = [this](std::vector<std::string> words) {
    words.insert(words.begin(), {"queue", "operate"});
    const CommandResult result = vcctl(std::move(words));
    EXPECT_EQ(result.code, 255);
    return result.out;
  };
  EXPECT_EQ(failed({}), "Failed to operate queue: queue name must be specified\n");
  EXPECT_EQ(failed({"-n", "default"}), "Failed to operate queue: action can not be null\n");
  EXPECT_EQ(failed({"-n", "default", "-a", "x"}),
            "Failed to operate queue: action x invalid, valid actions are open, close and update\n");
  EXPECT_EQ(
      failed({"-n", "default", "-a", "update"}),
      "Failed to operate queue: when update queue default, weight must be specified, the value must be greater than "
      "0\n");
  EXPECT_EQ(failed({"-n", "x", "-a", "open"}),
            "Failed to operate queue: queues.scheduling.volcano.sh \"x\" not found\n");
}

TEST_F(QueueCommands, Delete) {
  const CommandResult result = vcctl({"queue", "delete", "-n", "default"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(api.find("queues", "default"), nullptr);
  EXPECT_EQ(vcctl({"queue", "delete"}).out, "Failed to delete queue: queue name must be specified\n");
}

}  // namespace
}  // namespace basalt::cli::vcctl
