// From parser events to documents: the part of the YAML reader that knows our rules (see yaml.h).
//
// Internal to text/. A builder receives the events of one document and answers take(). After the first error it
// ignores what follows. Frames hold the containers that are still open; values move into their parent when they end.
#pragma once

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kube/text/yaml.h"

namespace basalt::text {

class YamlBuilder final : public YAML::EventHandler {
 public:
  // What the documents of one stream weigh together, and how much of that are copies: of anchors and by aliases.
  struct Weight {
    size_t all = 0;
    size_t copies = 0;
  };

  // `weight` runs on over the documents of one stream.
  explicit YamlBuilder(Weight& weight) : weight_(weight) {}

  [[nodiscard]] Result<Document> take();
  [[nodiscard]] bool failed() const { return error_.has_value(); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  // A finished value on its way into its parent. Depth and weight count the value with all that is in it.
  struct Node {
    Value value;
    size_t depth = 1;
    size_t weight = 1;
    bool plain_merge_key = false;  // an unquoted "<<"
  };
  struct Frame {
    Node node;  // the open container
    YAML::anchor_t anchor = 0;
    size_t path_size = 0;                 // of the container's own path
    std::optional<std::string> key = {};  // of the member that comes next; nothing: a key comes next
    uint32_t key_line = 0;
    bool key_is_merge = false;
    std::vector<Node> merges = {};
  };

  // Each event starts here: notes the line and pays for the node. False: the document has failed, ignore the event.
  bool begin(const YAML::Mark& mark, size_t weight);
  bool charge(size_t weight);
  bool charge_copy(size_t weight);
  void fail(const std::string& what);
  void open(YAML::anchor_t anchor, Value container);
  void close();
  void add(YAML::anchor_t anchor, Node node);
  void add_key(Frame& frame, const Node& node);
  void apply_merges(Frame& frame);
  // Extends path_ by the step at which the next value of the innermost container stands, and notes its line.
  void enter_path();
  [[nodiscard]] bool key_comes_next() const;

  Weight& weight_;
  Document document_;
  std::vector<Frame> frames_;
  std::string path_;
  uint32_t line_ = 0;  // of the last event that had one
  std::unordered_map<YAML::anchor_t, Node> anchors_;
  std::optional<Error> error_;
};

}  // namespace basalt::text
